import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface RequestLimits {
  /** Requests on one connection that are not answered in full; with more the connection ends. */
  readonly maxUnanswered: number;
  /** How long the other side has to take an answer. */
  readonly answerMs: number;
}

/** Browsers and proxies send a request when the one before it is answered; some tools send a few ahead. */
export const DEFAULT_REQUEST_LIMITS: RequestLimits = { maxUnanswered: 8, answerMs: 60_000 };

/** Bounds what one connection can ask for over HTTP without reading the answers. */
export class UnansweredRequests {
  readonly #limits: RequestLimits;
  readonly #counts = new WeakMap<Socket, number>();

  constructor(limits: RequestLimits) {
    this.#limits = limits;
  }

  /** False: there are too many, or the connection is gone; the request is not to be answered. */
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    // What was read at once is parsed to its end, also after the connection was ended.
    if (socket.destroyed) return false;
    const count = (this.#counts.get(socket) ?? 0) + 1;
    this.#counts.set(socket, count);
    if (count > this.#limits.maxUnanswered) {
      socket.destroy();
      return false;
    }
    const timer = setTimeout(() => socket.destroy(), this.#limits.answerMs).unref();
    response.once('close', () => {
      clearTimeout(timer);
      this.#counts.set(socket, (this.#counts.get(socket) ?? 1) - 1);
    });
    return true;
  }
}
