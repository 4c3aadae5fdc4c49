import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SequenceFile } from '../../../src/storage/stateRoot/sequenceFile.js';
import { startProcess } from '../sourceProcess.js';

const NAMES = ['sequence', 'sequence.copy'] as const;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-sequence-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const bound = async (name: string) => Number((await readFile(join(folder, name), 'utf8')).split(' ')[0]);

describe("the host's numbers", () => {
  it('begin with 1 and have no gaps while the host runs', async () => {
    const sequence = await SequenceFile.open(folder, { blockSize: 10 });
    expect(sequence.current).toBe(0);
    expect(Array.from({ length: 100 }, () => sequence.next())).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
    expect(sequence.current).toBe(100);
    await sequence.dispose();
    expect((await readdir(folder)).sort()).toEqual([...NAMES]);
  });

  it('are always within both files before they are given out', async () => {
    const sequence = await SequenceFile.open(folder, { blockSize: 20 });
    for (let index = 0; index < 500; index++) {
      const number = sequence.next();
      for (const name of NAMES) expect(await bound(name)).toBeGreaterThanOrEqual(number);
    }
    await sequence.dispose();
  });

  it('are reserved ahead, so that the next block is ready in time', async () => {
    const sequence = await SequenceFile.open(folder, { blockSize: 100 });
    for (let index = 0; index < 51; index++) sequence.next();
    await sequence.dispose();
    expect([await bound('sequence'), await bound('sequence.copy')]).toEqual([200, 200]);
    // Without the disk: all of the next block can be given out.
    await rm(folder, { recursive: true });
    for (let index = 51; index < 200; index++) sequence.next();
    expect(() => sequence.next()).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  });

  it('never go back after a reopen', async () => {
    let last = 0;
    for (let run = 0; run < 20; run++) {
      const sequence = await SequenceFile.open(folder, { blockSize: 7 });
      expect(sequence.current).toBeGreaterThanOrEqual(last);
      for (let index = 0; index < run; index++) {
        const number = sequence.next();
        expect(number).toBeGreaterThan(last);
        last = number;
      }
      // Not disposed of: as after a crash, whatever the background has come to.
      if (run % 2) await sequence.dispose();
    }
  });

  it("start above the caller's minimum", async () => {
    expect((await SequenceFile.open(folder, { atLeast: 5_000 })).next()).toBe(5_001);
    expect((await SequenceFile.open(folder, { atLeast: 5 })).next()).toBe(105_001);
  });

  it('survive either file cut at any byte, with any bit flipped, or missing', async () => {
    const sequence = await SequenceFile.open(folder, { blockSize: 1_000 });
    for (let index = 0; index < 400; index++) sequence.next();
    await sequence.dispose();
    const content = await readFile(join(folder, 'sequence'));
    const damaged = [
      ...Array.from(content.keys(), (length) => content.subarray(0, length)),
      ...Array.from({ length: content.length * 8 }, (_, bit) => {
        const flipped = Buffer.from(content);
        flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        return flipped;
      }),
      Buffer.alloc(content.length),
      Buffer.concat([content, content]),
    ];
    for (const bytes of damaged) {
      for (const name of NAMES) {
        for (const other of NAMES) await writeFile(join(folder, other), content);
        await writeFile(join(folder, name), bytes);
        const again = await SequenceFile.open(folder, { blockSize: 1_000 });
        expect(again.next(), bytes.toString()).toBe(1_001);
      }
    }
    for (const name of NAMES) {
      for (const other of NAMES) await writeFile(join(folder, other), content);
      await rm(join(folder, name));
      expect((await SequenceFile.open(folder)).next()).toBe(1_001);
    }
  });

  it('are not guessed when both files are damaged', async () => {
    const sequence = await SequenceFile.open(folder, { blockSize: 1_000 });
    sequence.next();
    const content = await readFile(join(folder, 'sequence'));
    for (let length = 0; length < content.length; length++) {
      for (const name of NAMES) await writeFile(join(folder, name), content.subarray(0, length));
      await expect(SequenceFile.open(folder)).rejects.toMatchObject({ code: 'DAMAGED' });
    }
    await rm(join(folder, 'sequence'));
    await expect(SequenceFile.open(folder)).rejects.toMatchObject({ code: 'DAMAGED' });
    // Far above what the logs know of: what isn't logged had numbers too.
    expect((await SequenceFile.open(folder, { blockSize: 1_000, atLeast: 700 })).next()).toBe(10_701);
  });

  it('stop with an error, and repeat nothing, when none can be reserved', async () => {
    const sequence = await SequenceFile.open(folder, { blockSize: 4 });
    for (let index = 0; index < 2; index++) sequence.next();
    await rm(folder, { recursive: true });
    expect([sequence.next(), sequence.next()]).toEqual([3, 4]);
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(() => sequence.next()).toThrow(expect.objectContaining({ code: 'ENOENT' }));
    }
    await sequence.dispose();
    await mkdir(folder);
    expect([sequence.next(), sequence.next()]).toEqual([5, 6]);
    expect(sequence.current).toBe(6);
  });

  it('never repeat in a process that is killed again and again', async () => {
    let last = 0;
    for (let run = 0; run < 12; run++) {
      const counting = startProcess(new URL('./countingProcess.ts', import.meta.url), [folder]);
      const lines = 3 + run * 5;
      const killed = Promise.withResolvers<void>();
      for (let line = 0; ; line++) {
        const text = await counting.nextLine().catch(() => undefined);
        if (text === undefined) break;
        // A line that the kill has cut may end in half a number.
        const numbers = text.split(' ').map(Number);
        if (numbers.length < 7) break;
        for (const number of numbers) {
          expect(number).toBeGreaterThan(last);
          last = number;
        }
        if (line === lines) void counting.end('SIGKILL').then(killed.resolve);
      }
      await killed.promise;
    }
    expect(last).toBeGreaterThan(12 * 3 * 7);
  });
});
