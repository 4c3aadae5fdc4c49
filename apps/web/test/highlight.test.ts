import { describe, expect, it, vi } from 'vitest';
import { boundedTokens } from '../src/markdown/highlightedLines.js';
import { HighlightQueue, type HighlightWorker } from '../src/markdown/highlightQueue.js';
import type { HighlightRequest } from '../src/markdown/highlightWorker.js';
import { languageName } from '../src/markdown/languageName.js';

/** A worker that answers when the test says so. */
class FakeWorker implements HighlightWorker {
  readonly requests: HighlightRequest[] = [];
  readonly #listeners = new Map<string, (event: never) => void>();
  isTerminated = false;

  postMessage(request: HighlightRequest): void {
    this.requests.push(request);
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, listener);
  }

  answer(at: number, text: string): void {
    const data = { id: this.requests[at]?.id, lines: [[{ text, color: undefined }]] };
    this.#listeners.get('message')?.({ data } as never);
  }

  fail(): void {
    this.#listeners.get('error')?.({} as never);
  }

  terminate(): void {
    this.isTerminated = true;
  }
}

function queueOf(mostMs?: number) {
  const workers: FakeWorker[] = [];
  const queue = new HighlightQueue(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  }, mostMs);
  return { queue, workers };
}

const text = (lines: readonly (readonly { readonly text: string }[])[] | undefined) => lines?.[0]?.[0]?.text;

describe('the queue of the highlighter', () => {
  it('gives the worker one piece of code at a time', async () => {
    const { queue, workers } = queueOf();
    const [first, second] = [queue.highlight('a', 'bash'), queue.highlight('b', 'bash')];
    expect(workers[0]?.requests.map(({ code }) => code)).toEqual(['a']);
    workers[0]?.answer(0, 'A');
    expect(text(await first)).toBe('A');
    workers[0]?.answer(1, 'B');
    expect([text(await second), workers.length]).toEqual(['B', 1]);
  });

  it('ends a worker that takes too long, and goes on with another', async () => {
    vi.useFakeTimers();
    try {
      const { queue, workers } = queueOf(1_000);
      const [first, second] = [queue.highlight('a', 'bash'), queue.highlight('b', 'bash')];
      vi.advanceTimersByTime(1_000);
      expect([await first, workers[0]?.isTerminated]).toEqual([undefined, true]);
      workers[0]?.answer(0, 'late');
      workers[1]?.answer(0, 'B');
      expect([text(await second), workers.length]).toEqual(['B', 2]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('leaves out what nobody waits for, and survives a worker that fails or can not be made', async () => {
    const { queue, workers } = queueOf();
    const stopped = new AbortController();
    const jobs = [
      queue.highlight('a', 'bash'),
      queue.highlight('b', 'bash', stopped.signal),
      queue.highlight('c', 'bash'),
    ];
    stopped.abort();
    workers[0]?.fail();
    expect(await jobs[0]).toBeUndefined();
    expect(await jobs[1]).toBeUndefined();
    expect(workers[1]?.requests.map(({ code }) => code)).toEqual(['c']);
    const none = new HighlightQueue(() => {
      throw new Error('no workers here');
    });
    expect(await none.highlight('a', 'bash')).toBeUndefined();
  });

  it('does not gather without end: the oldest get no colours', async () => {
    const { queue } = queueOf();
    const jobs = Array.from({ length: 300 }, (_, at) => queue.highlight(String(at), 'bash'));
    const settled = await Promise.race([jobs[1], Promise.resolve('waiting')]);
    expect([settled, await Promise.race([jobs[299], Promise.resolve('waiting')])]).toEqual([undefined, 'waiting']);
  });
});

describe('coloured lines', () => {
  const token = (content: string, color?: string) => ({ content, ...(color && { color }) });

  it('join neighbours of one colour, and white space with what stands before it', () => {
    expect(boundedTokens([[token('a', 'red'), token('b', 'red'), token('  '), token('c')]])).toEqual([
      [
        { text: 'ab  ', color: 'red' },
        { text: 'c', color: undefined },
      ],
    ]);
  });

  it('are plain after too many spans, and lose no text', () => {
    const lines = Array.from({ length: 10 }, (_, row) => [token(`${row}`, 'red'), token('x', 'blue')]);
    const bounded = boundedTokens(lines, 7);
    expect(bounded.flat().length).toBeLessThanOrEqual(7 + 10);
    expect(bounded.map((line) => line.map(({ text }) => text).join(''))).toEqual(lines.map((_, row) => `${row}x`));
    expect(bounded.at(-1)).toEqual([{ text: '9x', color: undefined }]);
  });
});

describe('the name of a language', () => {
  it.each([
    ['shellscript', 'bash'],
    ['powershell', 'powershell'],
    ['pwsh', 'powershell'],
    ['SH', 'bash'],
    ['ts {1,3}', 'typescript'],
    ['constructor', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('of %j is %j', (language, name) => {
    expect(languageName(language)).toBe(name);
  });
});
