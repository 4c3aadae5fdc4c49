import { afterEach, describe, expect, it, vi } from 'vitest';
import { Emitter } from '../src/index.js';

afterEach(() => vi.restoreAllMocks());

describe('Emitter', () => {
  it('calls listeners in the order in which they were added, the same function once for each time that it was added', () => {
    const emitter = new Emitter<number>();
    const calls: string[] = [];
    const twice = (value: number) => calls.push(`twice ${value}`);
    const first = emitter.event(twice);
    emitter.event((value) => calls.push(`other ${value}`));
    emitter.event(twice);
    emitter.fire(1);
    first.dispose();
    first.dispose();
    emitter.fire(2);
    expect(calls).toEqual(['twice 1', 'other 1', 'twice 1', 'other 2', 'twice 2']);
  });

  it('calls neither a listener that is added nor one that is disposed while it fires', () => {
    const emitter = new Emitter<number>();
    const calls: string[] = [];
    emitter.event((value) => {
      calls.push(`first ${value}`);
      second.dispose();
      emitter.event((later) => calls.push(`added ${later}`));
    });
    const second = emitter.event((value) => calls.push(`second ${value}`));
    emitter.fire(1);
    expect(calls).toEqual(['first 1']);
    emitter.fire(2);
    expect(calls).toEqual(['first 1', 'first 2', 'added 2']);
  });

  it('fires again from within a listener', () => {
    const emitter = new Emitter<number>();
    const calls: number[] = [];
    emitter.event((value) => {
      if (value < 3) emitter.fire(value + 1);
    });
    emitter.event((value) => calls.push(value));
    emitter.fire(1);
    expect(calls).toEqual([3, 2, 1]);
  });

  it('reports what a listener throws and calls the others, also when the report throws', () => {
    const report = vi.fn(() => {
      throw new Error('the report failed');
    });
    const emitter = new Emitter<number>(report);
    const error = new Error('on purpose');
    const other = vi.fn();
    emitter.event(() => {
      throw error;
    });
    emitter.event(other);
    emitter.fire(1);
    expect([report.mock.calls, other.mock.calls]).toEqual([[[error]], [[1]]]);
  });

  it('reports on the console where nothing else is given', () => {
    const shown = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const emitter = new Emitter<void>();
    emitter.event(() => {
      throw new Error('on purpose');
    });
    emitter.fire();
    expect(shown).toHaveBeenCalledOnce();
  });

  it('forgets its listeners with clear, also those of a running fire', () => {
    const emitter = new Emitter<number>();
    const calls: number[] = [];
    emitter.event(() => emitter.clear());
    emitter.event((value) => calls.push(value));
    emitter.fire(1);
    emitter.fire(2);
    expect([calls, emitter.hasListeners]).toEqual([[], false]);
  });
});
