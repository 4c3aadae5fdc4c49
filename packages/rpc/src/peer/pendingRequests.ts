import { type LocalRpcError, RequestTimeoutError } from '../errors.js';
import type { RequestId } from './message.js';

/** Longer delays overflow the platforms' timers, which then fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export interface PendingRequest {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export interface OpenRequest {
  readonly method: string;
  readonly signal?: AbortSignal | undefined;
  /** 0 or Infinity: none. */
  readonly timeoutMs: number;
  /** Called when this side stops waiting before the answer came. */
  readonly onAbandon: (id: number) => void;
}

/** The requests that this side sent and that have no answer yet. Each settles exactly once and leaves no timer behind. */
export class PendingRequests {
  readonly #limit: number;
  readonly #pending = new Map<RequestId, PendingRequest>();
  // Their answers may still come, and are no violation then. Bounded: the oldest is forgotten first.
  readonly #abandoned = new Set<RequestId>();
  #lastId = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.#pending.size >= this.#limit;
  }

  open({ method, signal, timeoutMs, onAbandon }: OpenRequest): { id: number; result: Promise<unknown> } {
    const id = ++this.#lastId;
    const result = new Promise<unknown>((resolve, reject) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const abandon = (reason: unknown) => {
        const pending = this.take(id);
        if (pending === undefined) return;
        this.#rememberAbandoned(id);
        pending.reject(reason);
        onAbandon(id);
      };
      const onAbort = () => abandon(signal?.reason);
      const release = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      this.#pending.set(id, {
        resolve: (value) => {
          release();
          resolve(value);
        },
        reject: (error) => {
          release();
          reject(error);
        },
      });
      if (timeoutMs > 0 && timeoutMs !== Number.POSITIVE_INFINITY) {
        const onTimeout = () => abandon(new RequestTimeoutError(method, timeoutMs));
        timer = setTimeout(onTimeout, Math.min(timeoutMs, MAX_TIMER_MS));
      }
      signal?.addEventListener('abort', onAbort);
    });
    return { id, result };
  }

  /** Removes the request, which the caller then settles. */
  take(id: RequestId): PendingRequest | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  /** Whether this is the one late answer that an abandoned request may get. */
  takeAbandoned(id: RequestId): boolean {
    return this.#abandoned.delete(id);
  }

  rejectAll(error: LocalRpcError): void {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    this.#abandoned.clear();
    for (const pending of all) pending.reject(error);
  }

  #rememberAbandoned(id: RequestId): void {
    this.#abandoned.add(id);
    if (this.#abandoned.size <= this.#limit) return;
    for (const oldest of this.#abandoned) {
      this.#abandoned.delete(oldest);
      return;
    }
  }
}
