import type { Page } from 'playwright-core';

export interface FrameFigures {
  readonly seconds: number;
  readonly frames: number;
  /** Tasks of more than 50 ms, during which a page does not respond. */
  readonly longTasks: number;
  readonly longest: number;
  /** Frames that should have been there and were not, as a part of all. */
  readonly dropped: number;
}

const FRAME_MS = 1_000 / 60;

/** What a page did while the work ran. */
export async function followFrames(page: Page, work: () => Promise<unknown>): Promise<FrameFigures> {
  await page.evaluate(() => {
    const figures = { frames: 0, longTasks: 0, longest: 0, startedAt: performance.now(), going: true };
    Object.assign(window, { figures });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        figures.longTasks += 1;
        figures.longest = Math.max(figures.longest, duration);
      }
    }).observe({ type: 'longtask' });
    const count = () => {
      figures.frames += 1;
      if (figures.going) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
  });
  await work();
  const { frames, longTasks, longest, seconds } = await page.evaluate(() => {
    const { figures } = window as unknown as {
      figures: { frames: number; longTasks: number; longest: number; startedAt: number; going: boolean };
    };
    figures.going = false;
    return { ...figures, seconds: (performance.now() - figures.startedAt) / 1_000 };
  });
  const expected = (seconds * 1_000) / FRAME_MS;
  return { seconds, frames, longTasks, longest, dropped: Math.max(0, 1 - frames / expected) };
}

/** What the page holds on to, after everything else was collected. */
export async function heapBytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}
