import type { ClientAction, URI } from '@agenthost/protocol';

/**
 * Where the last used `clientSeq` is kept. Without a store that outlives the process, a `clientId` that does counts on from
 * what the host has accepted of it. `save` is called before the action is sent.
 */
export interface ClientSeqStore {
  load(): number;
  save(last: number): void;
}

export interface OutboxEntry {
  readonly clientSeq: number;
  readonly session: URI;
  readonly action: ClientAction;
  /** Sent on an earlier connection to a host that didn't say what of it was accepted. */
  uncertain: boolean;
  sent: boolean;
}

interface Settlement {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Every action that the host has not answered yet, in order, with the promise that waits for the answer. */
export class Outbox {
  readonly #store: ClientSeqStore;
  readonly #entries = new Map<number, OutboxEntry & Settlement>();
  #last: number;

  constructor(store: ClientSeqStore) {
    this.#store = store;
    this.#last = store.load();
  }

  add(session: URI, action: ClientAction): { readonly entry: OutboxEntry; readonly accepted: Promise<void> } {
    const clientSeq = ++this.#last;
    this.#store.save(clientSeq);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const entry = { clientSeq, session, action, uncertain: false, sent: false, resolve, reject };
    this.#entries.set(clientSeq, entry);
    return { entry, accepted: promise };
  }

  /** Numbers up to this one are used, for example by an earlier process. */
  continueAbove(clientSeq: number): void {
    this.#last = Math.max(this.#last, clientSeq);
  }

  /** In the order in which they were dispatched. */
  entries(session?: URI): readonly OutboxEntry[] {
    const all = [...this.#entries.values()];
    return session === undefined ? all : all.filter((entry) => entry.session === session);
  }

  entry(clientSeq: number): OutboxEntry | undefined {
    return this.#entries.get(clientSeq);
  }

  /** Takes the entry out and settles its promise; nothing when it isn't there any more. */
  settle(clientSeq: number, failure?: (action: ClientAction) => Error): void {
    const entry = this.#entries.get(clientSeq);
    if (entry === undefined) return;
    this.#entries.delete(clientSeq);
    if (failure === undefined) entry.resolve();
    else entry.reject(failure(entry.action));
  }
}

/** Forgets with the process: for a `clientId` that does too. */
export function memoryClientSeq(last = 0): ClientSeqStore {
  return { load: () => last, save: () => undefined };
}

/** What the host says that it has accepted of this client in a session. */
export interface Accepted {
  /** Undefined when it did not say. */
  readonly highest?: number | undefined;
  /** The newest, one by one. */
  readonly recent: readonly number[];
  /** What was missed was sent, so that everything that was accepted is known. */
  readonly isReplay?: boolean;
}

/**
 * `notTold`: the host did not say what it has accepted. `unanswered`: it has not seen the action yet. `unknown`: it has, and
 * it can't be known any more whether it was accepted or refused.
 */
export type Fate = 'accepted' | 'refused' | 'unknown' | 'unanswered' | 'notTold';

/** What became of an action that was sent on an earlier connection. */
export function fateOf({ clientSeq, uncertain }: OutboxEntry, { recent, isReplay, ...told }: Accepted): Fate {
  const highest = told.highest ?? recent.at(-1);
  if (highest === undefined) return 'notTold';
  if (clientSeq === highest || recent.includes(clientSeq)) return 'accepted';
  if (clientSeq > highest) return 'unanswered';
  // Before the last that was accepted, so it was accepted too, or refused. The list tells as far as it goes, and so does a
  // replay, which has everything that was accepted.
  const isListed = clientSeq > (recent[0] ?? highest);
  return isListed || (isReplay && !uncertain) ? 'refused' : 'unknown';
}
