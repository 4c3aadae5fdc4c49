import { type Disposable, Emitter } from '@agenthost/rpc';

/** Gets errors that have no caller to be thrown to. Must not throw. */
export type ReportError = (error: unknown) => void;

/**
 * A value that changes.
 *
 * Contract: `subscribe` does not call the listener with the value of now; read `value` for that. A listener is called when
 * `value` is another one than at the last call, with the newest; it may be spared values in between. One that throws
 * harms no other. A value that did not change keeps its reference.
 */
export interface Observable<T> {
  readonly value: T;
  subscribe(listener: (value: T) => void): Disposable;
}

/** An observable over something that is computed elsewhere. The code that changes it calls `check`. */
export class ObservableView<T> implements Observable<T> {
  readonly #read: () => T;
  readonly #changes: Emitter<void>;
  #told: { readonly value: T } | undefined;

  constructor(read: () => T, reportError: ReportError) {
    this.#read = read;
    this.#changes = new Emitter(reportError);
  }

  get value(): T {
    return this.#read();
  }

  subscribe(listener: (value: T) => void): Disposable {
    if (!this.#changes.hasListeners) this.#told = { value: this.#read() };
    // Read for each listener: where one changes the value, the next ones see the newest.
    return this.#changes.event(() => listener(this.#read()));
  }

  /** Tells the listeners when the value changed. Without listeners nothing is computed. */
  check(): void {
    if (!this.#changes.hasListeners) return;
    const value = this.#read();
    if (this.#told !== undefined && Object.is(this.#told.value, value)) return;
    this.#told = { value };
    this.#changes.fire();
  }
}

/** An observable that holds its value. */
export class ObservableValue<T> extends ObservableView<T> {
  readonly #cell: { value: T };

  constructor(initial: T, reportError: ReportError) {
    const cell = { value: initial };
    super(() => cell.value, reportError);
    this.#cell = cell;
  }

  set(value: T): void {
    this.#cell.value = value;
    this.check();
  }
}

/** `select` is called once for each value of the source; it returns the same reference when nothing changed for it. */
export function derived<S, T>(source: Observable<S>, select: (value: S) => T): Observable<T> {
  let cache: { readonly from: S; readonly value: T } | undefined;
  const read = (): T => {
    const from = source.value;
    if (cache === undefined || !Object.is(cache.from, from)) cache = { from, value: select(from) };
    return cache.value;
  };
  return {
    get value() {
      return read();
    },
    subscribe: (listener) => {
      let told = read();
      return source.subscribe(() => {
        const value = read();
        if (Object.is(told, value)) return;
        told = value;
        listener(value);
      });
    },
  };
}

/** Resolves with the first value that the check wants; rejects when the check throws or the signal aborts. */
export function firstValue<T>(source: Observable<T>, wanted: (value: T) => boolean, signal?: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let subscription: Disposable | undefined;
    const finish = (settle: () => void) => {
      subscription?.dispose();
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    const onAbort = () => finish(() => reject(signal?.reason));
    const check = (): boolean => {
      try {
        const { value } = source;
        if (!wanted(value)) return false;
        finish(() => resolve(value));
      } catch (error) {
        finish(() => reject(error));
      }
      return true;
    };
    if (signal?.aborted) return onAbort();
    if (check()) return;
    subscription = source.subscribe(check);
    signal?.addEventListener('abort', onAbort);
  });
}
