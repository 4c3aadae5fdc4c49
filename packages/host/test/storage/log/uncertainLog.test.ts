import { describe, expect, it } from 'vitest';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import type { SessionFs } from '../../../src/storage/fs/sessionFs.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';
import { FaultySessionFs } from '../faultySessionFs.js';
import { bytesOf, delta, eventsPath, start, title } from './logSamples.js';

/** Reads are uncertain here; `says` is what a read returns. */
class UncertainFs extends MemorySessionFs {
  readonly isUncertain = true;
  says: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes;

  override async readFileBytes(path: string): Promise<Uint8Array> {
    return this.says(await super.readFileBytes(path));
  }

  override async *readLines(path: string, fromByte = 0): AsyncGenerator<string> {
    const read = new MemorySessionFs();
    await read.writeFile('/temp/a', await this.readFileBytes(path));
    yield* read.readLines('/temp/a', fromByte);
  }

  async stored(name = 'events.jsonl'): Promise<Buffer> {
    return Buffer.from(await super.readFileBytes(this.join(this.sessionStatePath ?? '', name)));
  }
}

const SAMPLE = [start, title('<1> ä🦊', 1), delta('some <2> text', 2), title('<3>', 3)];
const sample = await bytesOf(SAMPLE);

async function fileOf(bytes: Uint8Array): Promise<UncertainFs> {
  const fs = new UncertainFs();
  await fs.writeFile(eventsPath(fs), bytes);
  return fs;
}

async function load(fs: SessionFs) {
  const log = await JsonlEventLog.open({ fs, retryMs: 0 });
  const { records, damage } = await log.loadAll();
  return { log, ns: records.map(({ n }) => n), damage };
}

describe('the log of a backend whose answers are uncertain', () => {
  it('cut at every byte keeps every byte, and continues behind the unreadable part', async () => {
    const whole = (await load(await fileOf(sample))).ns;
    const firstLine = sample.indexOf('\n');
    for (let length = firstLine; length < sample.length; length++) {
      const bytes = sample.subarray(0, length);
      const fs = await fileOf(bytes);
      const { log, ns } = await load(fs);
      expect(ns, `cut at ${length}`).toEqual(whole.slice(0, ns.length));
      expect((await fs.stored()).equals(bytes), `cut at ${length}`).toBe(true);
      log.append(title('<after>', 9));
      await log.flush();
      expect((await fs.stored()).subarray(0, length).equals(bytes)).toBe(true);
      const again = await load(fs);
      expect(again.ns.slice(0, -1), `cut at ${length}`).toEqual(ns);
      again.log.append(title('<later>', 10));
      await again.log.close();
      expect((await load(fs)).ns).toHaveLength(ns.length + 2);
    }
  });

  it('is left unchanged when none of its lines can be read, and says so', async () => {
    for (const text of ['once upon a time\n', Buffer.from(sample).toString('base64'), '\0'.repeat(500)]) {
      const fs = await fileOf(Buffer.from(text));
      await expect(load(fs)).rejects.toMatchObject({ code: 'UNREADABLE' });
      expect((await fs.stored()).toString()).toBe(text);
      expect(await fs.readdir(fs.sessionStatePath ?? '')).toEqual(['events.jsonl']);
    }
  });

  it('is left unchanged when a read returns more or less than the file has', async () => {
    for (const says of [
      (bytes: Uint8Array) => bytes.subarray(0, bytes.length / 2),
      (bytes: Uint8Array) => Buffer.concat([bytes, bytes]),
    ]) {
      const fs = await fileOf(sample);
      fs.says = says;
      await expect(load(fs)).rejects.toMatchObject({ code: 'INCOMPLETE' });
      expect((await fs.stored()).equals(sample)).toBe(true);
    }
  });

  it('keeps appends from while its last lines were misread, once they can be read again', async () => {
    const fs = await fileOf(sample);
    // As long as it was, with another text in its last line.
    fs.says = (bytes) => Buffer.from(Buffer.from(bytes).toString().replaceAll('<3>', '<?>'));
    const misread = await load(fs);
    expect(misread.ns).toEqual([1, 2, 3]);
    misread.log.append(title('<after>', 9));
    await misread.log.close();
    fs.says = (bytes) => bytes;
    expect((await load(fs)).ns).toEqual([1, 2, 3, 4, 5]);
  });

  it('is not rewritten when it was changed since: a failed write stays, and the next one reports it', async () => {
    const fs = await fileOf(sample);
    const faulty = new FaultySessionFs(fs);
    const { log } = await load(faulty);
    faulty.faultAt = (_, { operation }) => (operation === 'appendFile' ? { code: 'EIO', written: 0.5 } : undefined);
    log.append(title('<lost>', 9));
    await expect(log.flush()).rejects.toMatchObject({ code: 'EIO' });
    faulty.faultAt = () => undefined;
    const before = await fs.stored();
    fs.says = (bytes) => Buffer.from(Buffer.from(bytes).toString().replaceAll('<1>', '<x>'));
    await expect(log.flush()).rejects.toMatchObject({ code: 'ALTERED' });
    expect((await fs.stored()).equals(before)).toBe(true);
    fs.says = (bytes) => bytes;
    await log.flush();
    expect((await load(fs)).ns).toEqual([1, 2, 3, 4, 5]);
  });

  it('is rewritten without a failed write, with its damage unchanged', async () => {
    const { fs, log, fails } = await damaged('<x>');
    await fails();
    await log.flush();
    expect((await fs.stored()).toString()).toContain('<x>');
    expect((await load(fs)).ns).toEqual([1, 3, 4, 5]);
  });

  it('is not rewritten when its damage may hide other bytes', async () => {
    const { fs, log, fails } = await damaged('<\uFFFD>');
    await fails();
    const before = await fs.stored();
    await expect(log.flush()).rejects.toMatchObject({ code: 'DAMAGED' });
    expect((await fs.stored()).equals(before)).toBe(true);
    const again = await load(fs);
    expect(again.ns).toEqual([1, 3, 4]);
    again.log.append(title('<after>', 9));
    await again.log.close();
    expect((await load(fs)).ns.slice(0, 3)).toEqual([1, 3, 4]);
    expect((await fs.stored()).subarray(0, before.length).equals(before)).toBe(true);
  });

  /** A log with damage, and what lets a write to it fail in the middle. */
  async function damaged(instead: string) {
    const fs = await fileOf(Buffer.from(sample.toString().replace('<1>', instead)));
    const faulty = new FaultySessionFs(fs);
    const { log, ns } = await load(faulty);
    expect(ns).toEqual([1, 3, 4]);
    const fails = async () => {
      faulty.faultAt = (_, { operation }) => (operation === 'appendFile' ? { code: 'EIO', written: 0.5 } : undefined);
      log.append(title('<after>', 9));
      await expect(log.flush()).rejects.toMatchObject({ code: 'EIO' });
      faulty.faultAt = () => undefined;
    };
    return { fs, log, fails };
  }

  it('keeps a copy of a foreign tail before it is cut off', async () => {
    const fs = new MemorySessionFs();
    const log = await JsonlEventLog.open({ fs, retryMs: 0 });
    log.append(start);
    await log.flush();
    const position = log.append(title('<1>', 1));
    await log.flush();
    await fs.appendFile(eventsPath(fs), 'written by somebody else');
    expect(log.rollbackTo(position - 1)).toBe(true);
    log.append(title('<2>', 2));
    await log.close();
    expect(await fs.readFile(`${eventsPath(fs)}.corrupt`)).toContain('written by somebody else');
    expect((await load(fs)).ns).toEqual([1, 2]);
  });

  it('is not cut on a disk whose file changed between two reads', async () => {
    const fs = new FaultySessionFs(new MemorySessionFs());
    await fs.writeFile(eventsPath(fs), Buffer.concat([sample, sample.subarray(0, 40)]));
    let reads = 0;
    fs.before = async ({ operation }) => {
      if (operation === 'readFileBytes' && ++reads === 2) await fs.appendFile(eventsPath(fs), ' and more');
    };
    const { damage } = await load(fs);
    expect(damage).toMatchObject({ tornTail: { bytes: 40 }, repaired: false });
    expect(await fs.readFile(eventsPath(fs))).toBe(`${sample}${sample.subarray(0, 40)} and more`);
  });
});
