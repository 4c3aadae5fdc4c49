import { describe, expect, it } from 'vitest';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import type { LogRecord } from '../../../src/storage/log/eventLog.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';
import { FaultySessionFs } from '../faultySessionFs.js';
import { bytesOf, delta, eventsPath, loadBytes, start, title } from './logSamples.js';

const SAMPLE = [
  start,
  title('<1> ä🦊', 1),
  delta('some <2> text\n"quoted"', 2),
  title('<3> \uFFFD', 3),
  delta('<4>', 4),
];
const sample = await bytesOf(SAMPLE);
/** Where each line starts, and where the last one ends. */
const starts = [0, ...[...sample.entries()].filter(([, byte]) => byte === 0x0a).map(([index]) => index + 1)];
const whole = await loadBytes(sample);
const ns = (records: readonly LogRecord[]) => records.map((record) => record.n);

/** The number of the record that has the byte; none for a line's end. */
function recordAt(byte: number): number | undefined {
  return sample[byte] === 0x0a ? undefined : starts.findIndex((start) => start > byte);
}

/** The log continues after the damage: one more record, and no more damage, unless a line in the middle stays broken. */
async function goesOn(log: JsonlEventLog, fs: MemorySessionFs, before: readonly LogRecord[]) {
  log.append(title('<after>', 99));
  await log.flush();
  const again = await (await JsonlEventLog.open({ fs })).loadAll();
  expect(again.records.slice(0, -1)).toEqual(before);
  expect(again.records.at(-1)).toMatchObject({ n: (before.at(-1)?.n ?? 0) + 1, action: { title: '<after>' } });
  return again;
}

describe('a sample log', () => {
  it('is valid', () => {
    expect([ns(whole.records), whole.damage]).toEqual([[1, 2, 3, 4, 5], undefined]);
    expect(starts).toHaveLength(6);
  });

  it('cut at every byte loses only what was cut', async () => {
    for (let length = 0; length < sample.length; length++) {
      const { records, damage, corrupt, left, log, fs } = await loadBytes(sample.subarray(0, length));
      // A record without its line's end is still whole.
      const complete = starts.filter((start, index) => index > 0 && start - 1 <= length).length;
      expect(records, `cut at ${length}`).toEqual(whole.records.slice(0, complete));
      const lineStart = starts[complete] ?? 0;
      const torn = length - Math.min(length, lineStart);
      if (starts.includes(length)) expect(damage, `cut at ${length}`).toBeUndefined();
      else if (torn > 0) expect(damage).toEqual({ tornTail: { bytes: torn }, broken: [], repaired: true });
      else expect(damage).toEqual({ broken: [{ line: complete, reason: 'the line has no end' }], repaired: true });
      if (torn > 0)
        expect(corrupt.equals(Buffer.concat([sample.subarray(lineStart, length), Buffer.from('\n')]))).toBe(true);
      expect(left.equals(sample.subarray(0, lineStart))).toBe(true);
      expect((await goesOn(log, fs, records)).damage).toBeUndefined();
    }
  });

  it('followed by zeros, or cut and then filled with zeros, loses only what was cut', async () => {
    for (const zeros of [1, 2, 17, 4_096]) {
      for (let length = 0; length <= sample.length; length++) {
        const { records, damage, log, fs } = await loadBytes(
          Buffer.concat([sample.subarray(0, length), Buffer.alloc(zeros)]),
        );
        const complete = starts.filter((start, index) => index > 0 && start - 1 <= length).length;
        expect(records).toEqual(whole.records.slice(0, complete));
        expect(damage?.tornTail?.bytes, `${zeros} zeros at ${length}`).toBeGreaterThanOrEqual(zeros);
        expect((await goesOn(log, fs, records)).damage).toBeUndefined();
      }
    }
  });

  it('followed by more zeros than fit into a line', async () => {
    const { records, damage, log, fs } = await loadBytes(Buffer.concat([sample, Buffer.alloc(17 * 1024 * 1024)]));
    expect(records).toEqual(whole.records);
    expect(damage).toEqual({ tornTail: { bytes: 17 * 1024 * 1024 }, broken: [], repaired: true });
    expect((await goesOn(log, fs, records)).damage).toBeUndefined();
  });

  it('with any bit flipped: is always noticed, and loses no other record', async () => {
    for (let byte = 0; byte < sample.length; byte++) {
      for (let bit = 0; bit < 8; bit++) {
        const flipped = Buffer.from(sample);
        flipped[byte] = (flipped[byte] ?? 0) ^ (1 << bit);
        const { records, damage, corrupt } = await loadBytes(flipped);
        const hit = recordAt(byte);
        const where = `byte ${byte} (${JSON.stringify(String.fromCharCode(sample[byte] ?? 0))}), bit ${bit}`;
        expect(damage, where).toBeDefined();
        expect(records, where).toEqual(whole.records.filter((record) => record.n !== hit));
        const lineStart = starts.findLast((start) => start <= byte) ?? 0;
        const lineEnd = starts.find((start) => start > byte) ?? sample.length;
        // A flipped bit may have made a line's end, or there may be none: what is damaged is kept in any case.
        const kept = flipped.subarray(lineStart, lineEnd).toString('latin1').split('\n').filter(Boolean);
        if (hit !== undefined) for (const piece of kept) expect(corrupt.toString('latin1'), where).toContain(piece);
      }
    }
  });

  it('with a whole line overwritten continues, reports it each time, and keeps one copy of it', async () => {
    const broken = Buffer.from(sample);
    broken.fill('x', starts[2], (starts[3] ?? 0) - 1);
    const { records, damage, log, fs, corrupt, left } = await loadBytes(broken);
    expect(ns(records)).toEqual([1, 2, 4, 5]);
    expect(damage).toEqual({ broken: [{ line: 3, reason: 'the checksum does not match' }], repaired: true });
    expect(left.equals(broken)).toBe(true);
    const again = await goesOn(log, fs, records);
    expect(again.damage).toEqual(damage);
    expect(Buffer.from(await fs.readFileBytes(`${eventsPath(fs)}.corrupt`)).equals(corrupt)).toBe(true);
  });

  it('with missing or doubled lines: reports it, and yields every record once', async () => {
    const lines = starts.slice(0, -1).map((start, index) => sample.subarray(start, starts[index + 1]));
    const pick = (...indexes: number[]) => Buffer.concat(indexes.flatMap((index) => lines[index] ?? []));
    const missing = await loadBytes(pick(0, 1, 3, 4));
    expect([ns(missing.records), missing.damage?.broken]).toEqual([
      [1, 2, 4, 5],
      [{ line: 3, reason: 'record 4 where 3 should be' }],
    ]);
    const doubled = await loadBytes(pick(0, 1, 1, 2, 0, 3, 4));
    expect([ns(doubled.records), doubled.damage?.broken]).toEqual([
      [1, 2, 3, 4, 5],
      [
        { line: 3, reason: 'record 2 comes after record 2' },
        { line: 5, reason: 'record 1 comes after record 3' },
      ],
    ]);
    expect((await goesOn(doubled.log, doubled.fs, doubled.records)).damage?.broken).toHaveLength(2);
  });

  it('with foreign content is moved aside, not lost', async () => {
    const other = Buffer.from('this is\nno log\n\n{"v":1}\n');
    const { records, damage, corrupt, left } = await loadBytes(other);
    expect([records, damage, left.length]).toEqual([
      [],
      { tornTail: { bytes: other.length }, broken: [], repaired: true },
      0,
    ]);
    expect(corrupt.equals(Buffer.concat([other, Buffer.from('\n')]))).toBe(true);
  });
});

describe('a repair that fails', () => {
  const torn = Buffer.concat([sample, sample.subarray(0, 50)]);

  it.each(['appendFile', 'stat', 'writeFile', 'rename'])(
    'at %s still opens the session, and is retried before the next write',
    async (operation) => {
      const fs = new FaultySessionFs(new MemorySessionFs());
      await fs.writeFile(eventsPath(fs), torn);
      const log = await JsonlEventLog.open({ fs });
      let broken = false;
      fs.faultAt = (_, call) => {
        // The first `stat` asks for the size of the file, before there is anything to repair.
        if (call.operation === 'readFileBytes') broken = true;
        return broken && call.operation === operation ? { code: 'EROFS', written: 0.5 } : undefined;
      };
      const { records, damage } = await log.loadAll();
      expect(records).toEqual(whole.records);
      expect(damage).toEqual({ tornTail: { bytes: 50 }, broken: [], repaired: false });
      log.append(title('<after>', 9));
      await expect(log.flush()).rejects.toMatchObject({ code: 'EROFS' });
      fs.faultAt = () => undefined;
      await log.flush();
      const again = await (await JsonlEventLog.open({ fs })).loadAll();
      expect([ns(again.records), again.damage]).toEqual([[1, 2, 3, 4, 5, 6], undefined]);
      expect(await fs.readFile(`${eventsPath(fs)}.corrupt`)).toContain(sample.subarray(0, 50).toString());
    },
  );
});
