import { LocalRpcError } from '../errors.js';
import type { RequestId } from './message.js';

/** The requests of the other side that handlers are working on, so that they can be counted and cancelled. */
export class RunningRequests {
  readonly #limit: number;
  readonly #controllers = new Map<RequestId, AbortController>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  start(id: RequestId): AbortSignal | 'full' | 'duplicate' {
    if (this.#controllers.has(id)) return 'duplicate';
    if (this.#controllers.size >= this.#limit) return 'full';
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    return controller.signal;
  }

  finish(id: RequestId): void {
    this.#controllers.delete(id);
  }

  /** A cancelled request still runs, and counts, until its handler is done. One that isn't running was just answered. */
  cancel(id: RequestId): void {
    this.#controllers.get(id)?.abort(new LocalRpcError('requestCancelled', 'the caller cancelled the request'));
  }

  abortAll(reason: LocalRpcError): void {
    for (const controller of [...this.#controllers.values()]) controller.abort(reason);
  }
}

/** Whether a handler failed only because it was told to stop, which nobody needs to hear about. */
export function isAbortOutcome(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && (error === signal.reason || (error instanceof Error && error.name === 'AbortError'));
}
