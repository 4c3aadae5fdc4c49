import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Sample } from './metricTable.js';

const RESOLUTION_MS = 20;
/** Without a look for so long nobody collects any more: the timer ends. */
const FORGET_MS = 10 * 60_000;
const QUANTILES = [50, 99, 100] as const;

/** The delay of the event loop. Its timer runs only while somebody looks, from the first look on. */
export class EventLoopWatch {
  #delays: ReturnType<typeof monitorEventLoopDelay> | undefined;
  #forget: NodeJS.Timeout | undefined;

  samples(): Sample[] {
    const { active } = performance.eventLoopUtilization();
    const loopActive: Sample = { metric: 'loopActive', labels: {}, value: active / 1_000 };
    clearTimeout(this.#forget);
    this.#forget = setTimeout(() => this.dispose(), FORGET_MS).unref();
    const delays = this.#delays;
    if (!delays) {
      this.#delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#delays.enable();
      return [loopActive];
    }
    if (delays.count === 0) return [loopActive];
    const found = QUANTILES.map((quantile): Sample => {
      // The timer's own period is in what it measures.
      const ms = Math.max(delays.percentile(quantile) / 1e6 - RESOLUTION_MS, 0);
      return { metric: 'loopDelay', labels: { quantile: String(quantile / 100) }, value: ms / 1_000 };
    });
    delays.reset();
    return [...found, loopActive];
  }

  dispose(): void {
    clearTimeout(this.#forget);
    this.#delays?.disable();
    this.#delays = undefined;
  }
}
