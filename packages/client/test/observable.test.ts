import { describe, expect, it, vi } from 'vitest';
import { derived, firstValue, ObservableValue } from '../src/observable.js';

describe('observable', () => {
  it('calls on change only, until disposed', () => {
    const value = new ObservableValue(1, vi.fn());
    const listener = vi.fn();
    const subscription = value.subscribe(listener);
    value.set(1);
    value.set(2);
    subscription.dispose();
    value.set(3);
    expect([listener.mock.calls, value.value]).toEqual([[[2]], 3]);
  });

  it('a listener that throws does not affect others', () => {
    const reportError = vi.fn();
    const value = new ObservableValue(1, reportError);
    const error = new Error('on purpose');
    value.subscribe(() => {
      throw error;
    });
    const listener = vi.fn();
    value.subscribe(listener);
    value.set(2);
    expect([listener.mock.calls, reportError.mock.calls]).toEqual([[[2]], [[error]]]);
  });

  it('never shows an older value after a newer one', () => {
    const value = new ObservableValue(1, vi.fn());
    value.subscribe((now) => {
      if (now === 2) value.set(3);
    });
    const seen: number[] = [];
    value.subscribe((now) => seen.push(now));
    value.set(2);
    expect(new Set(seen)).toEqual(new Set([3]));
  });

  it('derives once per value and emits only changed results', () => {
    const source = new ObservableValue(1, vi.fn());
    const select = vi.fn((value: number) => value % 2);
    const odd = derived(source, select);
    const seen: number[] = [];
    odd.subscribe((value) => seen.push(value));
    source.set(3);
    source.set(4);
    expect([odd.value, odd.value, seen, select.mock.calls.length]).toEqual([0, 0, [0], 3]);
  });

  it('waits for a value', async () => {
    const source = new ObservableValue(1, vi.fn());
    const two = firstValue(source, (value) => value === 2);
    const failing = firstValue(source, (value) => {
      if (value === 2) throw new Error('not two');
      return false;
    });
    source.set(2);
    expect(await two).toBe(2);
    await expect(failing).rejects.toThrow('not two');
    await expect(firstValue(source, () => false, AbortSignal.abort(new Error('over')))).rejects.toThrow('over');
  });
});
