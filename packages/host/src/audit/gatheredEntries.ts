const GATHER_MS = 10 * 60_000;
const MAX_KINDS = 200;

interface Gathered<T> {
  readonly entry: T;
  count: number;
}

/**
 * For what anyone can cause at will, such as wrong tokens or a device that comes back every second: the first is recorded at once, the
 * others of ten minutes as one entry with their count.
 */
export class GatheredEntries<T> {
  readonly #record: (entry: T, count: number) => void;
  readonly #kinds = new Map<string, Gathered<T>>();
  readonly #gatherMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(record: (entry: T, count: number) => void, gatherMs = GATHER_MS) {
    this.#record = record;
    this.#gatherMs = gatherMs;
  }

  /** `others` is what is recorded when there are too many kinds. */
  add(kind: string, entry: T, others: T): void {
    const isKnown = this.#kinds.has(kind) || this.#kinds.size < MAX_KINDS;
    const [key, kept] = isKnown ? [kind, entry] : ['', others];
    const found = this.#kinds.get(key);
    if (found) found.count++;
    else {
      this.#kinds.set(key, { entry: kept, count: 0 });
      this.#record(kept, 1);
    }
    this.#timer ??= setInterval(() => this.#tell(), this.#gatherMs).unref();
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#tell();
    this.#kinds.clear();
  }

  #tell(): void {
    for (const [key, gathered] of this.#kinds) {
      if (gathered.count === 0) this.#kinds.delete(key);
      else this.#record(gathered.entry, gathered.count);
      gathered.count = 0;
    }
    if (this.#kinds.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
