import { SessionFsFailure } from './sessionFs.js';

/**
 * Serialises asynchronous work per key, in the order of the calls. A failure affects only its caller: the next one runs. An unused
 * key takes no memory.
 */
export class KeyedLock {
  readonly #maxWaiting: number;
  readonly #queues = new Map<string, { tail: Promise<unknown>; waiting: number }>();

  constructor(options: { readonly maxWaiting?: number } = {}) {
    this.#maxWaiting = options.maxWaiting ?? 10_000;
  }

  /** How many keys are in use. */
  get size(): number {
    return this.#queues.size;
  }

  /** Rejects with `EBUSY`, without running the work, when too many already wait for the key. */
  async run<T>(key: string, work: () => Promise<T> | T): Promise<T> {
    const queue = this.#queues.get(key) ?? { tail: Promise.resolve(), waiting: 0 };
    if (queue.waiting > this.#maxWaiting) {
      throw new SessionFsFailure('EBUSY', `more than ${this.#maxWaiting} operations wait for ${key}`);
    }
    queue.waiting++;
    this.#queues.set(key, queue);
    const turn = queue.tail.then(work);
    queue.tail = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      queue.waiting--;
      if (queue.waiting === 0) this.#queues.delete(key);
    }
  }
}
