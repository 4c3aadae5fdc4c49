import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import {
  type ActionRecord,
  LOG_BEGINNING,
  type LogRecord,
  type NewLogRecord,
} from '../../../src/storage/log/eventLog.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';
import { LineBatch } from '../../../src/storage/log/lineFormat.js';
import { FaultySessionFs } from '../faultySessionFs.js';
import { delta, eventsPath, loadBytes, reasoning, start, title, toolUpdate } from './logSamples.js';

async function reload(fs: MemorySessionFs | FaultySessionFs): Promise<LogRecord[]> {
  const { records, damage } = await (await JsonlEventLog.open({ fs })).loadAll();
  expect(damage).toBeUndefined();
  return records;
}

const textOf = (record: LogRecord | undefined) => {
  const { action } = record as ActionRecord;
  return action.type === 'session/toolUpdate' ? action.output : 'content' in action ? action.content : undefined;
};

function linesOf(...records: object[]): string {
  const lines = new LineBatch(LOG_BEGINNING, 1);
  for (const record of records) lines.add({ stamp: '', fields: JSON.stringify(record) });
  return lines.bytes.toString();
}

describe('a line', () => {
  it('is one JSON object whose last key is the checksum of everything before it', async () => {
    const fs = new MemorySessionFs();
    const log = await JsonlEventLog.open({ fs, now: () => 5 });
    log.append({ ...title('ä', 3), id: 'x' });
    await log.flush();
    const head =
      '{"v":1,"n":1,"id":"x","at":5,"type":"action","serverSeq":3,"origin":{"clientId":"c","clientSeq":3},' +
      '"action":{"type":"session/titleChanged","session":"mock:/sample","at":3,"title":"ä"}';
    const crc = crc32(Buffer.from(head)).toString(16).padStart(8, '0');
    expect(await fs.readFile(eventsPath(fs))).toBe(`${head},"crc":"${crc}"}\n`);
  });

  it('is the same when its fields came as JSON', async () => {
    const [plain, encoded] = [new MemorySessionFs(), new MemorySessionFs()];
    const record = { ...title('"ä"', 3), id: 'x"y' };
    const { type: _, id: __, ...fields } = record;
    const logs = await Promise.all([plain, encoded].map((fs) => JsonlEventLog.open({ fs, now: () => 5 })));
    logs[0]?.append(record);
    logs[1]?.append(record, JSON.stringify(fields));
    for (const log of logs) await log.close();
    expect((await reload(encoded)).map((read) => ({ ...read }))).toEqual(await reload(plain));
  });

  it('of a newer version is refused with an explanation', async () => {
    const line = linesOf({ type: 'session.start' }).replace('{"v":1', '{"v":3').slice(0, -19);
    const crc = crc32(line).toString(16).padStart(8, '0');
    await expect(loadBytes(Buffer.from(`${line},"crc":"${crc}"}\n`))).rejects.toMatchObject({
      code: 'NEWER_VERSION',
      message: expect.stringContaining('newer agenthost'),
    });
  });

  it('of an unknown type is kept, and skipped', async () => {
    const bytes = Buffer.from(
      linesOf({ id: 'a', at: 1, type: 'session.future', x: 1 }, { id: 'b', at: 1, ...title('<1>', 1) }),
    );
    const { records, damage, log, left, fs } = await loadBytes(bytes);
    expect(damage).toBeUndefined();
    expect(left.equals(bytes)).toBe(true);
    expect(records.map((record) => record.n)).toEqual([2]);
    log.append(title('<2>', 2));
    await log.flush();
    expect((await reload(fs)).map((record) => record.n)).toEqual([2, 3]);
  });

  it('that no reader would accept is refused', async () => {
    const log = await JsonlEventLog.open({ fs: new MemorySessionFs() });
    expect(() => log.append(title('x'.repeat(17_000_000), 1))).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }));
    expect(log.append(title('x', 1))).toBe(1);
    await log.flush();
    expect(log.lastN).toBe(1);
  });
});

describe('the log', () => {
  it('returns what was appended, in order, and continues its numbers', async () => {
    const fs = new MemorySessionFs();
    const first = await JsonlEventLog.open({ fs });
    const records: NewLogRecord[] = [
      start,
      title('one', 1),
      { type: 'session.checkpoint', path: 'checkpoints/001-a.md' },
      { type: 'session.info', kind: 'fork', message: 'm', data: { from: 'x' } },
    ];
    for (const record of records) first.append(record);
    await first.close();
    const second = await JsonlEventLog.open({ fs });
    const loaded = (await second.loadAll()).records;
    expect(loaded).toEqual(
      records.map((record, index) => ({
        ...record,
        v: 1,
        n: index + 1,
        id: expect.any(String),
        at: expect.any(Number),
      })),
    );
    second.append(title('two', 2));
    await second.close();
    expect((await reload(fs)).map((record) => record.n)).toEqual([1, 2, 3, 4, 5]);
  });

  it('has to be loaded before anything is appended', async () => {
    const fs = new MemorySessionFs();
    const first = await JsonlEventLog.open({ fs });
    first.append(start);
    await first.close();
    expect(() => first.append(start)).toThrow(expect.objectContaining({ code: 'CLOSED' }));
    const second = await JsonlEventLog.open({ fs });
    expect(() => second.append(start)).toThrow(expect.objectContaining({ code: 'NOT_LOADED' }));
    for await (const _ of second.load()) break;
    expect(() => second.append(start)).toThrow(expect.objectContaining({ code: 'NOT_LOADED' }));
    await second.loadAll();
    expect(second.append(title('x', 1))).toBe(1);
  });

  it('can be read while it is written to', async () => {
    const fs = new MemorySessionFs();
    const log = await JsonlEventLog.open({ fs });
    log.append(title('1', 1));
    log.append(title('2', 2));
    await log.flush();
    const seen: number[] = [];
    for await (const record of log.load()) {
      seen.push(record.n);
      log.append(title('more', 3));
      await log.flush();
    }
    expect(seen).toEqual([1, 2]);
    expect((await log.loadAll()).records.map((record) => record.n)).toEqual([1, 2, 3, 4]);
  });

  it('needs a folder', async () => {
    const fs = new MemorySessionFs({ sessionStatePath: null });
    await expect(JsonlEventLog.open({ fs })).rejects.toMatchObject({ code: 'NO_STATE_PATH' });
  });
});

describe('runs of text', () => {
  const merged = async (records: readonly NewLogRecord[]) => {
    const fs = new MemorySessionFs();
    const log = await JsonlEventLog.open({ fs, now: () => 9 });
    for (const record of records) log.append(record);
    await log.close();
    return reload(fs);
  };

  it('to one part become one record, with the numbers of the first and the last', async () => {
    expect(await merged([delta('a', 4), delta('b', 5), delta('c', 8)])).toEqual([
      { ...delta('abc', 8), v: 1, n: 1, id: expect.any(String), at: 9, firstSeq: 4 },
    ]);
  });

  it('keep a surrogate pair that was cut in two', async () => {
    const [record] = await merged([delta('🦊'.slice(0, 1), 1), delta('🦊'.slice(1), 2)]);
    expect(textOf(record)).toBe('🦊');
    const [half] = await merged([delta('🦊'.slice(0, 1), 1)]);
    expect(textOf(half)).toBe('\uD83E');
  });

  it.each([
    ['another part', [delta('a', 1), delta('b', 2, 'p2')], ['a', 'b']],
    ['reasoning and text', [delta('a', 1), reasoning('b', 2), reasoning('c', 3)], ['a', 'bc']],
    ['something in between', [delta('a', 1), title('x', 2), delta('b', 3)], ['a', undefined, 'b']],
    ['output of one call', [toolUpdate(1, { output: 'a' }), toolUpdate(2, { output: 'b' })], ['ab']],
    ['output of two calls', [toolUpdate(1, { output: 'a' }), toolUpdate(2, { output: 'b' }, 'c2')], ['a', 'b']],
    [
      'output with more than output',
      [
        toolUpdate(1, { output: 'a' }),
        toolUpdate(2, { output: 'b', invocationMessage: 'm' }),
        toolUpdate(3, { output: 'c' }),
      ],
      ['a', 'b', 'c'],
    ],
    [
      'an origin',
      [delta('a', 1), { ...delta('b', 2), origin: { clientId: 'c', clientSeq: 1 } } as NewLogRecord],
      ['a', 'b'],
    ],
    ['an id of its own', [delta('a', 1), { ...delta('b', 2), id: 'kept' }], ['a', 'b']],
  ] as [string, NewLogRecord[], unknown[]][])('%s', async (_, records, expected) => {
    expect((await merged(records)).map(textOf)).toEqual(expected);
  });

  it('never exceed the length of a line', async () => {
    const chunk = '\u0001'.repeat(100_000);
    const records = await merged(Array.from({ length: 10 }, (_, index) => delta(chunk, index + 1)));
    expect(records.length).toBe(5);
    expect(records.map(textOf).join('')).toBe(chunk.repeat(10));
  });

  it('are not merged into a record that is being written', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const log = await JsonlEventLog.open({ fs });
    const writing = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    fs.before = async ({ operation }) => {
      if (operation !== 'appendFile') return;
      writing.resolve();
      await go.promise;
    };
    log.append(delta('a', 1));
    const flushed = log.flush();
    await writing.promise;
    log.append(delta('b', 2));
    log.append(delta('c', 3));
    go.resolve();
    await flushed;
    await log.close();
    expect((await reload(fs)).map(textOf)).toEqual(['a', 'bc']);
  });
});

describe('writing', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('waits briefly for more', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const log = await JsonlEventLog.open({ fs, debounceMs: 20 });
    for (let index = 0; index < 5; index++) {
      log.append(title(`${index}`, index));
      await vi.advanceTimersByTimeAsync(4);
    }
    expect(fs.count('appendFile')).toBe(1);
    await vi.advanceTimersByTimeAsync(20);
    expect(fs.count('appendFile')).toBe(1);
    expect(await reload(fs)).toHaveLength(5);
  });

  it('does not wait when the buffer is full', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const log = await JsonlEventLog.open({ fs, maxBufferedBytes: 10_000 });
    log.append(title('x'.repeat(5_000), 1));
    expect([log.isFull, log.bufferedBytes > 5_000]).toEqual([false, true]);
    await log.drained();
    expect(fs.count('appendFile')).toBe(0);
    log.append(title('x'.repeat(5_000), 2));
    expect(log.isFull).toBe(true);
    await log.drained();
    expect([log.isFull, log.bufferedBytes, fs.count('appendFile')]).toEqual([false, 0, 1]);
  });

  it('retries what no flush waits for', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const failures: string[] = [];
    const log = await JsonlEventLog.open({ fs, retryMs: 1_000, onWriteFailed: (error) => failures.push(error.code) });
    fs.faultAt = (_, { operation }) => (operation === 'appendFile' ? { code: 'ENOSPC' } : undefined);
    log.append(title('x', 1));
    await vi.advanceTimersByTimeAsync(2_500);
    expect(failures).toEqual(['ENOSPC', 'ENOSPC', 'ENOSPC']);
    fs.faultAt = () => undefined;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await reload(fs)).toHaveLength(1);
  });
});

describe('flush', () => {
  it('shares one write and one sync among all callers', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const log = await JsonlEventLog.open({ fs, durability: 'fsync' });
    const flushes: Promise<void>[] = [];
    for (let index = 0; index < 100; index++) {
      log.append(title(`${index}`, index));
      flushes.push(log.flush());
    }
    await Promise.all(flushes);
    expect([fs.count('appendFile'), fs.count('sync')]).toEqual([1, 1]);
    expect(await reload(fs)).toHaveLength(100);
  });

  it('writes what comes during a write with the next one', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const log = await JsonlEventLog.open({ fs, durability: 'fsync' });
    const flushes: Promise<void>[] = [];
    fs.before = async ({ operation }) => {
      if (operation !== 'sync' || flushes.length > 50) return;
      for (let index = 0; index < 50; index++) {
        log.append(title('later', index));
        flushes.push(log.flush());
      }
      expect(fs.count('appendFile')).toBe(1);
    };
    log.append(title('first', 0));
    flushes.push(log.flush());
    await flushes[0];
    await Promise.all(flushes);
    expect([fs.count('appendFile'), fs.count('sync')]).toEqual([2, 2]);
  });

  it('without anything to write does nothing', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const log = await JsonlEventLog.open({ fs });
    const before = fs.calls.length;
    await log.flush();
    await log.close();
    await log.close();
    expect(fs.calls.length).toBe(before);
  });

  it('does not sync with the durability write', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const log = await JsonlEventLog.open({ fs, durability: 'write' });
    log.append(title('x', 1));
    await log.flush();
    expect(fs.count('sync')).toBe(0);
  });

  it('reports why it failed, and works when the disk is back', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const log = await JsonlEventLog.open({ fs });
    fs.faultAt = () => ({ code: 'ENOSPC', written: 0.5 });
    log.append(title('a', 1));
    await expect(log.flush()).rejects.toMatchObject({ code: 'ENOSPC', cause: expect.any(Error) });
    await expect(log.close()).rejects.toMatchObject({ code: 'ENOSPC' });
    fs.faultAt = () => undefined;
    await log.close();
    expect(await reload(fs)).toHaveLength(1);
  });

  it('refuses to continue with a file that another program made shorter', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    const log = await JsonlEventLog.open({ fs });
    log.append(title('a', 1));
    await log.flush();
    fs.faultAt = (_, { operation }) => (operation === 'appendFile' ? { code: 'EIO' } : undefined);
    log.append(title('b', 2));
    await expect(log.flush()).rejects.toMatchObject({ code: 'EIO' });
    await fs.writeFile(eventsPath(fs), 'x');
    await expect(log.flush()).rejects.toMatchObject({ code: 'SHRUNK' });
  });
});

describe('a file system with a size limit for reads', () => {
  it('refuses records that it could not read back, and keeps the others', async () => {
    const fs = Object.assign(new MemorySessionFs(), { maxFileBytes: 1_500 });
    const log = await JsonlEventLog.open({ fs });
    log.append(start);
    await log.flush();
    const last = log.append(title('fits', 1));
    await log.flush();
    log.append(title('x'.repeat(1_500), 2));
    await expect(log.flush()).rejects.toMatchObject({
      code: 'FULL',
      message: expect.stringContaining('fork it from an earlier turn'),
    });
    expect(log.rollbackTo(last)).toBe(true);
    log.append(title('fits too', 3));
    await log.flush();
    await log.close();
    expect((await fs.readFileBytes(eventsPath(fs))).length).toBeLessThan(1_500);
    const titles = (await reload(fs)).map((record) => record.type === 'action' && record.action);
    expect(titles).toMatchObject([false, { title: 'fits' }, { title: 'fits too' }]);
  });
});
