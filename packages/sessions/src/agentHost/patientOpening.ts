import {
  CommandFailedError,
  CommandTimeoutError,
  ConnectionLostError,
  type HostClient,
  type Interruption,
  type Observable,
  type OpenSessionOptions,
  type SessionHandle,
} from '@agenthost/client';
import { backoffDelay } from '@agenthost/client/internal';
import { ERROR_CODE } from '@agenthost/protocol';
import { observable } from '../observable.js';

export interface PatientOpeningOptions {
  readonly host: HostClient;
  readonly uri: string;
  readonly open: OpenSessionOptions;
  readonly signal: AbortSignal;
}

/** Answers that another attempt may change: the session is there, but its files could not be read, or the host was busy. */
const PASSING: ReadonlySet<number> = new Set([
  ERROR_CODE.internalError,
  ERROR_CODE.tooManyRequests,
  ERROR_CODE.sessionFsUnavailable,
]);

/** Opens a session. Without a connection it waits for one; while the host can't load the session it asks again, later each time. */
export class PatientOpening {
  /** Set between two attempts. */
  readonly interrupted: Observable<Interruption | undefined>;
  readonly #interrupted = observable<Interruption | undefined>(undefined);
  readonly #options: PatientOpeningOptions;
  #skipPause: (() => void) | undefined;

  constructor(options: PatientOpeningOptions) {
    this.#options = options;
    this.interrupted = this.#interrupted;
  }

  retryNow(): void {
    this.#skipPause?.();
  }

  /** Rejects when the host has no such session, refuses it, or `signal` aborts. */
  async open(): Promise<SessionHandle> {
    const { host, uri, open, signal } = this.#options;
    for (;;) {
      try {
        const session = await host.openSession(uri, open);
        this.#interrupted.set(undefined);
        if (!signal.aborted) return session;
        session.dispose();
      } catch (error) {
        if (error instanceof CommandFailedError && PASSING.has(error.code)) await this.#pause(error);
        else if (!(error instanceof ConnectionLostError) && !(error instanceof CommandTimeoutError)) throw error;
      }
      signal.throwIfAborted();
      await host.connected(signal);
    }
  }

  async #pause(error: Error): Promise<void> {
    const { signal } = this.#options;
    const attempt = (this.#interrupted.value?.attempt ?? 0) + 1;
    const delay = backoffDelay(attempt, Math.random);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, delay);
    this.#skipPause = resolve;
    signal.addEventListener('abort', () => resolve(), { once: true });
    this.#interrupted.set({ error, attempt, at: Date.now() + delay });
    await promise;
    clearTimeout(timer);
    this.#skipPause = undefined;
  }
}
