import type { Journal } from './journal.js';
import type { TestClient, WireMessage } from './testClient.js';
import type { Wire } from './wire.js';

/** Checks the order of what arrives at clients: numbers rise on one connection, also in a replay. */
export class WireOrder {
  readonly #journal: Journal;
  readonly #lastLive = new WeakMap<Wire, number>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Returns the numbers that the host has said. */
  check({ clientId }: TestClient, wire: Wire, { method, params, result }: WireMessage): number[] {
    const wrong = (what: string) => this.#journal.violations.push(`${clientId}: ${what}`);
    const said: number[] = [];
    const envelope = method === 'action' ? params?.envelope : undefined;
    if (envelope && envelope.rejectionReason === undefined && !envelope.repeated) {
      const last = this.#lastLive.get(wire) ?? 0;
      if (envelope.serverSeq <= last) wrong(`serverSeq ${envelope.serverSeq} after ${last}`);
      this.#lastLive.set(wire, envelope.serverSeq);
      said.push(envelope.serverSeq);
    }
    if (result?.serverSeq !== undefined) said.push(result.serverSeq);
    const replayed = (result?.actions ?? []).map(({ serverSeq }) => serverSeq);
    if (replayed.some((serverSeq, index) => serverSeq <= (replayed[index - 1] ?? 0))) {
      wrong(`a replay that does not rise: ${replayed.join(', ')}`);
    }
    return said;
  }
}
