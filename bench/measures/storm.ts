// All clients come back at once after a lost connection, and each catches up with what it missed: how long until the last has,
// and what that costs the server, beside a raw `ws` server that sends each the same from memory.
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { childMessage } from '../support/childMessage.ts';
import { figureOf, median } from '../support/figures.ts';
import { LINEAR, seriesOf } from '../support/growth.ts';
import { measure } from '../support/measure.ts';
import type { StormTask } from '../support/stormClients.ts';
import { type Pair, startPair } from '../support/underLoad.ts';

const MISSED = 50;

await measure(async ({ quick }) => {
  const sizes = quick ? [20, 100] : [1, 10, 100, 1_000];
  const most = sizes.at(-1) ?? 0;
  const rounds = quick ? 1 : 3;
  const pair = await startPair(['keep']);
  const found = { host: new Map<number, Storm[]>(), raw: new Map<number, Storm[]>() };
  try {
    for (const clients of sizes) {
      for (let round = -1; round < rounds; round++) {
        for (const kind of ['host', 'raw'] as const) {
          const storm = await strike(pair, kind, clients);
          if (round >= 0) found[kind].set(clients, [...(found[kind].get(clients) ?? []), storm]);
        }
      }
    }
  } finally {
    pair.host.kill();
    pair.raw.kill();
  }
  const of = (kind: 'host' | 'raw', what: keyof Storm, clients = most) =>
    (found[kind].get(clients) ?? []).map((storm) => storm[what]);
  const about = { measure: 'storm', better: 'lower', baseline: 'raw ws' } as const;
  const points = sizes.map((clients) => [clients, Number(median(of('host', 'cpu', clients)).toPrecision(3))] as const);
  return {
    figures: [
      figureOf({ ...about, name: `${most} clients are back`, unit: 'ms' }, of('host', 'ms'), of('raw', 'ms')),
      figureOf({ ...about, name: `CPU of ${most} that come back`, unit: 'ms' }, of('host', 'cpu'), of('raw', 'cpu')),
    ],
    series: [seriesOf({ measure: 'storm', name: 'CPU of a storm', x: 'clients', y: 'ms', points, atMost: LINEAR })],
  };
});

interface Storm {
  readonly ms: number;
  /** Milliseconds of the server's CPU time. */
  readonly cpu: number;
}

async function strike(pair: Pair, kind: 'host' | 'raw', clients: number): Promise<Storm> {
  const server = pair[kind];
  const storm = fork(join(import.meta.dirname, '../support/stormClients.ts'));
  try {
    storm.send({ kind, ...server.address, clients, missed: MISSED } satisfies StormTask);
    await childMessage(storm, 'connected');
    const before = server.cpu();
    storm.send('go');
    const { ms } = (await childMessage(storm, 'done')) as { ms: number };
    return { ms, cpu: (server.cpu() - before) / 1_000 };
  } finally {
    storm.kill();
  }
}
