// Envelopes delivered to 1, 10, 100 and 1,000 subscribers, beside a raw `ws` server that parses one message and broadcasts it,
// in the same run: how many a second, and how much CPU time of the server each takes.
import { atLeast, atMost, type Figure } from '../support/figure.ts';
import { figureOf, median } from '../support/figures.ts';
import { LINEAR, seriesOf } from '../support/growth.ts';
import { measure } from '../support/measure.ts';
import { startPair, type UnderLoad, underLoad } from '../support/underLoad.ts';

const LIMITS = [
  { subscribers: 1, rate: atLeast(1), cpu: atMost(1.2) },
  { subscribers: 10, rate: atLeast(1.8), cpu: atMost(0.3) },
  { subscribers: 100, rate: atLeast(4), cpu: atMost(0.1) },
  { subscribers: 1_000, rate: atLeast(4), cpu: undefined },
];
const IN_FLIGHT = 256;
const BASELINE = 'raw ws';

await measure(async ({ quick }) => {
  const rounds = quick ? 1 : 5;
  // Enough to be measured, few enough for a thousand receivers on two cores.
  const deliveries = quick ? 40_000 : 100_000;
  const pair = await startPair();
  const figures: Figure[] = [];
  const perEnvelope: [number, number][] = [];
  try {
    for (const { subscribers, rate, cpu } of LIMITS) {
      const envelopes = Math.max(Math.floor(deliveries / subscribers), 200);
      const load = { subscribers, envelopes, inFlight: IN_FLIGHT };
      // What a server does most is compiled well only after a while, in both of them.
      const warmUp = { ...load, envelopes: subscribers === 1 ? envelopes : Math.min(envelopes, 2_000) };
      if (!quick || subscribers <= 10) for (const kind of ['host', 'raw'] as const) await underLoad(pair, kind, warmUp);
      const measured: Record<'host' | 'raw', UnderLoad[]> = { host: [], raw: [] };
      for (let round = 0; round < rounds; round++) {
        for (const kind of ['host', 'raw'] as const) measured[kind].push(await underLoad(pair, kind, load));
      }
      const { host, raw } = measured;
      const who = subscribers === 1 ? '1 subscriber' : `${subscribers} subscribers`;
      const about = { measure: 'fanout', baseline: BASELINE } as const;
      figures.push(
        figureOf(
          { ...about, name: `delivered to ${who}`, unit: 'k/s', better: 'higher', limit: rate },
          host.map(({ perSecond }) => perSecond / 1_000),
          raw.map(({ perSecond }) => perSecond / 1_000),
        ),
        figureOf(
          { ...about, name: `CPU of one delivery, ${who}`, unit: 'µs', better: 'lower', ...(cpu && { limit: cpu }) },
          host.map((one) => one.cpu),
          raw.map((one) => one.cpu),
        ),
      );
      perEnvelope.push([subscribers, Number((median(host.map((one) => one.cpu)) * subscribers).toPrecision(3))]);
    }
  } finally {
    pair.host.kill();
    pair.raw.kill();
  }
  const about = { measure: 'fanout', name: 'CPU of an envelope', x: 'clients', y: 'µs' };
  return { figures, series: [seriesOf({ ...about, points: perEnvelope, atMost: LINEAR })] };
});
