// What a host keeps resident: idle, after a flood, with a thousand unopened sessions, and over time under steady work;
// beside a raw `ws` server, before and after the same flood.
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BenchProcess } from '../support/benchProcess.ts';
import { atMost, type Figure } from '../support/figure.ts';
import { figureOf } from '../support/figures.ts';
import { measure, note } from '../support/measure.ts';
import { type Pair, startPair, underLoad } from '../support/underLoad.ts';
import { writeFolders } from '../support/writeSessions.ts';

/** Until what was started has settled. */
const SETTLE_MS = 3_500;
/** Under this it is what an allocator does, not what a host keeps. */
const COLD_SESSION_KB = 5;
const SLOPE_MB_A_MINUTE = 1;
/** A line through less says nothing. */
const SLOPE_MINUTES = 10;
/** A quiet host gives back what a burst needed: after that what is left is what it keeps. */
const QUIET_MS = 5_000;

await measure(async ({ quick, minutes }) => {
  const about = { measure: 'memory', better: 'lower' } as const;
  // Six starts, with a pause after each.
  const cold = quick ? [] : [await coldSessions(1_000)];
  const pair = await startPair();
  try {
    const [idle, bare] = await bothMemories(pair, SETTLE_MS);
    const flood = { subscribers: 100, envelopes: quick ? 1_000 : 5_000, inFlight: 1_024 };
    const many = { subscribers: 1, envelopes: quick ? 10_000 : 100_000, inFlight: 1_024 };
    for (const load of [flood, many]) for (const kind of ['host', 'raw'] as const) await underLoad(pair, kind, load);
    const [after, bareAfter] = await bothMemories(pair, SETTLE_MS);
    const baseline = 'raw ws';
    const figures: Figure[] = [
      figureOf({ ...about, name: 'idle', unit: 'MB', baseline, limit: atMost(90, 'value') }, [idle], [bare]),
      figureOf(
        { ...about, name: 'after a flood', unit: 'MB', baseline, limit: atMost(200, 'value') },
        [after],
        [bareAfter],
      ),
      ...cold,
    ];
    // Some seconds have no slope.
    if (!quick) figures.push(await slope(pair, minutes ?? 0.5));
    return { figures };
  } finally {
    pair.host.kill();
    pair.raw.kill();
  }
});

async function bothMemories({ host, raw }: Pair, afterMs: number): Promise<[number, number]> {
  await delay(afterMs);
  return [host.memory(), raw.memory()];
}

/** What a host has more with so many sessions on disk, for each of them. */
async function coldSessions(count: number): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-bench-'));
  const [full, empty] = [join(folder, 'full'), join(folder, 'empty')];
  mkdirSync(empty, { mode: 0o700 });
  writeFolders(full, count);
  const found = { full: [] as number[], empty: [] as number[] };
  try {
    for (let round = -1; round < 2; round++) {
      for (const [stateDir, list] of [
        [full, found.full],
        [empty, found.empty],
      ] as const) {
        const server = await BenchProcess.startHost(stateDir);
        await delay(SETTLE_MS);
        // The first one makes the index.
        if (round >= 0) list.push(server.memory());
        await server.end();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const whole = figureOf(
    { measure: 'memory', name: `for each of ${count} cold sessions`, unit: 'kB', better: 'lower', baseline: 'none' },
    found.full,
    found.empty,
  );
  const each = Math.max(0, ((whole.value - whole.baseline.value) * 1_000) / count);
  const limit = atMost(COLD_SESSION_KB, 'value');
  return { ...whole, value: Number(each.toPrecision(2)), baseline: { name: 'none of them', value: 0 }, limit };
}

/** The same work again and again, with a pause after each; the slope over the second half, when everything has its size. */
async function slope(pair: Pair, minutes: number): Promise<Figure> {
  const samples: { readonly minute: number; readonly host: number; readonly raw: number }[] = [];
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 60_000;
  // One session: each session stays in memory for some minutes after its last client, and a new one each time would be counted.
  const load = { subscribers: 10, envelopes: 10_000, inFlight: 256, session: `mock:/${randomUUID()}` };
  while (elapsed() < minutes || samples.length < 4) {
    for (const kind of ['host', 'raw'] as const) await underLoad(pair, kind, load);
    const [host, raw] = await bothMemories(pair, QUIET_MS);
    samples.push({ minute: elapsed(), host, raw });
  }
  const late = samples.slice(Math.floor(samples.length / 2));
  note(`soak: ${samples.length} samples, ${samples.map(({ host }) => Math.round(host)).join(' ')} MB`);
  const about = {
    measure: 'memory',
    name: 'slope under steady work',
    unit: 'MB/min',
    better: 'lower',
    baseline: 'raw ws',
    ...(minutes >= SLOPE_MINUTES && { limit: atMost(SLOPE_MB_A_MINUTE, 'value') }),
  } as const;
  const host = slopeOf(late.map((sample) => [sample.minute, sample.host]));
  const raw = slopeOf(late.map((sample) => [sample.minute, sample.raw]));
  // No ratio: one of two slopes that are about nothing says nothing.
  return { ...figureOf(about, [host], [raw]), spread: 0, ratio: 1 };
}

function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const covariance = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return covariance / points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
