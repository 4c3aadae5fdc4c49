import type { URI } from '@agenthost/protocol';

/** For so long a client that can't be told which session failed is asked to try again. */
export const LOAD_PATIENCE_MS = 60_000;
const MAX_REMEMBERED = 1_000;

/** Sessions that are there but can't be loaded, and since when. */
export class LoadFailures {
  readonly #now: () => number;
  /** Those that failed longest ago first. */
  readonly #failing = new Map<URI, { readonly since: number; readonly last: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Notes a failure. Whether the session has been failing for longer than anybody should wait for. */
  add(uri: URI): boolean {
    const now = this.#now();
    const before = this.#failing.get(uri);
    // Nobody has asked for a long time: that it fails again is another failure.
    const since = before && now - before.last < LOAD_PATIENCE_MS ? before.since : now;
    this.#failing.delete(uri);
    this.#failing.set(uri, { since, last: now });
    const [oldest] = this.#failing.keys();
    if (this.#failing.size > MAX_REMEMBERED && oldest !== undefined) this.#failing.delete(oldest);
    return now - since >= LOAD_PATIENCE_MS;
  }

  delete(uri: URI): void {
    this.#failing.delete(uri);
  }
}
