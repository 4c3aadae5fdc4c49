import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

const LOOK_MS = 2_000;
/** A host that uses less of a core than this is quiet: nobody waits for it. A client that pings ten times a second takes more. */
const QUIET_LOAD = 0.005;
/** What must have come since the last time for it to be worth some ten milliseconds. */
const WORTH_BYTES = 24 * 1024 * 1024;

/**
 * Gives back what only the start, or a burst, needed: V8 keeps twice what is alive, and the pages of a nursery that grew with
 * the load, for as long as nothing happens, which is what a host does most of its life. It stops the host for some 60 ms, so it
 * waits until nobody asks for anything.
 */
export function releaseWhenQuiet(release: () => void = releaseMemory): void {
  let used = process.cpuUsage();
  let kept: number | undefined;
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    used = process.cpuUsage();
    const isQuiet = user + system <= LOOK_MS * 1_000 * QUIET_LOAD;
    // The first time it is worth it in any case: there is what the start has left.
    const isWorthIt = kept === undefined || (residentBytes() ?? 0) - kept >= WORTH_BYTES;
    if (!isQuiet || !isWorthIt) return;
    release();
    kept = residentBytes() ?? kept;
    // What it took itself is not what somebody asked for.
    used = process.cpuUsage();
  }, LOOK_MS);
  timer.unref();
}

/**
 * Lets the heap grow by half of what is alive before it is collected, not to several times of it: many sessions that are loaded one
 * after the other would take hundreds of megabytes. What a flood costs does not change measurably.
 */
export function limitGarbage(): void {
  setFlagsFromString('--heap-growing-percent=50');
}

/** `undefined` where it can't be known right now: it is read from a file, and there may be no descriptor left to open it. */
function residentBytes(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch {
    return undefined;
  }
}

/** False where this engine has no such thing. */
export function releaseMemory(): boolean {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect !== 'function') return false;
  (collect as Collect)({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  return true;
}
