import type { URI } from '@agenthost/protocol';
import { dropOldest } from '@agenthost/protocol/internal';

/** For this long, a client of a version without `failed` is asked to try again. */
export const LOAD_PATIENCE_MS = 60_000;
const MAX_REMEMBERED = 1_000;

/** Sessions that exist but can't be loaded, and since when. */
export class LoadFailures {
  readonly #now: () => number;
  /** The oldest failure first. */
  readonly #failing = new Map<URI, { readonly since: number; readonly last: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Notes a failure. Returns whether the session has failed for longer than a client should wait. */
  add(uri: URI): boolean {
    const now = this.#now();
    const before = this.#failing.get(uri);
    // No client has asked for a long time: this counts as a new failure.
    const since = before && now - before.last < LOAD_PATIENCE_MS ? before.since : now;
    this.#failing.delete(uri);
    this.#failing.set(uri, { since, last: now });
    dropOldest(this.#failing, MAX_REMEMBERED);
    return now - since >= LOAD_PATIENCE_MS;
  }

  delete(uri: URI): void {
    this.#failing.delete(uri);
  }
}
