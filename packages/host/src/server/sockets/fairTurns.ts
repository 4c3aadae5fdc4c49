/** How long others wait at most for one tick's work. */
const BUDGET_MS = 4;
/** Minimum cost of a turn: its consequences run after it, at the end of the tick. */
const LEAST_MS = 0.1;

/** Does some work, and returns whether there is more. */
export type Turn = () => boolean;

/**
 * Runs the work of connections in turn, first among groups, then within each, so that a client that sends much delays only itself,
 * however many connections it has. After a few milliseconds the rest waits for a later tick. The order within one work is kept.
 */
export class FairTurns {
  readonly #waiting = new Map<string, Set<Turn>>();
  #spentMs = 0;
  #isScheduled = false;

  /** Starts at once when no other work waits. */
  begin(group: string, turn: Turn): void {
    let hasMore = true;
    while (hasMore && this.#waiting.size === 0 && this.#spentMs < BUDGET_MS) hasMore = this.#run(turn);
    if (hasMore) this.later(group, turn);
    else this.#schedule();
  }

  later(group: string, turn: Turn): void {
    const turns = this.#waiting.get(group) ?? new Set<Turn>();
    this.#waiting.set(group, turns.add(turn));
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#spentMs = 0;
      this.#runWaiting();
    });
  }

  #runWaiting(): void {
    try {
      while (this.#waiting.size > 0 && this.#spentMs < BUDGET_MS) this.#runNext();
    } finally {
      // Also after a turn that threw: the others continue.
      if (this.#waiting.size > 0) this.#schedule();
    }
  }

  #runNext(): void {
    const [next] = this.#waiting;
    if (!next) return;
    const [group, turns] = next;
    const [turn] = turns;
    this.#waiting.delete(group);
    if (!turn) return;
    turns.delete(turn);
    if (turns.size > 0) this.#waiting.set(group, turns);
    if (this.#run(turn)) this.later(group, turn);
  }

  #run(turn: Turn): boolean {
    const began = performance.now();
    try {
      return turn();
    } finally {
      this.#spentMs += Math.max(performance.now() - began, LEAST_MS);
    }
  }
}
