import type { HighlightedLine } from './highlightedLines.js';
import type { HighlightAnswer, HighlightRequest } from './highlightWorker.js';
import type { LanguageName } from './languageName.js';

/** As much of a Worker as is needed. */
export interface HighlightWorker {
  postMessage(request: HighlightRequest): void;
  addEventListener(type: 'message', listener: (event: { readonly data: HighlightAnswer }) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  terminate(): void;
}

interface Job {
  readonly code: string;
  readonly language: LanguageName;
  readonly signal: AbortSignal | undefined;
  readonly settle: (lines: readonly HighlightedLine[] | undefined) => void;
}

/** How long one piece of code may take; the first one waits for the highlighter to be loaded. */
const MOST_MS = 10_000;
/** Beyond that, whoever asked first gets no colours. */
const MOST_WAITING = 200;

/** One piece of code at a time, in a worker that is made when it is needed and ended when it takes too long. */
export class HighlightQueue {
  readonly #createWorker: () => HighlightWorker;
  readonly #mostMs: number;
  readonly #waiting: Job[] = [];
  #worker: HighlightWorker | undefined;
  #current: { readonly id: number; readonly job: Job; readonly timer: ReturnType<typeof setTimeout> } | undefined;
  #lastId = 0;

  constructor(createWorker: () => HighlightWorker, mostMs: number = MOST_MS) {
    this.#createWorker = createWorker;
    this.#mostMs = mostMs;
  }

  /** Coloured lines; `undefined` where there are none, or nobody waits for them any more. */
  highlight(
    code: string,
    language: LanguageName,
    signal?: AbortSignal,
  ): Promise<readonly HighlightedLine[] | undefined> {
    return new Promise((settle) => {
      this.#waiting.push({ code, language, signal, settle });
      if (this.#waiting.length > MOST_WAITING) this.#waiting.shift()?.settle(undefined);
      this.#next();
    });
  }

  #next(): void {
    if (this.#current) return;
    const job = this.#waiting.shift();
    if (!job) return;
    if (job.signal?.aborted) {
      job.settle(undefined);
      this.#next();
      return;
    }
    const id = ++this.#lastId;
    const timer = setTimeout(() => this.#giveUp(), this.#mostMs);
    this.#current = { id, job, timer };
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage({ id, code: job.code, language: job.language });
    } catch {
      // A browser that lets no worker run shows code without colours.
      this.#giveUp();
    }
  }

  #start(): HighlightWorker {
    const worker = this.#createWorker();
    worker.addEventListener('message', ({ data }) => {
      if (worker === this.#worker && data.id === this.#current?.id) this.#finish(data.lines);
    });
    worker.addEventListener('error', () => {
      if (worker === this.#worker) this.#giveUp();
    });
    return worker;
  }

  #giveUp(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#finish(undefined);
  }

  #finish(lines: readonly HighlightedLine[] | undefined): void {
    const current = this.#current;
    this.#current = undefined;
    clearTimeout(current?.timer);
    current?.job.settle(lines);
    this.#next();
  }
}
