import { describe, expect, it, vi } from 'vitest';
import { READY, type ThreadRequest, type ThreadWorker, WorkerThread } from '../src/markdown/workerThread.js';

/** A worker that answers when the test says so. */
class FakeWorker implements ThreadWorker<string, string> {
  readonly requests: ThreadRequest<string>[] = [];
  readonly #listeners = new Map<string, (event: never) => void>();
  isTerminated = false;

  postMessage(request: ThreadRequest<string>): void {
    this.requests.push(request);
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, listener);
  }

  answer(at: number, text: string): void {
    const data = { id: this.requests[at]?.id, answer: text };
    this.#listeners.get('message')?.({ data } as never);
  }

  load(): void {
    this.#listeners.get('message')?.({ data: READY } as never);
  }

  fail(): void {
    this.#listeners.get('error')?.({} as never);
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

function threadOf(mostMs = 1_000) {
  const workers: FakeWorker[] = [];
  const thread = new WorkerThread<string, string>(
    () => {
      const worker = new FakeWorker();
      workers.push(worker);
      return worker;
    },
    { mostMs },
  );
  return { thread, workers };
}

describe('a thread', () => {
  it('gives its worker one request at a time', async () => {
    const { thread, workers } = threadOf();
    const [first, second] = [thread.run('a'), thread.run('b')];
    expect(workers[0]?.requests.map(({ asked }) => asked)).toEqual(['a']);
    workers[0]?.answer(0, 'A');
    expect(await first).toBe('A');
    workers[0]?.answer(1, 'B');
    expect([await second, workers.length]).toEqual(['B', 1]);
  });

  it('ends a worker that takes too long, and continues with another', async () => {
    vi.useFakeTimers();
    try {
      const { thread, workers } = threadOf(1_000);
      const [first, second] = [thread.run('a'), thread.run('b')];
      // The loading time does not count.
      vi.advanceTimersByTime(20_000);
      expect(workers[0]?.isTerminated).toBe(false);
      workers[0]?.load();
      vi.advanceTimersByTime(1_000);
      expect([await first, workers[0]?.isTerminated]).toEqual([undefined, true]);
      workers[0]?.answer(0, 'late');
      workers[1]?.answer(0, 'B');
      expect([await second, workers.length]).toEqual(['B', 2]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('skips cancelled requests, and survives a worker that fails or can not be made', async () => {
    const { thread, workers } = threadOf();
    const stopped = new AbortController();
    const jobs = [thread.run('a'), thread.run('b', stopped.signal), thread.run('c')];
    stopped.abort();
    workers[0]?.fail();
    expect(await jobs[0]).toBeUndefined();
    expect(await jobs[1]).toBeUndefined();
    expect(workers[1]?.requests.map(({ asked }) => asked)).toEqual(['c']);
    const none = new WorkerThread<string, string>(
      () => {
        throw new Error('no workers here');
      },
      { mostMs: 1_000 },
    );
    expect(await none.run('a')).toBeUndefined();
  });

  it('bounds waiting requests: the oldest get no answer', async () => {
    const { thread } = threadOf();
    const jobs = Array.from({ length: 300 }, (_, at) => thread.run(String(at)));
    const settled = await Promise.race([jobs[1], Promise.resolve('waiting')]);
    expect([settled, await Promise.race([jobs[299], Promise.resolve('waiting')])]).toEqual([undefined, 'waiting']);
  });

  it('stops waiting for a worker that never loads', async () => {
    vi.useFakeTimers();
    try {
      const { thread, workers } = threadOf(1_000);
      const first = thread.run('a');
      vi.advanceTimersByTime(30_000);
      expect([await first, workers[0]?.isTerminated]).toEqual([undefined, true]);
    } finally {
      vi.useRealTimers();
    }
  });
});
