import type { ActionOrigin } from '@agenthost/protocol';
import { MAX_ACCEPTED_CLIENTS, MAX_RECENTLY_ACCEPTED } from './sessionLimits.js';

/**
 * A client under one token. A client's id is its own word: with another token it must not use up, or be told of, the numbers of
 * whoever it says to be. No token's name has a slash in it.
 */
export function acceptedKey({ clientId, name }: Omit<ActionOrigin, 'clientSeq'>): string {
  return name === undefined ? clientId : `${name}/${clientId}`;
}

/**
 * For each client which `clientSeq` this session accepted, so that what a client sends again is not done again, and a client
 * that lost its answers can be told. Bounded: only the newest of each client, and the clients that have been quiet for longest
 * are forgotten.
 */
export class AcceptedSequences {
  /** Rising, never empty. */
  readonly #recent = new Map<string, number[]>();

  /** As `entries` gave them. */
  constructor(entries: Iterable<readonly [string, readonly number[]]> = []) {
    for (const [clientId, recent] of entries) this.#recent.set(clientId, [...recent]);
  }

  /** Those that have been quiet for longest first. */
  entries(): [string, number[]][] {
    return Array.from(this.#recent, ([clientId, recent]) => [clientId, [...recent]]);
  }

  highest(clientId: string): number {
    return this.#recent.get(clientId)?.at(-1) ?? 0;
  }

  recent(clientId: string): readonly number[] {
    return this.#recent.get(clientId) ?? [];
  }

  /** `clientSeq` is above the highest. */
  add(clientId: string, clientSeq: number): void {
    const recent = this.#recent.get(clientId) ?? [];
    recent.push(clientSeq);
    if (recent.length > 2 * MAX_RECENTLY_ACCEPTED) recent.splice(0, recent.length - MAX_RECENTLY_ACCEPTED);
    this.#recent.delete(clientId);
    this.#recent.set(clientId, recent);
    if (this.#recent.size <= MAX_ACCEPTED_CLIENTS) return;
    const [quietest] = this.#recent.keys();
    if (quietest !== undefined) this.#recent.delete(quietest);
  }

  /** It was not stored, so it was not accepted. The newest one of the client. */
  takeBack(clientId: string, clientSeq: number): void {
    const recent = this.#recent.get(clientId);
    if (recent?.at(-1) !== clientSeq) return;
    recent.pop();
    if (recent.length === 0) this.#recent.delete(clientId);
  }
}
