// What one more open session costs the host: CPU time of an envelope while so many others are open and looked at, and memory.
import { randomUUID } from 'node:crypto';
import { BenchProcess } from '../support/benchProcess.ts';
import { figureOf, median } from '../support/figures.ts';
import { FLAT, LINEAR, seriesOf } from '../support/growth.ts';
import { measure } from '../support/measure.ts';
import { RequestClient } from '../support/requestClient.ts';

/** Sessions that one connection looks at: fewer than it may. */
const A_CONNECTION = 200;

await measure(async ({ quick }) => {
  const sizes = quick ? [1, 10, 50] : [1, 10, 100, 1_000];
  const most = sizes.at(-1) ?? 0;
  const rounds = quick ? 2 : 5;
  const envelopes = quick ? 500 : 4_000;
  const server = await BenchProcess.startHost();
  const found = new Map<number, number[]>();
  const memory: [number, number][] = [];
  try {
    const client = await RequestClient.open(server.address);
    const watchers: RequestClient[] = [];
    const sessions: string[] = [];
    let clientSeq = 0;
    // All work is in the first one: this measures the cost of the idle others.
    const stream = async () => {
      const before = server.cpu();
      await client.dispatchAll(
        Array.from({ length: envelopes }, (_, n) => {
          const title = `a title of some length that changes every time, number ${n}`;
          const [session] = sessions;
          return { clientSeq: ++clientSeq, action: { type: 'session/titleChanged', session, at: 1, title } };
        }),
      );
      return (server.cpu() - before) / envelopes;
    };
    for (const size of sizes) {
      while (sessions.length < size) {
        const session = `mock:/${randomUUID()}`;
        await client.request('createSession', { session });
        if (sessions.length % A_CONNECTION === 0) watchers.push(await RequestClient.open(server.address));
        await watchers.at(-1)?.request('subscribe', { resource: session });
        sessions.push(session);
      }
      await stream();
      const costs: number[] = [];
      for (let round = 0; round < rounds; round++) costs.push(await stream());
      found.set(size, costs);
      memory.push([size, Math.round(server.memory())]);
    }
    for (const watcher of [client, ...watchers]) watcher.close();
  } finally {
    server.kill();
  }
  const of = (size: number) => found.get(size) ?? [];
  const points = sizes.map((size) => [size, Number(median(of(size)).toPrecision(3))] as const);
  const about = { measure: 'openSessions', unit: 'µs', better: 'lower' } as const;
  const series = { measure: 'openSessions', x: 'open sessions' };
  return {
    figures: [figureOf({ ...about, name: `CPU of an envelope, ${most} open`, baseline: '1 open' }, of(most), of(1))],
    series: [
      seriesOf({ ...series, name: 'CPU of an envelope', y: 'µs', points, atMost: FLAT }),
      seriesOf({ ...series, name: 'memory of the host', y: 'MB', points: memory, atMost: LINEAR }),
    ],
  };
});
