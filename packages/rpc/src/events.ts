import type { CloseReason } from './transport.js';

/** Something that can be ended. Our own type, because not every supported browser has `Symbol.dispose`. Idempotent. */
export interface Disposable {
  dispose(): void;
}

/**
 * Something that happens. A listener is called for what happens after it was added and until it is disposed; one that throws
 * does not stop the others.
 */
export type Event<T> = (listener: (value: T) => void) => Disposable;

interface Entry<T> {
  readonly call: (value: T) => void;
  isActive: boolean;
}

/**
 * The source of an event: the owner keeps the emitter and fires it, others get its `event`. What a listener throws goes to
 * `onListenerError`, by default where the platform reports such errors.
 *
 * @example
 * ```ts
 * const renamed = new Emitter<string>();
 * const following = renamed.event((name) => console.log(name));
 * renamed.fire('Ada');
 * following.dispose();
 * ```
 */
export class Emitter<T> {
  // Replaced, never changed, so that a running `fire` keeps its list. Wrapped, so that the same function added twice is two.
  #entries: readonly Entry<T>[] = [];
  readonly #onListenerError: (error: unknown) => void;

  constructor(onListenerError: (error: unknown) => void = reportFailure) {
    this.#onListenerError = onListenerError;
  }

  readonly event: Event<T> = (listener) => {
    const entry = { call: listener, isActive: true };
    this.#entries = [...this.#entries, entry];
    return {
      dispose: () => {
        entry.isActive = false;
        this.#entries = this.#entries.filter((other) => other !== entry);
      },
    };
  };

  get hasListeners(): boolean {
    return this.#entries.length > 0;
  }

  fire(value: T): void {
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

  /** Removes all listeners. */
  clear(): void {
    for (const entry of this.#entries) entry.isActive = false;
    this.#entries = [];
  }

  #reportSafely(error: unknown): void {
    try {
      this.#onListenerError(error);
    } catch {
      // There is no other place to report to.
    }
  }
}

/** Reports an error that has no caller to throw to, where the platform shows such errors. */
export function reportFailure(error: unknown): void {
  const { reportError } = globalThis as { reportError?: (error: unknown) => void };
  if (reportError) reportError(error);
  else console.error(error);
}

/** The one event that happens once: told to each listener exactly once, in a microtask to those who come too late. */
export class CloseEvent {
  readonly #onListenerError: (error: unknown) => void;
  readonly #listeners: Emitter<CloseReason>;
  #reason: CloseReason | undefined;

  constructor(onListenerError: (error: unknown) => void = () => {}) {
    this.#onListenerError = onListenerError;
    this.#listeners = new Emitter(onListenerError);
  }

  /** Undefined until the close. */
  get reason(): CloseReason | undefined {
    return this.#reason;
  }

  on(listener: (reason: CloseReason) => void): Disposable {
    const reason = this.#reason;
    if (reason === undefined) return this.#listeners.event(listener);
    const late = new Emitter<CloseReason>(this.#onListenerError);
    queueMicrotask(() => late.fire(reason));
    return late.event(listener);
  }

  /** The first reason counts. */
  tell(reason: CloseReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#listeners.fire(reason);
    this.#listeners.clear();
  }
}
