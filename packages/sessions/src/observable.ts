import type { Disposable, Observable } from '@agenthost/client';
import { reportFailure } from '@agenthost/client/internal';
import { batch, effect, signal, untracked } from '@preact/signals-core';

/** An observable that its owner sets. Setting the same value calls no listener. */
export interface SettableObservable<T> extends Observable<T> {
  set(value: T): void;
}

/**
 * Makes several changes as one: listeners are called once each, when `change` has returned.
 *
 * @example
 * ```ts
 * const [title, isRead] = [observable('a'), observable(false)];
 * transaction(() => {
 *   title.set('b');
 *   isRead.set(true);
 * });
 * ```
 */
export function transaction<T>(change: () => T): T {
  return batch(change);
}

/**
 * Makes an observable that its owner sets.
 *
 * @example
 * ```ts
 * const title = observable('Untitled');
 * const following = title.subscribe((value) => console.log(value));
 * title.set('Buy milk');
 * following.dispose();
 * ```
 */
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
 * An observable that is computed from the observables of this package that `compute` reads. Nothing is computed unless it is read or
 * has a listener: a list of 10,000 sessions has ten of these each. `same` keeps the reference of a new value that means the same.
 *
 * @example
 * ```ts
 * const [first, last] = [observable('Ada'), observable('Lovelace')];
 * const name = computed(() => `${first.value} ${last.value}`);
 * name.subscribe((value) => console.log(value));
 * first.set('Augusta');
 * ```
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

/**
 * An observable that never changes.
 *
 * @example
 * ```ts
 * const loading = constant(false);
 * ```
 */
export function constant<T>(value: T): Observable<T> {
  return { value, subscribe: () => ({ dispose: () => {} }) };
}

/**
 * Wraps an observable of another package, such as the SDK, so that `computed` notices when it changes.
 *
 * @example
 * ```ts
 * const root = tracked(host.root.state);
 * const agents = computed(() => root.value.agents.length);
 * ```
 */
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
  // Untracked: a subscription made inside a computation must not make the computation depend on this value.
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
