import type { Disposable } from './disposable.js';
import { Listeners } from './listeners.js';
import type { CloseReason } from './transport.js';

/** The one event that happens once: told to each listener exactly once, in a microtask to those who come too late. */
export class CloseEvent {
  readonly #onListenerError: ((error: unknown) => void) | undefined;
  readonly #listeners: Listeners<CloseReason>;
  #reason: CloseReason | undefined;

  constructor(onListenerError?: (error: unknown) => void) {
    this.#onListenerError = onListenerError;
    this.#listeners = new Listeners(onListenerError);
  }

  /** Undefined until the close. */
  get reason(): CloseReason | undefined {
    return this.#reason;
  }

  on(listener: (reason: CloseReason) => void): Disposable {
    const reason = this.#reason;
    if (reason === undefined) return this.#listeners.add(listener);
    const late = new Listeners<CloseReason>(this.#onListenerError);
    queueMicrotask(() => late.emit(reason));
    return late.add(listener);
  }

  /** The first reason counts. */
  tell(reason: CloseReason): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#listeners.emit(reason);
    this.#listeners.clear();
  }
}
