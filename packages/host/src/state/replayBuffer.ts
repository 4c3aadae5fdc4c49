import type { URI } from '@agenthost/protocol';

export interface ReplayLimits {
  readonly maxEnvelopes: number;
  readonly maxBytes: number;
}

export const DEFAULT_REPLAY_LIMITS: ReplayLimits = { maxEnvelopes: 20_000, maxBytes: 16 * 1024 * 1024 };

export interface ReplayEntry {
  readonly serverSeq: number;
  readonly resource: URI;
  readonly actionType: string;
  /** The envelope as JSON text. */
  readonly json: string;
}

/** Envelopes whose JSON is in `bytes`, one after the other. Those before `start` were dropped. */
interface Chunk {
  readonly bytes: Buffer;
  readonly serverSeqs: number[];
  readonly resources: URI[];
  readonly actionTypes: string[];
  /** The end offset of each one. */
  readonly ends: number[];
  start: number;
}

const CHUNK_BYTES = 64 * 1024;
/** Removed resources that are remembered. A client that was away for longer takes a snapshot. */
const MAX_ENDINGS = 1_000;

/**
 * The newest envelopes as they were sent, bounded by count and by size, for clients that were away for a moment. They are kept as
 * bytes outside the heap: thousands of strings that live for a second are expensive for the garbage collector.
 */
export class ReplayBuffer {
  readonly #limits: ReplayLimits;
  /** The oldest first; none is empty. */
  #chunks: Chunk[] = [];
  /** The memory of a dropped chunk, for the next one. */
  #spare: Buffer | undefined;
  #bytes = 0;
  #count = 0;
  /** Everything after this number is in the buffer. */
  #complete: number;
  /** By URI: the number since which it names another resource, or none. The oldest first. */
  readonly #endings = new Map<URI, number>();

  constructor(startingAt: number, limits: ReplayLimits = DEFAULT_REPLAY_LIMITS) {
    this.#complete = startingAt;
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** How many envelopes it has. */
  get count(): number {
    return this.#count;
  }

  /** Returns the length of the JSON in bytes. */
  add({ serverSeq, resource, actionType, json }: ReplayEntry): number {
    const chunk = this.#chunkFor(json);
    const start = chunk.ends.at(-1) ?? 0;
    const end = start + chunk.bytes.write(json, start);
    chunk.serverSeqs.push(serverSeq);
    chunk.resources.push(resource);
    chunk.actionTypes.push(actionType);
    chunk.ends.push(end);
    this.#count++;
    this.#bytes += end - start;
    while (this.#bytes > this.#limits.maxBytes || this.#count > this.#limits.maxEnvelopes) this.#dropOldest();
    return end - start;
  }

  /** Clients that have seen less than this must take a snapshot: changes that they may have seen were undone. */
  forgetUpTo(serverSeq: number): void {
    while (this.#count > 0 && this.#oldest <= serverSeq) this.#dropOldest();
    this.#complete = Math.max(this.#complete, serverSeq);
  }

  /**
   * The resource was removed. A later resource with the same URI can't be replayed from a number before this one. `serverSeq` is above
   * all numbers of the removed resource and below all numbers of a later one.
   */
  end(resource: URI, serverSeq: number): void {
    this.#endings.delete(resource);
    this.#endings.set(resource, serverSeq);
    const [oldest] = this.#endings;
    if (this.#endings.size <= MAX_ENDINGS || !oldest) return;
    this.#endings.delete(oldest[0]);
    this.forgetUpTo(oldest[1]);
  }

  /**
   * The envelopes of these resources after a number. `undefined` when some were dropped already, when they are too many, and when one
   * of the resources was removed since then.
   */
  since(
    serverSeq: number,
    resources: ReadonlySet<URI>,
    maxBytes = Number.POSITIVE_INFINITY,
  ): Pick<ReplayEntry, 'json' | 'actionType'>[] | undefined {
    for (const resource of resources) if ((this.#endings.get(resource) ?? 0) > serverSeq) return undefined;
    return this.toldSince(serverSeq, resources, maxBytes);
  }

  /** The same for resources that are known to be what they were then. */
  toldSince(
    serverSeq: number,
    resources: ReadonlySet<URI>,
    maxBytes: number,
  ): Pick<ReplayEntry, 'json' | 'actionType'>[] | undefined {
    if (serverSeq < this.#complete) return undefined;
    const missed: Pick<ReplayEntry, 'json' | 'actionType'>[] = [];
    let room = maxBytes;
    for (const { bytes, serverSeqs, resources: of, actionTypes, ends, start } of this.#chunks) {
      if ((serverSeqs.at(-1) ?? 0) <= serverSeq) continue;
      for (let index = start; index < ends.length; index++) {
        const [seq = 0, resource = '', actionType = ''] = [serverSeqs[index], of[index], actionTypes[index]];
        if (seq <= serverSeq || !resources.has(resource)) continue;
        const [from, to] = [ends[index - 1] ?? 0, ends[index] ?? 0];
        room -= to - from;
        if (room < 0) return undefined;
        missed.push({ actionType, json: bytes.toString('utf8', from, to) });
      }
    }
    return missed;
  }

  /** The newest chunk if the text certainly fits into it, else a new one. */
  #chunkFor(json: string): Chunk {
    const newest = this.#chunks.at(-1);
    const room = newest ? newest.bytes.length - (newest.ends.at(-1) ?? 0) : 0;
    if (newest && (json.length * 3 <= room || Buffer.byteLength(json) <= room)) return newest;
    const isLong = json.length * 3 > CHUNK_BYTES;
    const bytes = isLong ? Buffer.allocUnsafeSlow(Math.max(Buffer.byteLength(json), CHUNK_BYTES)) : this.#freshBytes();
    const chunk: Chunk = { bytes, serverSeqs: [], resources: [], actionTypes: [], ends: [], start: 0 };
    this.#chunks.push(chunk);
    return chunk;
  }

  #freshBytes(): Buffer {
    const bytes = this.#spare ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
    this.#spare = undefined;
    return bytes;
  }

  get #oldest(): number {
    const [chunk] = this.#chunks;
    return chunk?.serverSeqs[chunk.start] ?? 0;
  }

  #dropOldest(): void {
    const [chunk] = this.#chunks;
    if (!chunk) return;
    this.#complete = this.#oldest;
    this.#bytes -= (chunk.ends[chunk.start] ?? 0) - (chunk.ends[chunk.start - 1] ?? 0);
    this.#count--;
    chunk.start++;
    if (chunk.start < chunk.ends.length) return;
    this.#chunks.shift();
    if (chunk.bytes.length === CHUNK_BYTES) this.#spare = chunk.bytes;
  }
}
