import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

const LOOK_MS = 2_000;
/** A host below this CPU usage is quiet: no client waits for it. A client that pings ten times a second takes more. */
const QUIET_LOAD = 0.005;
/** How much must have been allocated since the last time to be worth some ten milliseconds. */
const WORTH_BYTES = 24 * 1024 * 1024;

/**
 * Returns memory that only the start, or a burst, needed: V8 keeps twice the live memory, and the pages of a nursery that grew with
 * the load, while nothing happens, which is most of a host's life. It stops the host for some 60 ms, so it waits for a
 * quiet moment.
 */
export function releaseWhenQuiet(release: () => void = releaseMemory): void {
  let used = process.cpuUsage();
  let kept: number | undefined;
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    const isQuiet = user + system <= LOOK_MS * 1_000 * QUIET_LOAD;
    // The first time it always pays off: it frees what the start has left.
    const isWorthIt = kept === undefined || (residentBytes() ?? 0) - kept >= WORTH_BYTES;
    if (!isQuiet || !isWorthIt) return;
    release();
    kept = residentBytes() ?? kept;
    // Its own cost doesn't count as activity.
    used = process.cpuUsage();
  }, LOOK_MS);
  timer.unref();
}

/**
 * Lets the heap grow by half of the live memory before a collection, not to several times of it: many sessions that are loaded one
 * after the other would take hundreds of megabytes. The cost of a flood does not change measurably.
 */
export function limitGarbage(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

/** `undefined` when it can't be read now: it comes from a file, and there may be no descriptor left to open it. */
function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

/** False if this engine doesn't support it. */
export function releaseMemory(): boolean {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') return false;
  (collect as Collect)({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  return true;
}
