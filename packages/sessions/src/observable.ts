import { type Disposable, type Observable, reportFailure } from '@agenthost/client';
import { batch, effect, signal, untracked } from '@preact/signals-core';

/** An observable that its owner sets. Setting the value that it has tells nobody. */
export interface SettableObservable<T> extends Observable<T> {
  set(value: T): void;
}

/** Several changes as one: listeners are told when `change` has returned, once each. */
export function transaction<T>(change: () => T): T {
  return batch(change);
}

export function observable<T>(initial: T): SettableObservable<T> {
  const cell = signal(initial);
  return {
    get value() {
      return cell.value;
    },
    set: (value) => {
      cell.value = value;
    },
    subscribe: (listener) => follow(() => cell.value, listener),
  };
}

/**
 * An observable that is computed from others of this package, whichever `compute` reads. Nothing is computed and nothing
 * followed unless somebody reads or listens: a list of 10,000 sessions has ten of these each. `same` keeps the reference of
 * a value that is computed anew and means the same.
 */
export function computed<T>(compute: () => T, same: (a: T, b: T) => boolean = Object.is): Observable<T> {
  let last: { readonly value: T } | undefined;
  const read = (): T => {
    const value = compute();
    if (last === undefined || !same(last.value, value)) last = { value };
    return last.value;
  };
  return {
    get value() {
      return read();
    },
    subscribe: (listener) => follow(read, listener),
  };
}

/** Never changes. */
export function constant<T>(value: T): Observable<T> {
  return { value, subscribe: () => ({ dispose: () => {} }) };
}

/** One of another package, such that `computed` notices when it changes. */
export function tracked<T>(source: Observable<T>): Observable<T> {
  let following: Disposable | undefined;
  const changes = signal(0, {
    watched: () => {
      following = source.subscribe(() => {
        changes.value = changes.peek() + 1;
      });
    },
    unwatched: () => following?.dispose(),
  });
  return {
    get value() {
      void changes.value;
      return source.value;
    },
    subscribe: (listener) => source.subscribe(listener),
  };
}

export function sameDate(a: Date | undefined, b: Date | undefined): boolean {
  return a?.getTime() === b?.getTime();
}

export function sameItems<T>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function follow<T>(read: () => T, listener: (value: T) => void): Disposable {
  let told: { readonly value: T } | undefined;
  const tell = (value: T) => {
    try {
      listener(value);
    } catch (error) {
      reportFailure(error);
    }
  };
  // Untracked: whoever subscribes while something is computed must not make that depend on this.
  const dispose = untracked(() =>
    effect(() => {
      const value = read();
      const isFirst = told === undefined;
      if (!isFirst && Object.is(told?.value, value)) return;
      told = { value };
      if (!isFirst) untracked(() => tell(value));
    }),
  );
  return { dispose };
}
