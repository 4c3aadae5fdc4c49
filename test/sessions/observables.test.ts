import { computed, constant, type Observable, observable, tracked } from '@agenthost/sessions';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { derived, ObservableValue } from '../../packages/client/src/observable.js';

/** An observable of numbers and a way to change it. ADR 41 says why there are two implementations. */
interface Subject {
  readonly subject: Observable<number>;
  set(value: number): void;
}

const report = () => undefined;
const kinds: Readonly<Record<string, () => Subject>> = {
  'a value of the SDK': () => {
    const value = new ObservableValue(1, report);
    return { subject: value, set: (to) => value.set(to) };
  },
  'what the SDK derives': () => {
    const value = new ObservableValue(1, report);
    return { subject: derived(value, (now) => now), set: (to) => value.set(to) };
  },
  'a value of the sessions layer': () => {
    const value = observable(1);
    return { subject: value, set: (to) => value.set(to) };
  },
  'what the sessions layer computes': () => {
    const value = observable(1);
    return { subject: computed(() => value.value), set: (to) => value.set(to) };
  },
  'what the sessions layer computes from a value of the SDK': () => {
    const value = new ObservableValue(1, report);
    const source = tracked(value);
    return { subject: computed(() => source.value), set: (to) => value.set(to) };
  },
};

afterEach(() => vi.restoreAllMocks());

describe.each(Object.entries(kinds))('%s', (_, create) => {
  it('calls a listener for each new value, not for the current or an equal value, until it is disposed', () => {
    const { subject, set } = create();
    const seen: number[] = [];
    const following = subject.subscribe((value) => seen.push(value));
    set(1);
    set(2);
    set(2);
    following.dispose();
    following.dispose();
    set(3);
    expect([seen, subject.value]).toEqual([[2], 3]);
  });

  it('calls the other listeners when one throws', () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const { subject, set } = create();
    const seen: number[] = [];
    subject.subscribe(() => {
      throw new Error('on purpose');
    });
    subject.subscribe((value) => seen.push(value));
    set(2);
    expect(seen).toEqual([2]);
  });

  it('never shows an older value after a newer one', () => {
    const { subject, set } = create();
    const seen: number[] = [];
    subject.subscribe((value) => {
      if (value === 2) set(3);
    });
    subject.subscribe((value) => seen.push(value));
    set(2);
    expect(new Set(seen)).toEqual(new Set([3]));
  });

  it('does not call a listener that an earlier listener disposed', () => {
    const { subject, set } = create();
    const seen: number[] = [];
    subject.subscribe(() => second.dispose());
    const second = subject.subscribe((value) => seen.push(value));
    set(2);
    expect(seen).toEqual([]);
  });
});

it('a constant never changes', () => {
  const listener = vi.fn();
  constant(1).subscribe(listener).dispose();
  expect([constant(1).value, listener.mock.calls]).toEqual([1, []]);
});

it('a listener of the SDK may change the value a thousand times in a row', () => {
  const value = new ObservableValue(0, (error) => expect.unreachable(String(error)));
  value.subscribe((now) => {
    if (now < 1_000) value.set(now + 1);
  });
  value.set(1);
  expect(value.value).toBe(1_000);
});
