import { afterEach, describe, expect, it, vi } from 'vitest';
import { computed, observable, sameDate, tracked, transaction } from '../src/observable.js';

afterEach(() => vi.restoreAllMocks());

describe('observables', () => {
  it('notify listeners of changes, but not of the current or an equal value', () => {
    const source = observable(1);
    const told: number[] = [];
    const following = source.subscribe((value) => told.push(value));
    source.set(1);
    source.set(2);
    source.set(2);
    following.dispose();
    following.dispose();
    source.set(3);
    expect([told, source.value]).toEqual([[2], 3]);
  });

  it('report several changes as one', () => {
    const [a, b] = [observable(1), observable(2)];
    const sum = computed(() => a.value + b.value);
    const told: number[] = [];
    sum.subscribe((value) => told.push(value));
    transaction(() => {
      a.set(10);
      b.set(20);
    });
    transaction(() => {
      a.set(20);
      b.set(10);
    });
    expect(told).toEqual([30]);
  });

  it('compute nothing without subscribers', () => {
    const source = observable(1);
    const compute = vi.fn(() => source.value * 2);
    const doubled = computed(compute);
    source.set(2);
    expect(compute).not.toHaveBeenCalled();
    expect(doubled.value).toBe(4);
    const following = doubled.subscribe(() => {});
    source.set(3);
    following.dispose();
    const calls = compute.mock.calls.length;
    source.set(4);
    expect(compute.mock.calls.length).toBe(calls);
  });

  it('keep the reference of an equal value', () => {
    const time = observable(5);
    const date = computed(() => new Date(time.value), sameDate);
    const first = date.value;
    const told: Date[] = [];
    date.subscribe((value) => told.push(value));
    expect(date.value).toBe(first);
    time.set(6);
    expect(told).toEqual([new Date(6)]);
    expect(date.value).toBe(told[0]);
  });

  it('survive a listener that throws, and report it', () => {
    const reported = vi.spyOn(console, 'error').mockImplementation(() => {});
    const source = observable(1);
    const told: number[] = [];
    source.subscribe(() => {
      throw new Error('a listener that throws on purpose');
    });
    source.subscribe((value) => told.push(value));
    source.set(2);
    expect(told).toEqual([2]);
    expect(reported).toHaveBeenCalledOnce();
  });

  it('do not depend on what a listener or a subscriber reads', () => {
    const [a, b] = [observable(1), observable(1)];
    let calls = 0;
    a.subscribe(() => {
      calls++;
      void b.value;
    });
    a.set(2);
    b.set(2);
    expect(calls).toBe(1);
  });

  it('follow an observable of another package only while there are subscribers', () => {
    const foreign = { value: 1, listeners: new Set<(value: number) => void>() };
    const source = tracked({
      get value() {
        return foreign.value;
      },
      subscribe: (listener: (value: number) => void) => {
        foreign.listeners.add(listener);
        return { dispose: () => foreign.listeners.delete(listener) };
      },
    });
    const doubled = computed(() => source.value * 2);
    const told: number[] = [];
    expect(doubled.value).toBe(2);
    expect(foreign.listeners.size).toBe(0);
    const following = doubled.subscribe((value) => told.push(value));
    foreign.value = 4;
    for (const listener of foreign.listeners) listener(4);
    following.dispose();
    expect([told, foreign.listeners.size]).toEqual([[8], 0]);
    foreign.value = 5;
    expect(doubled.value).toBe(10);
  });
});
