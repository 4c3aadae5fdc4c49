import { MAX_LIST_LIMIT, type SessionSummary, type URI } from '@agenthost/protocol';

/** More than anybody can watch: the place of a removed session is taken by one that is known. */
export const KEPT = MAX_LIST_LIMIT + 100;

/** Where a session was before a change, and where it is after it; from 0, `Infinity` for nowhere. */
export interface Move {
  readonly before: number;
  readonly after: number;
}

const NOWHERE = Number.POSITIVE_INFINITY;

/** The newest of all sessions, in the order of a list. */
export class NewestSessions {
  /** The newest first. */
  #order: SessionSummary[] = [];
  readonly #known = new Map<URI, SessionSummary>();
  /** There are older ones, which are not kept. */
  #hasOlder = true;

  get all(): readonly SessionSummary[] {
    return this.#order;
  }

  /** Some that were removed, or became old, have left a gap at the end, which only a list can fill. */
  get isShort(): boolean {
    return this.#hasOlder && this.#order.length < MAX_LIST_LIMIT;
  }

  get(resource: URI): SessionSummary | undefined {
    return this.#known.get(resource);
  }

  replace(summaries: Iterable<SessionSummary>, hasOlder: boolean): void {
    const sorted = [...summaries].sort(newerFirst);
    this.#order = sorted.slice(0, KEPT);
    this.#hasOlder = hasOlder || sorted.length > KEPT;
    this.#known.clear();
    for (const summary of this.#order) this.#known.set(summary.resource, summary);
  }

  put(summary: SessionSummary): Move {
    const known = this.#known.get(summary.resource);
    const before = this.#takeOut(summary.resource);
    const after = this.#placeOf(summary);
    // Behind the last one there may be others that are newer; not than one that was among these, and has not become older.
    const mayBeBehind = known === undefined || newerFirst(known, summary) < 0;
    if (after === this.#order.length && this.#hasOlder && mayBeBehind) return { before, after: NOWHERE };
    this.#order.splice(after, 0, summary);
    this.#known.set(summary.resource, summary);
    if (this.#order.length > KEPT) {
      const last = this.#order.pop();
      if (last) this.#known.delete(last.resource);
      this.#hasOlder = true;
    }
    return { before, after: after < KEPT ? after : NOWHERE };
  }

  remove(resource: URI): Move {
    return { before: this.#takeOut(resource), after: NOWHERE };
  }

  #takeOut(resource: URI): number {
    const summary = this.#known.get(resource);
    if (!summary) return NOWHERE;
    const place = this.#placeOf(summary);
    this.#order.splice(place, 1);
    this.#known.delete(resource);
    return place;
  }

  /** How many are newer. */
  #placeOf(summary: SessionSummary): number {
    let [from, to] = [0, this.#order.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.#order[middle];
      if (other && newerFirst(other, summary) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** The order of `listSessions`. */
function newerFirst(a: SessionSummary, b: SessionSummary): number {
  if (a.modifiedAt !== b.modifiedAt) return b.modifiedAt - a.modifiedAt;
  return a.resource < b.resource ? 1 : a.resource > b.resource ? -1 : 0;
}
