import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ListSessionsParams, ListSessionsResult } from '@agenthost/protocol';
import { InvalidCursorError } from './listQuery.js';
import type { SearchAnswer, SearchMessage } from './searchWorker.js';
import type { IndexChanges } from './sessionIndex.js';

/** Tests run from the sources, but a thread can load only the compiled program. */
const PROGRAM = join(import.meta.dirname.replace(/src(?=[\\/]sessionIndex$)/, 'dist'), 'searchWorker.js');

const MAX_WAITING = 1_000;
const MAX_SEARCH_MS = 10_000;
/** An idle thread is ended to free its memory. */
const IDLE_MS = 60_000;

export class SearchFailedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SearchFailedError';
  }
}

interface Waiting {
  readonly params: ListSessionsParams;
  readonly space: string;
  readonly resolve: (result: ListSessionsResult) => void;
  readonly reject: (error: unknown) => void;
}

/** Runs searches in a thread, one after the other, each with a time limit. */
export class SearchThread {
  readonly #path: string;
  readonly #maxSearchMs: number;
  readonly #queue: Waiting[] = [];
  #worker: Worker | undefined;
  #current: { readonly id: number; readonly waiting: Waiting; readonly timer: NodeJS.Timeout } | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #whenIdle: (() => void)[] = [];
  #lastId = 0;

  constructor(path: string, maxSearchMs = MAX_SEARCH_MS) {
    this.#path = path;
    this.#maxSearchMs = maxSearchMs;
    // The copy has to exist from the start: earlier changes could not be found otherwise.
    if (path === ':memory:') this.#start();
  }

  get isBusy(): boolean {
    return this.#current !== undefined;
  }

  /** Resolves when no search runs or waits. */
  async idle(): Promise<void> {
    if (this.isBusy) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  search(params: ListSessionsParams, space: string): Promise<ListSessionsResult> {
    if (this.#queue.length >= MAX_WAITING) {
      return Promise.reject(new SearchFailedError('too many searches are waiting: try again in a moment'));
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ params, space, resolve, reject });
      this.#next();
    });
  }

  /** For a copy in memory: passes on what was written to the index. */
  apply(changes: IndexChanges): void {
    this.#worker?.postMessage({ type: 'changes', changes } satisfies SearchMessage);
  }

  /** The file was replaced. Running and waiting searches reject with this: the new one is still incomplete. */
  restart(reason: Error): void {
    if (this.#path === ':memory:') return;
    this.#stop();
    for (const { reject } of this.#queue.splice(0)) reject(reason);
    this.#finish(({ reject }) => reject(reason));
  }

  close(): void {
    clearTimeout(this.#idleTimer);
    this.#stop();
    const error = new SearchFailedError('the host is closing');
    for (const { reject } of this.#queue.splice(0)) reject(error);
    this.#finish(({ reject }) => reject(error));
  }

  #next(): void {
    if (this.#current) return;
    const waiting = this.#queue.shift();
    clearTimeout(this.#idleTimer);
    if (!waiting) {
      for (const resolve of this.#whenIdle.splice(0)) resolve();
      if (this.#path !== ':memory:') this.#idleTimer = setTimeout(() => this.#stop(), IDLE_MS).unref();
      return;
    }
    const id = ++this.#lastId;
    const timer = setTimeout(() => this.#giveUp(), this.#maxSearchMs).unref();
    this.#current = { id, waiting, timer };
    const { params, space } = waiting;
    this.#start().postMessage({ type: 'search', id, params, space } satisfies SearchMessage);
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(PROGRAM, { workerData: { path: this.#path }, name: 'search' });
    worker.on('message', (answer: SearchAnswer) => {
      if (answer.id !== this.#current?.id) return;
      const { result, error } = answer;
      this.#finish(({ resolve, reject }) => (result ? resolve(result) : reject(errorOf(error))));
    });
    worker.on('error', (error) => {
      if (this.#worker === worker) this.#worker = undefined;
      this.#finish(({ reject }) => reject(error));
    });
    // Last, because a listener for messages keeps the process alive again.
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #stop(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  /** A thread that only reads is ended; one that has a copy continues, and later searches wait longer. */
  #giveUp(): void {
    const error = new SearchFailedError('the search took too long and was given up: look for rarer words');
    if (this.#path === ':memory:') {
      this.#current?.waiting.reject(error);
      return;
    }
    this.#stop();
    this.#finish(({ reject }) => reject(error));
  }

  #finish(settle: (waiting: Waiting) => void): void {
    const current = this.#current;
    if (!current) return;
    clearTimeout(current.timer);
    this.#current = undefined;
    settle(current.waiting);
    this.#next();
  }
}

/** Error classes don't survive the transfer from the thread. */
function errorOf(error: SearchAnswer['error']): Error {
  if (error?.name === 'InvalidCursorError') return new InvalidCursorError();
  return Object.assign(new Error(error?.message ?? 'the search failed'), error && { errcode: error.errcode });
}
