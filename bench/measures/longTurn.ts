// What one step of a turn (a delta, a part, a notice, a tool call) costs the host after very many in the same turn, beside the first of
// them: CPU time, read inside the process.
import { connect } from '@agenthost/client';
import { BenchProcess } from '../support/benchProcess.ts';
import { atMost, type Figure, type Series } from '../support/figure.ts';
import { figureOf, median } from '../support/figures.ts';
import { FLAT, seriesOf } from '../support/growth.ts';
import { measure } from '../support/measure.ts';

const WINDOW = 1_000;
/** Steps of longTurnServer.ts. */
const KINDS = ['delta', 'part', 'notice', 'tool call'] as const;

await measure(async ({ quick }) => {
  const places = quick ? [0, 1_000, 5_000] : [0, 1_000, 10_000, 100_000];
  const last = places.at(-1) ?? 0;
  const figures: Figure[] = [];
  const series: Series[] = [];
  for (const kind of KINDS) {
    const rounds = quick ? 2 : kind === 'delta' ? 5 : 3;
    const found = await costOf(kind, places, { rounds, warmUp: quick ? 2_000 : 20_000 });
    const of = (place: number) => found.get(place) ?? [];
    const about = { measure: 'longTurn', unit: 'µs', better: 'lower', limit: atMost(1.2) } as const;
    const points = places.map((place) => [place + WINDOW, Number(median(of(place)).toPrecision(3))] as const);
    const name = `CPU of a ${kind}`;
    figures.push(
      figureOf({ ...about, name: `${name} after ${last}`, baseline: `of the first ${WINDOW}` }, of(last), of(0)),
    );
    series.push(seriesOf({ measure: 'longTurn', name, x: `${kind}s in the turn`, y: 'µs', points, atMost: FLAT }));
  }
  return { figures, series };
});

/** By place: microseconds of CPU for one step of that kind, one number a round. A host of its own for each kind. */
async function costOf(
  kind: string,
  places: readonly number[],
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
): Promise<ReadonlyMap<number, number[]>> {
  const server = await BenchProcess.start('longTurnServer.ts');
  const found = new Map<number, number[]>(places.map((place) => [place, []]));
  try {
    const { url, token } = server.address;
    const client = await connect({ url: new URL(url.replace('ws:', 'http:').replace('/ws', '/')), token });
    const turn = async (...numbers: number[]) => {
      const session = await client.createSession({ provider: 'mock' });
      await session.ready();
      const ended = Promise.withResolvers<void>();
      const following = session.state.subscribe(({ activeTurn, turns }) => {
        if (activeTurn || turns.length === 0) return;
        const { state, error } = turns[0] ?? {};
        if (state === 'complete') ended.resolve();
        else ended.reject(new Error(`the turn of ${kind}s ended with ${error?.message}`));
      });
      await session.send([kind, ...numbers].join(','));
      await ended.promise;
      following.dispose();
      session.close();
    };
    // Not measured: what is done most is compiled well only after a while.
    await turn(WINDOW, warmUp);
    server.child.on('message', (message) => {
      const { event, place, microseconds } = message as { event: string; place: number; microseconds: number };
      if (event === 'window') found.get(place)?.push(microseconds);
    });
    for (let round = 0; round < rounds; round++) await turn(WINDOW, ...places);
    client.close();
    await server.end();
  } finally {
    server.kill();
  }
  return found;
}
