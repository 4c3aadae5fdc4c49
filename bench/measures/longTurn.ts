// What one delta costs the host after very many in the same turn, beside the first of it: CPU time, read inside the process.
import { connect } from '@agenthost/client';
import { BenchProcess } from '../support/benchProcess.ts';
import { atMost } from '../support/figure.ts';
import { figureOf, median } from '../support/figures.ts';
import { FLAT, seriesOf } from '../support/growth.ts';
import { measure } from '../support/measure.ts';

const WINDOW = 1_000;

await measure(async ({ quick }) => {
  const places = quick ? [0, 1_000, 5_000] : [0, 1_000, 10_000, 100_000];
  const last = places.at(-1) ?? 0;
  const rounds = quick ? 2 : 5;
  const server = await BenchProcess.start('longTurnServer.ts');
  const found = new Map<number, number[]>(places.map((place) => [place, []]));
  try {
    const { url, token } = server.address;
    const client = await connect({ url: new URL(url.replace('ws:', 'http:').replace('/ws', '/')), token });
    const turn = async (text: string) => {
      const session = await client.createSession({ provider: 'mock' });
      await session.ready();
      const ended = Promise.withResolvers<void>();
      const following = session.state.subscribe(({ activeTurn, turns }) => {
        if (!activeTurn && turns.length > 0) ended.resolve();
      });
      await session.send(text);
      await ended.promise;
      following.dispose();
      session.close();
    };
    // Not followed: what is done most is compiled well only after a while.
    await turn(`${WINDOW} ${quick ? 2_000 : 20_000}`);
    server.child.on('message', (message) => {
      const { event, place, microseconds } = message as { event: string; place: number; microseconds: number };
      if (event === 'window') found.get(place)?.push(microseconds);
    });
    for (let round = 0; round < rounds; round++) await turn([WINDOW, ...places].join(' '));
    client.close();
    await server.end();
  } finally {
    server.kill();
  }
  const of = (place: number) => found.get(place) ?? [];
  const about = { measure: 'longTurn', unit: 'µs', better: 'lower', limit: atMost(1.2) } as const;
  const points = places.map((place) => [place + WINDOW, Number(median(of(place)).toPrecision(3))] as const);
  const name = `CPU of a delta after ${last}`;
  return {
    figures: [figureOf({ ...about, name, baseline: `of the first ${WINDOW}` }, of(last), of(0))],
    series: [
      seriesOf({ measure: 'longTurn', name: 'CPU of a delta', x: 'deltas in the turn', y: 'µs', points, atMost: FLAT }),
    ],
  };
});
