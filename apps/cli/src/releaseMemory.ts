import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

const SETTLE_MS = 2_000;

/**
 * Gives back what only the start needed: loading a host takes twice the heap that it then lives on, and V8 keeps empty pages
 * for as long as nothing happens, which is what a host does most of its life. Some ten milliseconds, once.
 */
export function releaseMemorySoon(): void {
  setTimeout(releaseMemory, SETTLE_MS).unref();
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
