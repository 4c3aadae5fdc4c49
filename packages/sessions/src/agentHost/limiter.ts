import { NotSupportedError } from '../errors.js';

/** Lets so many run at once and so many wait. */
export class Limiter {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number, maxWaiting: number) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  async run<T>(action: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running++;
    else {
      if (this.#waiting.length >= this.#maxWaiting) {
        throw new NotSupportedError(
          `${this.#maxWaiting} actions wait for the host already; wait until it has answered`,
        );
      }
      // Whoever ends hands its place on, so the count stays.
      await new Promise<void>((start) => this.#waiting.push(start));
    }
    try {
      return await action();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
