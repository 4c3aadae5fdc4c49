import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutputBatcher } from '../../../src/agents/shell/outputBatcher.js';

function setUp() {
  const calls: string[] = [];
  const batcher = new OutputBatcher({
    emit: (output) => calls.push(output.length > 10 ? String(output.length) : output),
    pause: () => calls.push('pause'),
    resume: () => calls.push('resume'),
  });
  return { batcher, calls };
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

  it('flushes at the end, leaves no timer, and drops what comes later', () => {
    const { batcher, calls } = setUp();
    batcher.push('x'.repeat(20_000));
    batcher.push('end');
    batcher.end();
    batcher.push('late');
    expect([calls, vi.getTimerCount()]).toEqual([['pause', '20000', 'end'], 0]);
  });
});
