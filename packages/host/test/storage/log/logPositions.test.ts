import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { KeyedLock } from '../../../src/storage/fs/keyedLock.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import { LOG_BEGINNING, type LogEntry, type LogPosition, type LogRecord } from '../../../src/storage/log/eventLog.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';
import { FaultySessionFs } from '../faultySessionFs.js';
import { delta, eventsPath, start, title, tokensOf } from './logSamples.js';

async function logOf(count: number, fs: MemorySessionFs | FaultySessionFs = new MemorySessionFs()) {
  const log = await JsonlEventLog.open({ fs, debounceMs: 1_000_000 });
  log.append(start);
  for (let n = 1; n <= count; n++) log.append(title(`<${n}> ä🦊`, n));
  await log.flush();
  return { fs, log };
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const reopened = (fs: MemorySessionFs | FaultySessionFs) => JsonlEventLog.open({ fs });
const from = (position: LogPosition) => ({ position, broken: [] });
const bytesOf = async (fs: MemorySessionFs | FaultySessionFs) => Buffer.from(await fs.readFileBytes(eventsPath(fs)));

/** Whether it is settled by now, without waiting for it. */
async function isDone(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol();
  await new Promise((resolve) => setImmediate(resolve));
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending;
}

describe('a place in a log', () => {
  it('has the number of records, lines and bytes before it, and their checksum', async () => {
    const { fs } = await logOf(3);
    const bytes = await bytesOf(fs);
    const entries = await collect((await reopened(fs)).entries());
    for (const { record, position } of entries) {
      expect(position).toEqual({
        n: record.n,
        line: record.n,
        start: bytes.lastIndexOf(0x0a, position.end - 2) + 1,
        end: position.end,
        crc: bytes.toString('utf8', position.end - 11, position.end - 3),
        sum: crc32(bytes.subarray(0, position.end)),
      });
    }
    expect(entries.at(-1)?.position.end).toBe(bytes.length);
  });

  it('is the same from a mark, from a load of the whole, of the rest, and of what is stored', async () => {
    const { fs, log } = await logOf(2);
    const marked = log.mark();
    log.append(title('<3>', 3));
    await log.flush();
    log.append(title('<4>', 4));
    await log.close();
    const whole = await collect((await reopened(fs)).entries());
    const position = await marked;
    expect(position).toEqual(whole[2]?.position);
    expect(position?.n).toBe(3);
    const later = await reopened(fs);
    const rest = await collect(later.entries(from(position as LogPosition)));
    expect(rest).toEqual(whole.slice(3));
    expect([later.lastN, later.size]).toEqual([5, (await bytesOf(fs)).length]);
    expect(await collect(later.entries())).toEqual(whole);
    expect(await collect(later.entries(from(position as LogPosition)))).toEqual(whole.slice(3));
  });

  it.each([
    ['cut', (bytes: Buffer, { end }: LogPosition) => bytes.subarray(0, end - 1)],
    ['shorter by records', (bytes: Buffer, { start }: LogPosition) => bytes.subarray(0, start)],
    ['moved', (bytes: Buffer) => Buffer.concat([Buffer.from('\n'), bytes])],
    ['damaged there', (bytes: Buffer, { start }: LogPosition) => Buffer.from(bytes).fill('x', start + 9, start + 10)],
    ['empty', () => Buffer.alloc(0)],
  ])('is missing in a log that is %s, which can then be loaded as a whole', async (_, change) => {
    const { fs } = await logOf(5);
    const position = (await collect((await reopened(fs)).entries()))[3]?.position as LogPosition;
    await fs.writeFile(eventsPath(fs), change(await bytesOf(fs), position));
    const log = await reopened(fs);
    // An empty log has nothing to be loaded.
    if ((await bytesOf(fs)).length === 0) return expect(await collect(log.entries(from(position)))).toEqual([]);
    await expect(collect(log.entries(from(position)))).rejects.toMatchObject({ code: 'NOT_THERE' });
    expect(() => log.append(title('<9>', 9))).toThrow(expect.objectContaining({ code: 'NOT_LOADED' }));
    const { records } = await log.loadAll();
    expect(records.length).toBeGreaterThanOrEqual(3);
    log.append(title('<9>', 9));
    await log.close();
    const again = await reopened(fs);
    const entries = await collect(again.entries());
    expect(tokensOf(entries.map(({ record }) => record)).at(-1)).toBe('<9>');
    expect(entries.at(-1)?.position).toMatchObject({
      end: (await bytesOf(fs)).length,
      sum: crc32(await bytesOf(fs)),
    });
  });

  it('survives a repair: the checksum is that of the repaired file', async () => {
    const { fs } = await logOf(3);
    const bytes = await bytesOf(fs);
    for (const damaged of [bytes.subarray(0, -1), bytes.subarray(0, -7), Buffer.concat([bytes, Buffer.alloc(9)])]) {
      await fs.writeFile(eventsPath(fs), damaged);
      const log = await reopened(fs);
      await log.loadAll();
      const marked = log.mark();
      log.append(title('<8>', 8));
      const after = log.mark();
      await log.close();
      const now = await bytesOf(fs);
      for (const position of [await marked, await after]) {
        expect(position?.sum).toBe(crc32(now.subarray(0, position?.end)));
      }
      expect((await after)?.end).toBe(now.length);
    }
  });
});

describe('a mark', () => {
  it('resolves when nothing before it can be rolled back any more', async () => {
    const { log } = await logOf(1);
    log.append(title('<2>', 2));
    const marked = log.mark();
    await log.flush();
    expect(await isDone(marked)).toBe(false);
    log.append(title('<3>', 3));
    await log.flush();
    expect(await isDone(marked)).toBe(true);
    expect((await marked)?.n).toBe(3);
  });

  it('resolves without a place when what is before it was rolled back, written or not', async () => {
    const { log, fs } = await logOf(1);
    const kept = log.append(title('<2>', 2));
    log.append(title('<3>', 3));
    const early = log.mark();
    log.rollbackTo(kept);
    expect(await early).toBeUndefined();
    await log.flush();
    const last = log.append(title('<4>', 4));
    const late = log.mark();
    await log.flush();
    expect(log.rollbackTo(last - 1)).toBe(true);
    expect(await late).toBeUndefined();
    log.append(title('<5>', 5));
    const marked = log.mark();
    await log.close();
    expect(await marked).toEqual((await collect((await reopened(fs)).entries())).at(-1)?.position);
  });

  it('splits a run of text into two records', async () => {
    const { log, fs } = await logOf(0);
    log.append(delta('<1>', 1));
    const marked = log.mark();
    log.append(delta('<2>', 2));
    log.append(delta('<3>', 3));
    await log.close();
    const entries = await collect((await reopened(fs)).entries());
    expect(tokensOf(entries.map(({ record }) => record))).toEqual(['<1>', '<2>', '<3>']);
    expect(entries).toHaveLength(3);
    expect(await marked).toEqual(entries[1]?.position);
  });

  it('is dropped when there are too many', async () => {
    const { log } = await logOf(0);
    log.append(title('<1>', 1));
    const marks = Array.from({ length: 20 }, () => log.mark());
    expect((await Promise.all(marks.slice(16))).filter(Boolean)).toEqual([]);
    await log.close();
    expect((await Promise.all(marks.slice(0, 16))).every((position) => position?.n === 2)).toBe(true);
  });
});

describe('the records between two places', () => {
  const texts = (records: readonly LogRecord[]) => tokensOf(records);

  it('are read without the rest', async () => {
    const { fs } = await logOf(9);
    const log = await reopened(fs);
    const places = [LOG_BEGINNING, ...(await collect(log.entries())).map(({ position }) => position)];
    for (const [first, a] of places.entries()) {
      for (const b of places.slice(first)) {
        const records = await collect(log.span(a, b));
        expect(records.map(({ n }) => n)).toEqual(Array.from({ length: b.n - a.n }, (_, n) => a.n + 1 + n));
      }
    }
  });

  it('are refused when they are not what was stored, and returned when they were already damaged then', async () => {
    const { fs } = await logOf(9);
    const bytes = await bytesOf(fs);
    const [a, b] = (await collect((await reopened(fs)).entries()))
      .filter(({ record }) => record.n === 3 || record.n === 7)
      .map(({ position }) => position) as [LogPosition, LogPosition];
    const broken = Buffer.from(bytes);
    broken[a.end + 20] = 0xff;
    await fs.writeFile(eventsPath(fs), broken);
    const log = await reopened(fs);
    await expect(collect(log.span(a, b))).rejects.toMatchObject({ code: 'ALTERED' });
    const entries: LogEntry[] = await collect(log.entries());
    const then = entries.find(({ record }) => record.n === 7)?.position as LogPosition;
    expect(texts(await collect(log.span(a, then)))).toEqual(['<4>', '<5>', '<6>']);
    await fs.writeFile(eventsPath(fs), bytes.subarray(0, b.start));
    await expect(collect(log.span(a, b))).rejects.toMatchObject({ code: 'ALTERED' });
  });
});

describe('the lock of the file', () => {
  /** Two logs of one file, as two openings of one session in one process. */
  async function logUnderLock() {
    const lock = new KeyedLock();
    const fs = new FaultySessionFs(new MemorySessionFs());
    const log = await JsonlEventLog.open({ fs, lock, debounceMs: 0 });
    log.append(start);
    await log.flush();
    const key = fs.lockKey(eventsPath(fs));
    const held = Promise.withResolvers<void>();
    const isHeld = Promise.withResolvers<void>();
    const holding = lock.run(key, () => {
      isHeld.resolve();
      return held.promise;
    });
    await isHeld.promise;
    const release = () => {
      held.resolve();
      return holding;
    };
    return { lock, fs, log, release };
  }

  it.each([
    ['a first load', async ({ fs, lock }) => (await JsonlEventLog.open({ fs, lock })).loadAll()],
    ['a later load', ({ log }) => log.loadAll()],
    [
      'a write',
      ({ log }) => {
        log.append(title('<1>', 1));
        return log.flush();
      },
    ],
  ] satisfies [string, (world: Awaited<ReturnType<typeof logUnderLock>>) => Promise<unknown>][])(
    '%s waits for it',
    async (_, act) => {
      const world = await logUnderLock();
      const calls = () => world.fs.calls.filter(({ operation }) => operation !== 'stat').length;
      const before = calls();
      const done = act(world);
      expect(await isDone(done)).toBe(false);
      expect(calls()).toBe(before);
      await world.release();
      await done;
      expect(calls()).toBeGreaterThan(before);
    },
  );

  it('delays a cut, and the repair of a load', async () => {
    const world = await logUnderLock();
    await world.release();
    const kept = world.log.append(title('<1>', 1));
    world.log.append(title('<2>', 2));
    await world.log.flush();
    const inside = Promise.withResolvers<void>();
    const key = world.fs.lockKey(eventsPath(world.fs));
    const holding = world.lock.run(key, () => inside.promise);
    world.log.rollbackTo(kept);
    const cut = world.log.flush();
    expect(await isDone(cut)).toBe(false);
    expect(world.fs.count('rename')).toBe(0);
    inside.resolve();
    await Promise.all([holding, cut]);
    expect(world.fs.count('rename')).toBe(1);

    await world.fs.appendFile(eventsPath(world.fs), 'torn');
    const other = await JsonlEventLog.open({ fs: world.fs, lock: world.lock });
    const entries = other.entries()[Symbol.asyncIterator]();
    await entries.next();
    const again = Promise.withResolvers<void>();
    const holdingAgain = world.lock.run(key, () => again.promise);
    const rest = collect({ [Symbol.asyncIterator]: () => entries });
    expect(await isDone(rest)).toBe(false);
    expect(world.fs.count('rename')).toBe(1);
    again.resolve();
    await Promise.all([holdingAgain, rest]);
    expect(world.fs.count('rename')).toBe(2);
  });

  it('is not held by readers: a write continues, and the reader sees the state at its start', async () => {
    const { log } = await logOf(50);
    const entries = log.entries()[Symbol.asyncIterator]();
    await entries.next();
    log.append(title('<51>', 51));
    await log.flush();
    const rest = await collect({ [Symbol.asyncIterator]: () => entries });
    expect(rest.at(-1)?.record.n).toBe(51);
    expect(log.lastN).toBe(52);
  });
});
