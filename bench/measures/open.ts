// Opening a session of very many events beside one of a hundred, through a real host and a real socket; and how that grows with
// the turns of a session.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Snapshot } from '@agenthost/protocol';
import { BenchProcess } from '../support/benchProcess.ts';
import { atMost } from '../support/figure.ts';
import { figureOf, median } from '../support/figures.ts';
import { FLAT, seriesOf } from '../support/growth.ts';
import { measure } from '../support/measure.ts';
import { RequestClient } from '../support/requestClient.ts';
import { sessionId, writeLongSession } from '../support/writeSessions.ts';

const SHORT = 100;
const EVENTS_PER_TURN = 50;

await measure(async ({ quick }) => {
  const long = quick ? 5_000 : 100_000;
  const rounds = quick ? 3 : 7;
  const sizes = quick ? [SHORT, 500, long] : [SHORT, 500, 5_000, 50_000, long];
  const stateDir = mkdtempSync(join(tmpdir(), 'agenthost-bench-'));
  const id = (events: number, round: number) => sessionId(events * 100 + round + 1);
  const all = async (work: (events: number, round: number) => Promise<void> | void) => {
    for (let round = -1; round < rounds; round++) for (const events of sizes) await work(events, round);
  };
  const open = async (client: RequestClient, events: number, round: number) => {
    const resource = `mock:/${id(events, round)}`;
    const { result, ms } = await client.request('subscribe', { resource, turns: 1 });
    const { state } = result as Snapshot & { state: { turns: unknown[] } };
    if (state.turns.length !== 1) throw new Error(`${resource} was opened without its turns`);
    return ms;
  };
  let server: BenchProcess | undefined;
  try {
    await all((events, round) => writeLongSession(stateDir, id(events, round), events, EVENTS_PER_TURN));
    // A host leaves a snapshot beside each log as it grows; one that opens these makes up for it.
    server = await BenchProcess.startHost(stateDir);
    const first = await RequestClient.open(server.address);
    await all(async (events, round) => void (await open(first, events, round)));
    await first.indexed((rounds + 1) * sizes.length);
    first.close();
    await server.end();
    server = await BenchProcess.startHost(stateDir);
    const client = await RequestClient.open(server.address);
    const times = new Map<number, number[]>(sizes.map((events) => [events, []]));
    await all(async (events, round) => {
      const ms = await open(client, events, round);
      // The first round warms up.
      if (round >= 0) times.get(events)?.push(ms);
    });
    client.close();
    await server.end();
    const of = (events: number) => times.get(events) ?? [];
    const about = { measure: 'open', unit: 'ms', better: 'lower' } as const;
    const name = `a session of ${long} events`;
    const points = sizes.map(
      (events) => [Math.round(events / EVENTS_PER_TURN), Number(median(of(events)).toPrecision(3))] as const,
    );
    return {
      figures: [figureOf({ ...about, name, baseline: `one of ${SHORT}`, limit: atMost(3) }, of(long), of(SHORT))],
      series: [seriesOf({ measure: 'open', name: 'opening a session', x: 'turns', y: 'ms', points, atMost: FLAT })],
    };
  } finally {
    server?.kill();
    rmSync(stateDir, { recursive: true, force: true });
  }
});
