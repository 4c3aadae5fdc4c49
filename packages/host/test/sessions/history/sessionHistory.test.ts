import type { Turn } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { foldLog } from '../../../src/sessions/history/foldLog.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import type { LogPosition } from '../../../src/storage/log/eventLog.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';
import { FaultySessionFs } from '../../storage/faultySessionFs.js';
import {
  at,
  bytesOf,
  comparable,
  copyOf,
  foldOf,
  HistoryWorld,
  NAMES,
  openHistory,
  playTurn,
  RangedMemoryFs,
  SESSION,
  upTo,
} from './historyWorld.js';

/** A session with so many turns, of five records each, on a disk that reads parts of files. */
async function sessionOf(turns: number, fs: MemorySessionFs = new RangedMemoryFs()): Promise<HistoryWorld> {
  const world = await HistoryWorld.create(fs);
  world.act({ type: 'session/ready', session: SESSION, at: 1 });
  for (let n = 1; n <= turns; n++) {
    playTurn(world, n);
    if (n % 5 === 0) await world.told();
  }
  await world.told();
  await world.log.close();
  await world.history.settled();
  return world;
}

const long = await sessionOf(4_000);
const longFs = long.fs as RangedMemoryFs;
const longLog = await bytesOf(longFs, 'events.jsonl');
const longFold = await foldOf(longLog);
if (!longFold) throw new Error('no session');
const allTurns = await everyTurn();

async function everyTurn(): Promise<readonly Turn[]> {
  return (await foldOf(longLog, 100_000))?.state.turns ?? [];
}

const opened = async (fs: RangedMemoryFs | FaultySessionFs) => {
  const session = await openHistory(fs);
  if (!session) throw new Error('no session');
  return session;
};

describe('a session of 20,000 events', () => {
  it('opens from its snapshot, and reads little of its log', async () => {
    expect((await bytesOf(longFs, 'events.jsonl')).length).toBeGreaterThan(4_000_000);
    const fs = await copyOf(longFs);
    const session = await opened(fs);
    expect(comparable(session.folded)).toEqual(comparable(longFold));
    expect(session.skipped).toBeDefined();
    expect(fs.bytesRead('events.jsonl')).toBeLessThan(200_000);
    expect(fs.bytesRead('events.checkpoint.json')).toBeLessThan(200_000);
    expect(fs.bytesRead('events.turns.jsonl')).toBe(0);
  });

  it('keeps little beside its log', async () => {
    const { length } = await bytesOf(longFs, 'events.turns.jsonl');
    expect(length).toBeLessThan(longLog.length / 20);
    expect(length).toBeGreaterThan(60_000);
  });

  it('pages back to its beginning, and reads little more than each page', async () => {
    const fs = await copyOf(longFs);
    const { history, folded } = await opened(fs);
    const earlier = folded.state.earlierTurns ?? 0;
    expect(earlier).toBe(3_800);
    let page = await history.readTurns({ ordinal: earlier }, upTo(50), earlier);
    const read: Turn[] = [...(page?.turns ?? [])];
    for (let reads = 0; page?.hasMore; reads++) {
      fs.read.clear();
      page = await history.readTurns({ turnId: page.turns[0]?.id ?? '' }, upTo(50), earlier);
      read.unshift(...(page?.turns ?? []));
      expect(fs.bytesRead('events.jsonl'), `page ${reads}`).toBeLessThan(200_000);
      expect(fs.bytesRead('events.turns.jsonl'), `page ${reads}`).toBeLessThan(40_000);
    }
    expect(read).toEqual(allTurns.slice(0, earlier));
  });

  it('finds any turn, and reports a missing one without reading the log', async () => {
    const fs = await copyOf(longFs);
    const { history } = await opened(fs);
    fs.read.clear();
    for (const [turnId, limit] of [
      ['t1', 5],
      ['t2', 5],
      ['t33', 1],
      ['t1000', 200],
      ['t3799', 3],
    ] as const) {
      const end = allTurns.findIndex(({ id }) => id === turnId);
      const start = Math.max(0, end - limit);
      expect(await history.readTurns({ turnId }, upTo(limit), 3_800)).toEqual({
        turns: allTurns.slice(start, end),
        hasMore: start > 0,
      });
    }
    expect(fs.bytesRead('events.jsonl')).toBeLessThan(600_000);
    fs.read.clear();
    expect(await history.readTurns({ turnId: 'nobody' }, upTo(5), 3_800)).toBeUndefined();
    expect(fs.bytesRead('events.jsonl')).toBe(0);
  });

  it('continues: later events are in the next snapshot', async () => {
    const fs = await copyOf(longFs);
    let world = await HistoryWorld.open(fs);
    for (let n = 4_001; n <= 4_400; n++) {
      playTurn(world, n);
      if (n % 5 === 0) await world.told();
    }
    await world.told();
    await world.log.close();
    await world.history.settled();
    const copy = await copyOf(fs);
    world = await HistoryWorld.open(copy);
    expect(copy.bytesRead('events.jsonl')).toBeLessThan(200_000);
    expect(world.state).toEqual((await foldOf(await bytesOf(fs, 'events.jsonl')))?.state);
    const { turns } = (await world.history.readTurns({ turnId: 't4001' }, upTo(100), 4_200)) ?? { turns: [] };
    expect(turns.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, n) => `t${3_901 + n}`));
  });
});

it('finds a turn from the queue with its message, which waited when its page began', async () => {
  const fs = new RangedMemoryFs();
  const world = await HistoryWorld.create(fs, { limits: { minSnapshotBytes: 500, pageTurns: 1, window: 4 } });
  world.act({ type: 'session/ready', session: SESSION, at: 1 });
  const by = { clientId: 'bob' };
  for (const id of ['m1', 'm2', 'm3']) {
    const message = { kind: 'queued', id, userMessage: { text: `from ${id}` }, by } as const;
    world.act({ type: 'session/pendingMessageSet', session: SESSION, at: 1, ...message });
  }
  playTurn(world, 1);
  for (const id of ['m1', 'm2', 'm3']) {
    const turn = { session: SESSION, at: 2, turnId: id, userMessage: { text: `from ${id}` } };
    world.act({ type: 'session/turnStarted', ...turn, queuedMessageId: id });
    await world.told();
    world.act({ type: 'session/turnComplete', session: SESSION, at: 3, turnId: id });
    await world.told();
  }
  for (let n = 2; n <= 5; n++) {
    playTurn(world, n);
    await world.told();
  }
  const { history, folded } = await world.restart();
  expect(folded.state.earlierTurns).toBe(4);
  fs.read.clear();
  const page = await history.readTurns({ turnId: 'm3' }, upTo(1), 4);
  expect(page?.turns).toMatchObject([{ id: 'm2', by, userMessage: { text: 'from m2' } }]);
  expect(fs.bytesRead('events.jsonl')).toBeLessThan((await bytesOf(fs, 'events.jsonl')).length / 2);
});

describe('files beside a log', () => {
  it.each(NAMES)('are rebuilt when %s is missing', async (name) => {
    const fs = await copyOf(longFs, { [name]: undefined });
    const { folded, history } = await opened(fs);
    expect(comparable(folded)).toEqual(comparable(longFold));
    const page = await history.readTurns({ turnId: 't100' }, upTo(20), 3_800);
    expect(page?.turns).toEqual(allTurns.slice(79, 99));
    await history.settled();
    fs.read.clear();
    expect(await history.readTurns({ turnId: 't100' }, upTo(20), 3_800)).toEqual(page);
    expect(fs.bytesRead('events.jsonl')).toBeLessThan(200_000);
    if (name === 'events.checkpoint.json') {
      fs.read.clear();
      expect(comparable((await opened(fs)).folded)).toEqual(comparable(longFold));
      expect(fs.bytesRead('events.jsonl')).toBeLessThan(200_000);
    }
  });

  it('of another version of the host are not used', async () => {
    const fs = await copyOf(longFs);
    const session = await openHistory(fs, { hostVersion: '1.0.1' });
    expect(session?.skipped).toBeUndefined();
    expect(session && comparable(session.folded)).toEqual(comparable(longFold));
    expect((await openHistory(fs, { hostVersion: '1.0.1' }))?.skipped).toBeDefined();
  });

  it('that do not fit a cut, restored or replaced log are rebuilt', async () => {
    const other = await bytesOf((await sessionOf(3_000)).fs, 'events.jsonl');
    const newline = (from: number) => longLog.indexOf(0x0a, from) + 1;
    const half = longLog.subarray(0, newline(longLog.length / 2));
    for (const bytes of [half, other, Buffer.concat([half, other.subarray(half.length)])]) {
      const fs = await copyOf(longFs, { 'events.jsonl': bytes });
      const session = await opened(fs);
      expect(session.skipped).toBeUndefined();
      const fold = await foldOf(bytes);
      expect(comparable(session.folded)).toEqual(fold && comparable(fold));
      const again = await opened(fs);
      expect(again.skipped).toBeDefined();
      expect(comparable(again.folded)).toEqual(fold && comparable(fold));
    }
  });

  it('have fewer turns when they are large, but the memory has as many as ever', async () => {
    const limits = { maxSnapshotBytes: 60_000 };
    const fs = await copyOf(longFs, { 'events.checkpoint.json': undefined });
    await openHistory(fs, { limits });
    const stored = await bytesOf(fs, 'events.checkpoint.json');
    expect(stored.length).toBeGreaterThan(20_000);
    expect(stored.length).toBeLessThan(60_000);
    fs.read.clear();
    const session = await openHistory(fs, { limits });
    expect(session?.skipped).toBeDefined();
    expect(session && comparable(session.folded)).toEqual(comparable(longFold));
    expect(fs.bytesRead('events.jsonl')).toBeLessThan(400_000);
  });

  it('that can not be written cost no acknowledgement and no session', async () => {
    const inner = new MemorySessionFs();
    const fs = new FaultySessionFs(inner, (_, { path }) =>
      NAMES.some((name) => path.includes(name)) ? { code: 'ENOSPC' } : undefined,
    );
    const world = await HistoryWorld.create(fs, { limits: { minSnapshotBytes: 1_000 } });
    world.act({ type: 'session/ready', session: SESSION, at: 1 });
    for (let n = 1; n <= 50; n++) {
      playTurn(world, n);
      await world.told();
    }
    expect(world.state.turns).toHaveLength(50);
    await world.restart();
    expect(world.state.turns).toHaveLength(50);
    expect(fs.count('writeFile', 'events.checkpoint.json.tmp')).toBeGreaterThan(1);
    expect(fs.count('writeFile', 'events.checkpoint.json.tmp')).toBeLessThan(60);
  });

  it('are not written again and again in a burst', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const limits = { minSnapshotBytes: 1_000, snapshotPauseMs: Number.POSITIVE_INFINITY };
    const world = await HistoryWorld.create(fs, { limits });
    world.act({ type: 'session/ready', session: SESSION, at: 1 });
    for (let n = 1; n <= 50; n++) {
      playTurn(world, n);
      await world.told();
    }
    const size = (await bytesOf(fs, 'events.jsonl')).length;
    const count = fs.count('writeFile', 'events.checkpoint.json.tmp');
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThanOrEqual(1 + size / (16 * 1_000));
  });

  it('are never waited for', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const isOpen = Promise.withResolvers<void>();
    fs.before = async ({ path }) => {
      if (path.includes('checkpoint')) await isOpen.promise;
    };
    const world = await HistoryWorld.create(fs, { limits: { minSnapshotBytes: 1_000 } });
    world.act({ type: 'session/ready', session: SESSION, at: 1 });
    for (let n = 1; n <= 50; n++) {
      playTurn(world, n);
      await world.told();
    }
    expect(fs.count('writeFile', 'events.checkpoint.json.tmp')).toBe(1);
    expect((await foldLog(world.log.load()))?.state.turns).toHaveLength(50);
    isOpen.resolve();
    await world.restart();
    expect((await bytesOf(fs, 'events.checkpoint.json')).length).toBeGreaterThan(0);
  });

  it('cost at most about as many bytes as the log itself', async () => {
    const fs = new FaultySessionFs(new RangedMemoryFs());
    let written = 0;
    for (const operation of ['writeFile', 'appendFile'] as const) {
      const write = fs[operation];
      fs[operation] = (path, content) => {
        if (!path.endsWith('events.jsonl')) written += Buffer.byteLength(content);
        return write(path, content);
      };
    }
    const world = await HistoryWorld.create(fs);
    world.act({ type: 'session/ready', session: SESSION, at: 1 });
    for (let n = 1; n <= 1_000; n++) {
      playTurn(world, n);
      if (n % 5 === 0) await world.told();
    }
    await world.restart();
    expect(written).toBeGreaterThan(100_000);
    expect(written).toBeLessThan(1.5 * (await fs.stat(at(fs, 'events.jsonl'))).size);
  });
});

describe('a session whose log is cut off', () => {
  it.each([
    ['before its snapshot', 2_000, false],
    ['after its snapshot', 3_999, true],
  ])('%s keeps the rest, now and when it is opened again, and pages back', async (_where, left, isKept) => {
    const fs = await copyOf(longFs);
    const session = await opened(fs);
    const place = await placeAfterTurn(fs, left);
    await session.history.truncate(place);
    expect(await fs.exists(at(fs, 'events.checkpoint.json'))).toBe(isKept);
    const expected = await foldOf(await bytesOf(fs, 'events.jsonl'), 100_000);
    expect(expected?.state.turns).toHaveLength(left);
    const pageOf = async (history: typeof session.history, before: number) =>
      (await history.readTurns({ ordinal: before }, upTo(20), before))?.turns.map(({ id }) => id);
    const ids = allTurns.slice(left - 220, left - 200).map(({ id }) => id);
    expect(await pageOf(session.history, left - 200)).toEqual(ids);
    await session.history.settled();

    const again = await opened(fs);
    expect(again.folded.state.turns.at(-1)?.id).toBe(allTurns[left - 1]?.id);
    expect(again.reports).toEqual([]);
    expect(await pageOf(again.history, left - 200)).toEqual(ids);
    expect(comparable(again.folded).state.turns).toEqual(allTurns.slice(left - 200, left));
  });
});

async function placeAfterTurn(fs: RangedMemoryFs, turns: number): Promise<LogPosition> {
  const log = await JsonlEventLog.open({ fs });
  let ended = 0;
  for await (const { record, position } of log.entries()) {
    if (record.type === 'action' && record.action.type === 'session/turnComplete' && ++ended === turns) return position;
  }
  throw new Error(`there are no ${turns} turns`);
}
