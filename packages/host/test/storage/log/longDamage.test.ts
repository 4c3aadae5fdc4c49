import { describe, expect, it } from 'vitest';
import { bytesOf, loadBytes, start, title } from './logSamples.js';

const MIB = 1024 * 1024;
const sample = await bytesOf([start, title('<1>', 1), title('<2>', 2), title('<3>', 3)]);
const lineEnds = [...sample.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at);
const firstTwo = (lineEnds[1] ?? 0) + 1;
const ns = async (bytes: Buffer) => {
  const { records, damage, left } = await loadBytes(bytes);
  return { ns: records.map(({ n }) => n), broken: damage?.broken.length, tail: damage?.tornTail?.bytes, left };
};

describe('damage of many megabytes', () => {
  it.each([3, 15, 40])('%i MiB of zeros: records before and after them are found', async (size) => {
    const hole = Buffer.alloc(size * MIB);
    const before = sample.subarray(0, firstTwo);
    const behind = sample.subarray(firstTwo);
    // Without line ends the hole and what is beside it are one line.
    const glued = Buffer.concat([before.subarray(0, -1), hole, behind]);
    expect(await ns(glued)).toMatchObject({ ns: [1, 2, 3, 4], broken: 1 });
    const cut = Buffer.concat([before, hole]);
    expect(await ns(cut)).toMatchObject({ ns: [1, 2], tail: hole.length });
  });

  it('after the last record on its line is cut off, and the record stays', async () => {
    for (const size of [3, 40]) {
      const found = await ns(Buffer.concat([sample.subarray(0, -1), Buffer.alloc(size * MIB)]));
      expect(found).toMatchObject({ ns: [1, 2, 3, 4], tail: size * MIB });
      expect(found.left.equals(sample)).toBe(true);
    }
  });

  it('a million empty lines are counted, and the first thousand named', async () => {
    const found = await ns(Buffer.concat([sample, Buffer.alloc(MIB, '\n'), await bytesOf([start])]));
    expect(found.ns).toEqual([1, 2, 3, 4]);
    const middle = Buffer.concat([sample.subarray(0, firstTwo), Buffer.alloc(MIB, '\n'), sample.subarray(firstTwo)]);
    expect(await ns(middle)).toMatchObject({ ns: [1, 2, 3, 4], broken: 1_000 });
  });
});
