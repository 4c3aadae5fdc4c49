import type { HostLog } from '../hostLog.js';

const EVERY_MS = 60_000;
/** Kinds that are told apart; the log has no more lines than these in a minute, whatever happens. */
const MAX_KINDS = 20;

/** For what anybody can cause as often as they like: the first time is told at once, what follows once a minute with its number. */
export class GatheredWarnings {
  readonly #log: HostLog;
  readonly #everyMs: number;
  /** How often each kind came since it was told last. */
  readonly #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: HostLog, everyMs = EVERY_MS) {
    this.#log = log;
    this.#everyMs = everyMs;
  }

  /** `whenMany` is told instead when too many kinds came within the minute. */
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
      // One that goes on is told with its number again; one that has stopped begins anew.
      if (count > 0) this.#counts.set(kind, 0);
      else this.#counts.delete(kind);
    }
    if (this.#counts.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
