import type { ActionOrigin } from '@agenthost/protocol';
import { MAX_ACCEPTED_CLIENTS, MAX_RECENTLY_ACCEPTED } from '../sessionLimits.js';

/**
 * A client under one token. A client's id is its own word: with another token it must not use up, or be told of, the numbers of
 * whoever it says to be. No token's name has a slash in it.
 */
export function acceptedKey({ clientId, name }: Omit<ActionOrigin, 'clientSeq'>): string {
  return name === undefined ? clientId : `${name}/${clientId}`;
}

export interface AcceptedAction {
  readonly clientSeq: number;
  /** The number that the host gave it. */
  readonly serverSeq: number;
  /** Tells it from any other action under the same `clientSeq`. */
  readonly fingerprint: number;
}

/** By client: `clientSeq`, `serverSeq` and fingerprint of each. */
export type AcceptedEntries = readonly (readonly [string, readonly (readonly [number, number, number])[]])[];

/**
 * For each client which `clientSeq` this session accepted, so that what a client sends again is not done again, and a client
 * that lost its answers can be told. Bounded: only the newest of each client, and the clients that have been quiet for longest
 * are forgotten.
 */
export class AcceptedSequences {
  /** Rising, never empty. */
  readonly #recent = new Map<string, AcceptedAction[]>();

  constructor(entries: AcceptedEntries = []) {
    for (const [key, recent] of entries) {
      const actions = recent.map(([clientSeq, serverSeq, fingerprint]) => ({ clientSeq, serverSeq, fingerprint }));
      this.#recent.set(key, actions);
    }
  }

  /** Those that have been quiet for longest first. */
  entries(): AcceptedEntries {
    return Array.from(this.#recent, ([key, recent]) => [
      key,
      newest(recent).map(({ clientSeq, serverSeq, fingerprint }) => [clientSeq, serverSeq, fingerprint] as const),
    ]);
  }

  highest(key: string): number {
    return this.#recent.get(key)?.at(-1)?.clientSeq ?? 0;
  }

  /** The newest numbers, rising. */
  recent(key: string): readonly number[] {
    return newest(this.#recent.get(key) ?? []).map(({ clientSeq }) => clientSeq);
  }

  /** `undefined` also for a number that is older than all that are remembered. */
  find(key: string, clientSeq: number): AcceptedAction | undefined {
    return this.#recent.get(key)?.findLast((accepted) => accepted.clientSeq === clientSeq);
  }

  /** Whether it is known what became of that number, which is not above the highest. */
  remembers(key: string, clientSeq: number): boolean {
    return clientSeq >= (this.#recent.get(key)?.[0]?.clientSeq ?? Number.POSITIVE_INFINITY);
  }

  /** `clientSeq` is above the highest. */
  add(key: string, accepted: AcceptedAction): void {
    const recent = this.#recent.get(key) ?? [];
    recent.push(accepted);
    if (recent.length > 2 * MAX_RECENTLY_ACCEPTED) recent.splice(0, recent.length - MAX_RECENTLY_ACCEPTED);
    this.#recent.delete(key);
    this.#recent.set(key, recent);
    if (this.#recent.size <= MAX_ACCEPTED_CLIENTS) return;
    const [quietest] = this.#recent.keys();
    if (quietest !== undefined) this.#recent.delete(quietest);
  }

  /** It was not stored, so it was not accepted. The newest one of the client. */
  takeBack(key: string, clientSeq: number): void {
    const recent = this.#recent.get(key);
    if (recent?.at(-1)?.clientSeq !== clientSeq) return;
    recent.pop();
    if (recent.length === 0) this.#recent.delete(key);
  }
}

function newest(recent: readonly AcceptedAction[]): readonly AcceptedAction[] {
  return recent.slice(-MAX_RECENTLY_ACCEPTED);
}
