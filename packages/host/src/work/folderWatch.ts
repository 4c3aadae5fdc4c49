/** How long the folder is looked after, counted from the last time that somebody asked for it. */
const LEASE_MS = 60_000;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 30_000;
/** A look takes at most this part of the time. */
const PART = 12;

export interface FolderWatchOptions {
  /** What tells one state of the folder from another. */
  readonly look: () => Promise<string>;
  readonly onChanged: () => void;
  readonly leaseMs?: number;
  readonly shortestMs?: number;
}

/** Looks again and again whether files have changed, as long as somebody wants to know it. The slower a look, the rarer. */
export class FolderWatch {
  readonly #options: FolderWatchOptions;
  #until = 0;
  #seen: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #isClosed = false;

  constructor(options: FolderWatchOptions) {
    this.#options = options;
  }

  get isActive(): boolean {
    return !this.#isClosed && performance.now() < this.#until;
  }

  /** Somebody looks at the folder. */
  extend(): void {
    if (this.#isClosed) return;
    this.#until = performance.now() + (this.#options.leaseMs ?? LEASE_MS);
    if (!this.#isLooking) this.#timer ??= this.#next(0);
  }

  /** What the last answer told: a change is one from there. */
  told(state: string): void {
    this.#seen = state;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  #next(tookMs: number): NodeJS.Timeout {
    const { shortestMs = SHORTEST_MS } = this.#options;
    const pause = Math.min(Math.max(tookMs * PART, shortestMs), LONGEST_MS);
    return setTimeout(() => void this.#look(), pause).unref();
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    if (!this.isActive) return;
    this.#isLooking = true;
    const began = performance.now();
    // A folder that can't be looked at now is looked at later.
    const state = await this.#options.look().catch(() => this.#seen);
    this.#isLooking = false;
    if (this.#isClosed) return;
    const isNew = state !== this.#seen;
    this.#seen = state;
    this.#timer = this.#next(performance.now() - began);
    if (isNew) this.#options.onChanged();
  }
}
