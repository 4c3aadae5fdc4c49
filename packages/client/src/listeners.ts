import type { Disposable } from '@agenthost/rpc';

/** Told of what has no caller to be told to. Must not throw. */
export type ReportError = (error: unknown) => void;

/** Listeners that are called one after the other, each of which may throw without harm to the others. */
export class Listeners<T> {
  readonly #reportError: ReportError;
  // Wrapped, so that the same function added twice is two listeners.
  readonly #entries = new Set<{ readonly call: (value: T) => void }>();

  constructor(reportError: ReportError) {
    this.#reportError = reportError;
  }

  get size(): number {
    return this.#entries.size;
  }

  add(listener: (value: T) => void): Disposable {
    const entry = { call: listener };
    this.#entries.add(entry);
    return { dispose: () => this.#entries.delete(entry) };
  }

  /** `read` is called for each listener: where one changes the value, the next ones see the newest. */
  emit(read: () => T): void {
    for (const entry of [...this.#entries]) {
      // One that an earlier listener disposed must not be called any more.
      if (!this.#entries.has(entry)) continue;
      try {
        entry.call(read());
      } catch (error) {
        this.#reportError(error);
      }
    }
  }
}
