import type { Disposable } from './events.js';

/** Calls `run` once after that many milliseconds, unless it is disposed first. Tests give one that they control. */
export type Schedule = (run: () => void, delayMs: number) => Disposable;

/** The default everywhere: `setTimeout`. */
export const scheduleWithTimer: Schedule = (run, delayMs) => {
  const timer = setTimeout(run, delayMs);
  return { dispose: () => clearTimeout(timer) };
};
