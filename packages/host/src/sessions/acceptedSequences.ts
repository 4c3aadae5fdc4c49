import { MAX_ACCEPTED_CLIENTS } from './sessionLimits.js';

/**
 * For each client the highest `clientSeq` that this session accepted, so that what a client sends again is not done again.
 * Bounded: the clients that have been quiet for longest are forgotten.
 */
export class AcceptedSequences {
  readonly #highest = new Map<string, number>();

  get(clientId: string): number {
    return this.#highest.get(clientId) ?? 0;
  }

  has(clientId: string): boolean {
    return this.#highest.has(clientId);
  }

  set(clientId: string, clientSeq: number): void {
    this.#highest.delete(clientId);
    if (clientSeq > 0) this.#highest.set(clientId, clientSeq);
    if (this.#highest.size <= MAX_ACCEPTED_CLIENTS) return;
    const [quietest] = this.#highest.keys();
    if (quietest !== undefined) this.#highest.delete(quietest);
  }
}
