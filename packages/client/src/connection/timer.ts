import type { Disposable } from '@agenthost/rpc';

/** Calls `run` once after that many milliseconds, unless it is disposed first. */
export type Schedule = (run: () => void, delayMs: number) => Disposable;

export const scheduleWithTimer: Schedule = (run, delayMs) => {
  const timer = setTimeout(run, delayMs);
  return { dispose: () => clearTimeout(timer) };
};
