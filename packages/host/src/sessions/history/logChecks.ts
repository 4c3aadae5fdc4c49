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
 * Reads, in the background, the parts of logs that opening has skipped: one log at a time, in pieces, with a pause after each. One
 * check per open session can wait; the check of an unloaded session is cancelled.
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

  /** Resolves when its log is not read any more. */
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
