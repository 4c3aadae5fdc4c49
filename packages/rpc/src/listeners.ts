import type { Disposable } from './disposable.js';

interface Entry<T> {
  readonly call: (value: T) => void;
  isActive: boolean;
}

/** A list of listeners, each of which may throw without harm to the others. */
export class Listeners<T> {
  // Replaced, never changed, so that what is being told keeps its list. Wrapped, so that the same function added twice is two.
  #entries: readonly Entry<T>[] = [];
  readonly #onListenerError: ((error: unknown) => void) | undefined;

  constructor(onListenerError?: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
  }

  add(listener: (value: T) => void): Disposable {
    const entry = { call: listener, isActive: true };
    this.#entries = [...this.#entries, entry];
    return {
      dispose: () => {
        entry.isActive = false;
        this.#entries = this.#entries.filter((other) => other !== entry);
      },
    };
  }

  emit(value: T): void {
    for (const entry of this.#entries) {
      // One that an earlier listener disposed must not be called any more.
      if (!entry.isActive) continue;
      try {
        entry.call(value);
      } catch (error) {
        this.#reportSafely(error);
      }
    }
  }

  clear(): void {
    for (const entry of this.#entries) entry.isActive = false;
    this.#entries = [];
  }

  #reportSafely(error: unknown): void {
    try {
      this.#onListenerError?.(error);
    } catch {
      // The hook is the last one to tell.
    }
  }
}
