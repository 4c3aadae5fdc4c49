import { describe, expect, it } from 'vitest';
import { Backpressure } from '../../../src/sessions/turn/backpressure.js';

function setUp() {
  const calls: string[] = [];
  const world = { waiting: 0, relief: Promise.withResolvers<void>() };
  const sink = {
    get waitingBytes() {
      return world.waiting;
    },
    relieved: () => world.relief.promise,
    storageFailed: (error: unknown) => void calls.push(`failed: ${(error as Error).message}`),
  };
  const limits = { high: 100, low: 10, max: 1_000 };
  const backpressure = new Backpressure(sink, () => calls.push('overflow'), limits);
  const source = { pause: () => void calls.push('pause'), resume: () => void calls.push('resume') };
  const relieve = async (waiting: number) => {
    const { resolve } = world.relief;
    world.relief = Promise.withResolvers();
    world.waiting = waiting;
    resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { backpressure, source, world, calls, relieve };
}

describe('Backpressure', () => {
  it('pauses the source while much waits, and resumes it when little does', async () => {
    const { backpressure, source, world, calls, relieve } = setUp();
    world.waiting = 100;
    backpressure.check(source);
    expect(calls).toEqual([]);
    world.waiting = 101;
    backpressure.check(source);
    backpressure.check(source);
    expect(calls).toEqual(['pause']);
    await relieve(50);
    expect(calls).toEqual(['pause']);
    await relieve(10);
    expect(calls).toEqual(['pause', 'resume']);
    world.waiting = 101;
    backpressure.check(source);
    expect(calls).toEqual(['pause', 'resume', 'pause']);
  });

  it('releases it at once when its output is no longer kept', async () => {
    const { backpressure, source, world, calls, relieve } = setUp();
    world.waiting = 500;
    backpressure.check(source);
    backpressure.release();
    await relieve(400);
    expect(calls).toEqual(['pause', 'resume']);
  });

  it('reports a source that can not be paused, or continues', () => {
    const { backpressure, world, calls } = setUp();
    world.waiting = 1_000;
    backpressure.check({});
    expect(calls).toEqual([]);
    world.waiting = 1_001;
    backpressure.check({});
    expect(calls).toEqual(['overflow']);
  });

  it('reports when nothing can be stored', async () => {
    const { backpressure, source, world, calls } = setUp();
    world.waiting = 500;
    backpressure.check(source);
    world.relief.reject(new Error('disk full'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(calls).toEqual(['pause', 'failed: disk full', 'resume']);
  });
});
