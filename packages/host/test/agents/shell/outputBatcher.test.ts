import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutputBatcher } from '../../../src/agents/shell/outputBatcher.js';

function setUp() {
  const calls: string[] = [];
  const source = { isAlive: true };
  const batcher = new OutputBatcher({
    emit: (output) => calls.push(output.length > 10 ? String(output.length) : output),
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
    isAlive: () => source.isAlive,
  });
  return { batcher, calls, source };
}

describe('OutputBatcher', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('gathers for five milliseconds', () => {
    const { batcher, calls } = setUp();
    batcher.push('a');
    vi.advanceTimersByTime(4);
    batcher.push('b');
    expect(calls).toEqual([]);
    vi.advanceTimersByTime(1);
    batcher.push('c');
    expect(calls).toEqual(['ab']);
  });

  it('pauses the source after a full batch, and resumes it', () => {
    const { batcher, calls } = setUp();
    batcher.push('x'.repeat(16_000));
    batcher.push('x'.repeat(1_000));
    expect(calls).toEqual(['pause', '17000']);
    vi.advanceTimersByTime(10);
    expect(calls).toEqual(['pause', '17000', 'resume']);
  });

  it('holds the source until it is released, beyond its own pause', () => {
    const { batcher, calls } = setUp();
    batcher.push('x'.repeat(20_000));
    batcher.hold();
    vi.advanceTimersByTime(1_000);
    expect(calls).toEqual(['pause', '20000', 'pause']);
    batcher.release();
    batcher.release();
    expect([calls, vi.getTimerCount()]).toEqual([['pause', '20000', 'pause', 'resume'], 0]);
  });

  it('releases a source that has ended, and does not pause it again', () => {
    const { batcher, calls, source } = setUp();
    batcher.hold();
    source.isAlive = false;
    vi.advanceTimersByTime(100);
    expect(calls).toEqual(['pause', 'resume']);
    batcher.push('x'.repeat(20_000));
    batcher.hold();
    expect([calls, vi.getTimerCount()]).toEqual([['pause', 'resume', '20000'], 0]);
  });

  it('flushes at the end, leaves no timer, and drops later output', () => {
    const { batcher, calls } = setUp();
    batcher.push('x'.repeat(20_000));
    batcher.push('end');
    batcher.end();
    batcher.push('late');
    expect([calls, vi.getTimerCount()]).toEqual([['pause', '20000', 'end'], 0]);
  });
});
