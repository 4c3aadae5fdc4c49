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
  // Wrapped, so that the same function added twice is two listeners.
  readonly #entries = new Set<Entry<T>>();
  /** The entries as a running `fire` sees them; undefined after a change. */
  #list: readonly Entry<T>[] | undefined;
  readonly #onListenerError: (error: unknown) => void;

  constructor(onListenerError: (error: unknown) => void = reportFailure) {
    this.#onListenerError = onListenerError;
  }

  readonly event: Event<T> = (listener) => {
    const entry = { call: listener };
    this.#entries.add(entry);
    this.#list = undefined;
    return {
      dispose: () => {
        if (this.#entries.delete(entry)) this.#list = undefined;
      },
    };
  };

  get hasListeners(): boolean {
    return this.#entries.size > 0;
  }

  /** Calls the listeners in the order in which they were added; not those that are added or disposed meanwhile. */
  fire(value: T): void {
    this.#list ??= [...this.#entries];
    for (const entry of this.#list) {
      if (!this.#entries.has(entry)) continue;
      try {
        entry.call(value);
      } catch (error) {
        this.#reportSafely(error);
      }
    }
  }

  /** Removes all listeners. */
  clear(): void {
    this.#entries.clear();
    this.#list = undefined;
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

/** The close happens once: each listener is called exactly once, in a microtask when it is added after the close. */
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
