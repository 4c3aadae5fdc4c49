import type { HostLog } from '../hostLog.js';

const EVERY_MS = 60_000;
/** Maximum number of distinct kinds; the log gets no more lines than these per minute. */
const MAX_KINDS = 20;

/** For warnings that anyone can cause at will: the first is logged at once, later ones once a minute with their count. */
export class GatheredWarnings {
  readonly #log: HostLog;
  readonly #everyMs: number;
  /** How often each kind came since it was last logged. */
  readonly #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: HostLog, everyMs = EVERY_MS) {
    this.#log = log;
    this.#everyMs = everyMs;
  }

  /** `whenMany` is logged instead when too many kinds came within the minute. */
  warn(message: string, whenMany: string): void {
    const kind = this.#counts.has(message) || this.#counts.size < MAX_KINDS ? message : whenMany;
    const count = this.#counts.get(kind);
    this.#counts.set(kind, count === undefined ? 0 : count + 1);
    if (count === undefined) this.#log.warn(kind);
    this.#timer ??= setInterval(() => this.#tell(), this.#everyMs).unref();
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#tell();
  }

  #tell(): void {
    for (const [kind, count] of this.#counts) {
      if (count > 0) this.#log.warn(`${kind} (${count} more in the last minute)`);
      // A kind that continues is logged with its count again; one that has stopped starts over.
      if (count > 0) this.#counts.set(kind, 0);
      else this.#counts.delete(kind);
    }
    if (this.#counts.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
