import type { Disposable } from '@agenthost/rpc';

/** Listeners of one kind of event. One that throws is reported as a warning and harms neither the others nor the source. */
export class Listeners<T> {
  // Wrapped, so that the same function added twice is two listeners.
  readonly #entries = new Set<{ readonly call: (value: T) => void }>();

  add(listener: (value: T) => void): Disposable {
    const entry = { call: listener };
    this.#entries.add(entry);
    return { dispose: () => void this.#entries.delete(entry) };
  }

  emit(value: T): void {
    for (const entry of [...this.#entries]) {
      // One that an earlier listener disposed must not be called any more.
      if (!this.#entries.has(entry)) continue;
      try {
        entry.call(value);
      } catch (error) {
        process.emitWarning(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
