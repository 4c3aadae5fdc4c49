import { expect, it } from 'vitest';
import { releaseMemory } from '../src/releaseMemory.js';

it('gives back memory that nobody holds any more', () => {
  const before = process.memoryUsage().heapTotal;
  let garbage: unknown[] | undefined = Array.from({ length: 400_000 }, (_, n) => ({ n, text: `${n}` }));
  const full = process.memoryUsage().heapTotal;
  expect(garbage.length).toBe(400_000);
  garbage = undefined;
  expect(releaseMemory()).toBe(true);
  const after = process.memoryUsage().heapTotal;
  expect(after - before).toBeLessThan((full - before) / 2);
});
