import { setTimeout as delay } from 'node:timers/promises';
import type { URI } from '@agenthost/protocol';

export type LogCheck = (options: {
  readonly signal: AbortSignal;
  readonly pause: () => Promise<void>;
}) => Promise<void>;

interface Waiting {
  readonly check: LogCheck;
  readonly abort: AbortController;
}

const PAUSE_MS = 2;

/**
 * Reads behind the back of sessions what opening them has passed over: one at a time, in pieces, with a pause after each.
 * As many can wait as sessions are open; one that leaves the memory is not waited for.
 */
export class LogChecks {
  readonly #waiting = new Map<URI, Waiting>();
  readonly #onError: (uri: URI, error: unknown) => void;
  #running: { readonly uri: URI; readonly abort: AbortController; readonly done: Promise<void> } | undefined;

  constructor(onError: (uri: URI, error: unknown) => void) {
    this.#onError = onError;
  }

  add(uri: URI, check: LogCheck): void {
    this.#waiting.set(uri, { check, abort: new AbortController() });
    this.#next();
  }

  /** Resolves when nothing of it is read any more. */
  async cancel(uri: URI): Promise<void> {
    this.#waiting.delete(uri);
    if (this.#running?.uri !== uri) return;
    this.#running.abort.abort();
    await this.#running.done;
  }

  #next(): void {
    const [next] = this.#waiting;
    if (this.#running || !next) return;
    const [uri, { check, abort }] = next;
    this.#waiting.delete(uri);
    const { signal } = abort;
    const pause = async () => {
      await delay(PAUSE_MS, undefined, { ref: false, signal }).catch(() => undefined);
    };
    const done = pause()
      .then(() => (signal.aborted ? undefined : check({ signal, pause })))
      .catch((error: unknown) => {
        if (!signal.aborted) this.#onError(uri, error);
      })
      .then(() => {
        this.#running = undefined;
        this.#next();
      });
    this.#running = { uri, abort, done };
  }
}
