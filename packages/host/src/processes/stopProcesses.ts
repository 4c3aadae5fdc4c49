import { setTimeout as delay } from 'node:timers/promises';
import { isRunning } from './processStat.js';

export interface StopStage {
  readonly signal: NodeJS.Signals;
  /** How long it may take until the next stage. */
  readonly waitMs: number;
}

/** Together well below the five seconds that an abort may take. */
export const CANCEL_STAGES: readonly StopStage[] = [
  { signal: 'SIGINT', waitMs: 1_000 },
  { signal: 'SIGTERM', waitMs: 1_000 },
  { signal: 'SIGKILL', waitMs: 1_000 },
];

export const DISPOSE_STAGES: readonly StopStage[] = [
  { signal: 'SIGTERM', waitMs: 300 },
  { signal: 'SIGKILL', waitMs: 2_000 },
];

const POLL_MS = 10;

/**
 * Signals all processes that `find` returns until it returns none. Each gets one signal per stage, because programs treat a second
 * SIGINT as impatience; in the last stage, remaining processes are signalled again.
 *
 * Returns whether none is left.
 */
export async function stopProcesses(
  find: () => Promise<readonly number[]>,
  stages: readonly StopStage[],
): Promise<boolean> {
  for (const { signal, waitMs } of stages) {
    const deadline = performance.now() + waitMs;
    const signalled = new Set<number>();
    do {
      const found = await find();
      if (found.length === 0) return true;
      for (const pid of found) {
        if (signalled.has(pid) && signal !== 'SIGKILL') continue;
        signalled.add(pid);
        sendSignal(pid, signal);
      }
      // Checking known processes is cheap; searching for new ones isn't.
      do await delay(POLL_MS);
      while (found.some(isRunning) && performance.now() < deadline);
    } while (performance.now() < deadline);
  }
  return (await find()).length === 0;
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended meanwhile, or isn't ours any more (a setuid program).
  }
}
