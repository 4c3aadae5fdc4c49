/** The message of a worker that has loaded. */
export const READY = { id: 0 } as const;

/** A request to a worker, and its answer; `undefined` if it failed. */
export interface ThreadRequest<Asked> {
  readonly id: number;
  readonly asked: Asked;
}

export interface ThreadAnswer<Answer> {
  readonly id: number;
  readonly answer?: Answer;
}

/** The used part of a Worker. */
export interface ThreadWorker<Asked, Answer> {
  postMessage(request: ThreadRequest<Asked>): void;
  addEventListener(type: 'message', listener: (event: { readonly data: ThreadAnswer<Answer> }) => void): void;
  addEventListener(type: 'error', listener: () => void): void;
  terminate(): void;
}

export interface WorkerThreadOptions {
  /** How long one request may take, once the worker has been loaded. */
  readonly mostMs: number;
  /** Beyond this many waiting requests, the oldest gets no answer. */
  readonly mostWaiting?: number;
}

interface Job<Asked, Answer> {
  readonly asked: Asked;
  readonly signal: AbortSignal | undefined;
  readonly settle: (answer: Answer | undefined) => void;
}

const MOST_WAITING = 200;
/** Allows for a busy machine and a slow network. */
const MOST_LOADING_MS = 30_000;

/** One request at a time, in a worker that is made on demand and ended when it takes too long; the next request gets another one. */
export class WorkerThread<Asked, Answer> {
  readonly #createWorker: () => ThreadWorker<Asked, Answer>;
  readonly #options: WorkerThreadOptions;
  readonly #waiting: Job<Asked, Answer>[] = [];
  #worker: ThreadWorker<Asked, Answer> | undefined;
  #isReady = false;
  #current: { readonly id: number; readonly job: Job<Asked, Answer> } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #lastId = READY.id;

  constructor(createWorker: () => ThreadWorker<Asked, Answer>, options: WorkerThreadOptions) {
    this.#createWorker = createWorker;
    this.#options = options;
  }

  /** Never rejects: `undefined` without an answer, or when the request was cancelled. */
  run(asked: Asked, signal?: AbortSignal): Promise<Answer | undefined> {
    return new Promise((settle) => {
      this.#waiting.push({ asked, signal, settle });
      const { mostWaiting = MOST_WAITING } = this.#options;
      if (this.#waiting.length > mostWaiting) this.#waiting.shift()?.settle(undefined);
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
    this.#current = { id, job };
    try {
      this.#worker ??= this.#start();
      this.#worker.postMessage({ id, asked: job.asked });
      this.#wait();
    } catch {
      // The browser allows no workers.
      this.#giveUp();
    }
  }

  #start(): ThreadWorker<Asked, Answer> {
    const worker = this.#createWorker();
    worker.addEventListener('message', ({ data }) => {
      if (worker !== this.#worker) return;
      if (data.id === READY.id) {
        this.#isReady = true;
        this.#wait();
      } else if (data.id === this.#current?.id) this.#finish(data.answer);
    });
    worker.addEventListener('error', () => {
      if (worker === this.#worker) this.#giveUp();
    });
    return worker;
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const most = this.#isReady ? this.#options.mostMs : MOST_LOADING_MS;
    if (this.#current) this.#timer = setTimeout(() => this.#giveUp(), most);
  }

  #giveUp(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#isReady = false;
    this.#finish(undefined);
  }

  #finish(answer: Answer | undefined): void {
    const current = this.#current;
    this.#current = undefined;
    clearTimeout(this.#timer);
    current?.job.settle(answer);
    this.#next();
  }
}
