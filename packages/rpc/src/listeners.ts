import type { Disposable } from './disposable.js';

/** A list of listeners, each of which may throw without harm to the others. */
export class Listeners<T> {
  // Wrapped, so that the same function added twice is two listeners.
  readonly #entries = new Set<{ readonly call: (value: T) => void }>();
  readonly #onListenerError: ((error: unknown) => void) | undefined;

  constructor(onListenerError?: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  add(listener: (value: T) => void): Disposable {
    const entry = { call: listener };
    this.#entries.add(entry);
    return { dispose: () => this.#entries.delete(entry) };
  }

  emit(value: T): void {
    for (const entry of [...this.#entries]) {
      // One that an earlier listener disposed must not be called any more.
      if (!this.#entries.has(entry)) continue;
      try {
        entry.call(value);
      } catch (error) {
        this.#reportSafely(error);
      }
    }
  }

  clear(): void {
    this.#entries.clear();
  }

  #reportSafely(error: unknown): void {
    try {
      this.#onListenerError?.(error);
    } catch {
      // The hook is the last one to tell.
    }
  }
}
