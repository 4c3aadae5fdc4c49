import { Buffer } from 'node:buffer';

/** A receiver of frames: one connection. */
export interface Receiver {
  /** Sends the frames of one batch, in order, with one write. */
  deliver(frames: readonly EncodedFrame[]): void;
}

/** A source of envelopes that must be stored before they are sent. */
export interface DurableSource {
  /** Resolves when everything accepted so far is stored. */
  makeDurable(): Promise<void>;
  /** Called when storing failed: none of these entries was sent. The source undoes them and enqueues the rejections. */
  takeBack(entries: readonly DeliveryEntry[], error: unknown): void;
}

export interface DeliveryEntry {
  readonly frame: EncodedFrame;
  readonly receivers: readonly Receiver[];
  /** The source that must be stored before this frame is sent. */
  readonly source?: DurableSource | undefined;
  /** For the source, in case it has to undo the entry. */
  readonly tag?: unknown;
}

interface Batch {
  readonly entries: DeliveryEntry[];
  readonly onLeft: (() => void)[];
  readonly mustBeStored: Set<DurableSource>;
}

/** Of a write and its sync. */
const STORE_BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/**
 * The outbound pipeline. The frames of one tick of the event loop are one batch: sources that must be stored are stored first,
 * then the batch is sent in order, with one write per receiver; meanwhile the next batch is gathered. Everything that a client
 * receives goes through here, so that a snapshot and the envelopes around it keep their order.
 */
export class Delivery {
  #gathering: Batch = emptyBatch();
  #scheduled = false;
  #delivering = false;
  #waitingLength = 0;
  #idle: (() => void)[] = [];
  #sent = 0;
  /** How often storing took no longer than each of `STORE_BOUNDS`, and longer than all; and all times together, in seconds. */
  readonly #storeCounts = [...STORE_BOUNDS, Number.POSITIVE_INFINITY].map(() => 0);
  #storeSum = 0;

  enqueue(entry: DeliveryEntry): void {
    this.#gathering.entries.push(entry);
    this.#waitingLength += entry.frame.length;
    this.#schedule();
  }

  /** Frames that left, once for each receiver. */
  get sent(): number {
    return this.#sent;
  }

  /** How long it took until batches that must be stored were: in buckets, in seconds. */
  get storeTimes(): { readonly bounds: readonly number[]; readonly counts: readonly number[]; readonly sum: number } {
    return { bounds: STORE_BOUNDS, counts: [...this.#storeCounts], sum: this.#storeSum };
  }

  /** Code units of the frames that are not sent yet. */
  get waitingLength(): number {
    return this.#waitingLength;
  }

  /** Resolves when the frames that wait now are sent, no matter how many follow. */
  async left(): Promise<void> {
    if (!this.#scheduled && !this.#delivering) return;
    this.#schedule();
    await new Promise<void>((resolve) => this.#gathering.onLeft.push(resolve));
  }

  /** The changes of this source in the current batch must be stored before the batch is sent. */
  requireStored(source: DurableSource): void {
    this.#gathering.mustBeStored.add(source);
    this.#schedule();
  }

  /** Resolves when all frames are sent and none waits. */
  async drained(): Promise<void> {
    if (!this.#scheduled && !this.#delivering) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled || this.#delivering) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#deliverAll();
    });
  }

  async #deliverAll(): Promise<void> {
    this.#delivering = true;
    while (!isEmpty(this.#gathering)) {
      const batch = this.#gathering;
      this.#gathering = emptyBatch();
      // Counted before entries are undone: the rejections are frames of their own.
      const length = batch.entries.reduce((sum, { frame }) => sum + frame.length, 0);
      if (batch.mustBeStored.size > 0) await this.#store(batch);
      this.#sent += send(batch.entries);
      this.#waitingLength -= length;
      for (const resolve of batch.onLeft) resolve();
    }
    this.#delivering = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #store(batch: Batch): Promise<void> {
    const begun = performance.now();
    const sources = [...batch.mustBeStored];
    const outcomes = await Promise.allSettled(sources.map((source) => source.makeDurable()));
    this.#countStore((performance.now() - begun) / 1_000);
    outcomes.forEach((outcome, index) => {
      const source = sources[index];
      if (outcome.status === 'rejected' && source) this.#takeBack(batch, source, outcome.reason);
    });
  }

  #countStore(seconds: number): void {
    const at = STORE_BOUNDS.findIndex((bound) => seconds <= bound);
    const index = at < 0 ? STORE_BOUNDS.length : at;
    this.#storeCounts[index] = (this.#storeCounts[index] ?? 0) + 1;
    this.#storeSum += seconds;
  }

  /** Also undoes what was accepted after it meanwhile, which builds on a change that never happened. */
  #takeBack(batch: Batch, source: DurableSource, error: unknown): void {
    const later = extract(this.#gathering.entries, source);
    for (const { frame } of later) this.#waitingLength -= frame.length;
    const taken = [...extract(batch.entries, source), ...later];
    this.#gathering.mustBeStored.delete(source);
    source.takeBack(taken, error);
  }
}

function emptyBatch(): Batch {
  return { entries: [], mustBeStored: new Set(), onLeft: [] };
}

function isEmpty({ entries, mustBeStored, onLeft }: Batch): boolean {
  return entries.length === 0 && mustBeStored.size === 0 && onLeft.length === 0;
}

function extract(entries: DeliveryEntry[], source: DurableSource): DeliveryEntry[] {
  const taken = entries.filter((entry) => entry.source === source);
  if (taken.length > 0) entries.splice(0, entries.length, ...entries.filter((entry) => entry.source !== source));
  return taken;
}

/** Returns how many frames that were, counted for each receiver. */
function send(entries: readonly DeliveryEntry[]): number {
  const [first] = entries;
  if (!first) return 0;
  // The usual case is a stream to one set of subscribers: every receiver gets the same list.
  if (entries.every((entry) => entry.receivers === first.receivers)) {
    const frames = entries.map((entry) => entry.frame);
    for (const receiver of first.receivers) receiver.deliver(frames);
    return frames.length * first.receivers.length;
  }
  const outgoing = new Map<Receiver, EncodedFrame[]>();
  for (const { frame, receivers } of entries) {
    for (const receiver of receivers) {
      const frames = outgoing.get(receiver);
      if (frames) frames.push(frame);
      else outgoing.set(receiver, [frame]);
    }
  }
  let sent = 0;
  for (const [receiver, frames] of outgoing) {
    receiver.deliver(frames);
    sent += frames.length;
  }
  return sent;
}

/** ASCII text before and after the payload of many frames. */
interface Around {
  readonly before: string;
  readonly after: string;
  readonly beforeBytes: Buffer;
  readonly afterBytes: Buffer;
}

export function around(before: string, after: string): Around {
  return { before, after, beforeBytes: Buffer.from(before), afterBytes: Buffer.from(after) };
}

const NOTHING = around('', '');

/** A frame for any number of receivers: encoded once, framed for WebSockets once, shared by all of them. */
export class EncodedFrame {
  readonly #inner: string;
  readonly #around: Around;
  #innerBytes: number;
  #isWritten = false;
  #webSocketFrame: Buffer | undefined;

  /** `innerBytes`: the length of `inner` in bytes, if it is known. */
  constructor(inner: string, around: Around = NOTHING, innerBytes = -1) {
    this.#inner = inner;
    this.#around = around;
    this.#innerBytes = innerBytes;
  }

  get text(): string {
    const { before, after } = this.#around;
    return `${before}${this.#inner}${after}`;
  }

  /** The length of the text in code units. */
  get length(): number {
    const { before, after } = this.#around;
    return before.length + this.#inner.length + after.length;
  }

  /** An unmasked, unfragmented text frame (RFC 6455, 5.2), ready for the socket. */
  get webSocketFrame(): Buffer {
    if (!this.#webSocketFrame) {
      this.#webSocketFrame = Buffer.allocUnsafe(this.webSocketBytes);
      this.#encode(this.#webSocketFrame, 0);
    }
    return this.#webSocketFrame;
  }

  /** The length of `webSocketFrame` in bytes. */
  get webSocketBytes(): number {
    const payload = this.#payloadBytes;
    return headerBytes(payload) + payload;
  }

  /** Writes `webSocketFrame` into a buffer. The first time it is encoded directly: most frames are needed only once. */
  writeTo(buffer: Buffer, at: number): void {
    if (this.#isWritten) this.webSocketFrame.copy(buffer, at);
    else this.#encode(buffer, at);
    this.#isWritten = true;
  }

  get #payloadBytes(): number {
    if (this.#innerBytes < 0) this.#innerBytes = Buffer.byteLength(this.#inner);
    const { before, after } = this.#around;
    return before.length + this.#innerBytes + after.length;
  }

  #encode(buffer: Buffer, start: number): void {
    const { beforeBytes, afterBytes } = this.#around;
    let at = writeHeader(buffer, start, this.#payloadBytes);
    at += beforeBytes.copy(buffer, at);
    at += buffer.write(this.#inner, at);
    afterBytes.copy(buffer, at);
  }
}

const FIN_TEXT = 0x81;

function headerBytes(payloadBytes: number): number {
  return payloadBytes < 126 ? 2 : payloadBytes < 65_536 ? 4 : 10;
}

/** Returns where the payload begins. */
function writeHeader(buffer: Buffer, at: number, payloadBytes: number): number {
  buffer[at] = FIN_TEXT;
  if (payloadBytes < 126) {
    buffer[at + 1] = payloadBytes;
  } else if (payloadBytes < 65_536) {
    buffer[at + 1] = 126;
    buffer[at + 2] = payloadBytes >> 8;
    buffer[at + 3] = payloadBytes & 255;
  } else {
    buffer[at + 1] = 127;
    buffer.writeBigUInt64BE(BigInt(payloadBytes), at + 2);
  }
  return at + headerBytes(payloadBytes);
}
