import { afterEach, expect, it, vi } from 'vitest';
import { releaseMemory, releaseWhenQuiet } from '../src/serve/releaseMemory.js';

it('returns memory that is no longer used', () => {
  const before = process.memoryUsage().heapTotal;
  let garbage: unknown[] | undefined = Array.from({ length: 400_000 }, (_, n) => ({ n, text: `${n}` }));
  const full = process.memoryUsage().heapTotal;
  expect(garbage.length).toBe(400_000);
  garbage = undefined;
  expect(releaseMemory()).toBe(true);
  const after = process.memoryUsage().heapTotal;
  expect(after - before).toBeLessThan((full - before) / 2);
});

afterEach(() => vi.useRealTimers());

it('returns memory when the host is quiet, and only for new allocations', () => {
  vi.useFakeTimers({ toFake: ['setInterval'] });
  const rss = vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(100_000_000);
  const release = vi.fn();
  releaseWhenQuiet(release);
  vi.advanceTimersByTime(2_000);
  expect(release).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(20_000);
  expect(release).toHaveBeenCalledTimes(1);
  rss.mockReturnValue(200_000_000);
  useCpu(300_000);
  vi.advanceTimersByTime(2_000);
  expect(release).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(2_000);
  expect(release).toHaveBeenCalledTimes(2);
});

function useCpu(microseconds: number): void {
  const start = process.cpuUsage();
  for (let used = 0; used < microseconds; ) {
    const { user, system } = process.cpuUsage(start);
    used = user + system;
  }
}
