import { GitError } from './gitError.js';

/** Lets a few runs go at once; the others wait in order, up to a limit. */
export class RunQueue {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number, maxWaiting: number) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  async run<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#atOnce) await this.#turn(signal);
    else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The next one takes this place over.
      if (next) next();
      else this.#running--;
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#waiting.length >= this.#maxWaiting) {
      throw new GitError('busy', 'Too many runs of git wait already. Try again in a moment.');
    }
    return new Promise((resolve, reject) => {
      const go = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        const place = this.#waiting.indexOf(go);
        if (place === -1) return;
        this.#waiting.splice(place, 1);
        reject(new GitError('aborted', 'git was not run: the caller has cancelled it.'));
      };
      if (signal?.aborted) {
        reject(new GitError('aborted', 'git was not run: the caller has cancelled it.'));
        return;
      }
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(go);
    });
  }
}
