// How long an action takes from its sender to the host's log and back, with 1 and with 100 subscribers, one at a time; beside a
// raw `ws` server, which keeps nothing.
import { atMost, type Figure } from '../support/figure.ts';
import { figureOf } from '../support/figures.ts';
import { measure } from '../support/measure.ts';
import { startPair, type UnderLoad, underLoad } from '../support/underLoad.ts';

await measure(async ({ quick }) => {
  const rounds = quick ? 2 : 7;
  const pair = await startPair();
  const figures: Figure[] = [];
  try {
    for (const subscribers of [1, 100]) {
      const load = { subscribers, envelopes: quick ? 500 : 1_500, inFlight: 1 };
      for (const kind of ['host', 'raw'] as const)
        await underLoad(pair, kind, { ...load, envelopes: 2 * load.envelopes });
      const measured: Record<'host' | 'raw', UnderLoad[]> = { host: [], raw: [] };
      for (let round = 0; round < rounds; round++) {
        for (const kind of ['host', 'raw'] as const) measured[kind].push(await underLoad(pair, kind, load));
      }
      for (const part of ['p50', 'p99'] as const) {
        const name = `own echo ${part}, ${subscribers} subscriber${subscribers > 1 ? 's' : ''}`;
        const about = {
          measure: 'echo',
          name,
          unit: 'ms',
          better: 'lower',
          baseline: 'raw ws',
          limit: atMost(2),
        } as const;
        const of = (kind: 'host' | 'raw') => measured[kind].map((one) => one[part]);
        figures.push(figureOf(about, of('host'), of('raw')));
      }
    }
  } finally {
    pair.host.kill();
    pair.raw.kill();
  }
  return { figures };
});
