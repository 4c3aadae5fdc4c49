import type { URI } from '@agenthost/protocol';

export interface ReplayLimits {
  readonly maxEnvelopes: number;
  readonly maxBytes: number;
}

export const DEFAULT_REPLAY_LIMITS: ReplayLimits = { maxEnvelopes: 20_000, maxBytes: 16 * 1024 * 1024 };

interface Entry {
  readonly serverSeq: number;
  readonly resource: URI;
  readonly actionType: string;
  /** The envelope as JSON text. */
  readonly json: string;
}

/** The newest envelopes, as they were sent, bounded by count and by size: what a client that was away for a moment missed. */
export class ReplayBuffer {
  readonly #limits: ReplayLimits;
  #entries: Entry[] = [];
  /** Entries before this index have been dropped; the array is cut only now and then. */
  #start = 0;
  #bytes = 0;
  /** Everything after this number is in the buffer. */
  #complete: number;

  constructor(startingAt: number, limits: ReplayLimits = DEFAULT_REPLAY_LIMITS) {
    this.#complete = startingAt;
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
    this.#bytes += entry.json.length;
    while (this.#bytes > this.#limits.maxBytes || this.#entries.length - this.#start > this.#limits.maxEnvelopes) {
      this.#dropOldest();
    }
  }

  /** Clients that have seen less than this must take a snapshot: something they may have seen was taken back. */
  forgetUpTo(serverSeq: number): void {
    while (this.#entries[this.#start] && (this.#entries[this.#start]?.serverSeq ?? 0) <= serverSeq) this.#dropOldest();
    this.#complete = Math.max(this.#complete, serverSeq);
  }

  /** The envelopes of these resources after a number; `undefined` when some of them are gone already. */
  since(serverSeq: number, resources: ReadonlySet<URI>): Pick<Entry, 'json' | 'actionType'>[] | undefined {
    if (serverSeq < this.#complete) return undefined;
    const missed: Entry[] = [];
    for (let index = this.#entries.length - 1; index >= this.#start; index--) {
      const entry = this.#entries[index];
      if (!entry || entry.serverSeq <= serverSeq) break;
      if (resources.has(entry.resource)) missed.push(entry);
    }
    return missed.reverse();
  }

  #dropOldest(): void {
    const dropped = this.#entries[this.#start];
    if (!dropped) return;
    this.#start++;
    this.#bytes -= dropped.json.length;
    this.#complete = dropped.serverSeq;
    if (this.#start > 1024 && this.#start * 2 > this.#entries.length) {
      this.#entries = this.#entries.slice(this.#start);
      this.#start = 0;
    }
  }
}
