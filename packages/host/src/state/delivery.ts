import type { EncodedFrame } from './encodedFrame.js';

/** Where frames go: one connection. */
export interface Receiver {
  /** All that one batch has for it, in order: to be written with one write. */
  deliver(frames: readonly EncodedFrame[]): void;
}

/** What has to be on disk before the envelopes that came from it may leave. */
export interface DurableSource {
  /** Resolves when everything that was accepted so far is stored. */
  makeDurable(): Promise<void>;
  /** Storing failed: none of these has left. They are to be taken back; what is told instead goes through `Delivery` again. */
  takeBack(entries: readonly DeliveryEntry[], error: unknown): void;
}

export interface DeliveryEntry {
  readonly frame: EncodedFrame;
  readonly receivers: readonly Receiver[];
  /** Whose state this frame tells of; it leaves only when that is stored, if it has to be. */
  readonly source?: DurableSource | undefined;
  /** For the source, when it has to take the entry back. */
  readonly tag?: unknown;
}

interface Batch {
  readonly entries: DeliveryEntry[];
  readonly onLeft: (() => void)[];
  readonly mustBeStored: Set<DurableSource>;
}

/**
 * The outbound pipeline. What one tick of the event loop produced is one batch: what must be on disk is stored first, then
 * the batch leaves in order, with one write for each receiver; meanwhile the next batch gathers. Everything that a client
 * is sent goes through here, so that a snapshot and the envelopes around it keep their order.
 */
export class Delivery {
  #gathering: Batch = emptyBatch();
  #scheduled = false;
  #delivering = false;
  #waitingLength = 0;
  #idle: (() => void)[] = [];

  enqueue(entry: DeliveryEntry): void {
    this.#gathering.entries.push(entry);
    this.#waitingLength += entry.frame.length;
    this.#schedule();
  }

  /** Code units of the frames that have not left yet. */
  get waitingLength(): number {
    return this.#waitingLength;
  }

  /** Resolves when what waits now has left, however much comes after it. */
  async left(): Promise<void> {
    if (!this.#scheduled && !this.#delivering) return;
    this.#schedule();
    await new Promise<void>((resolve) => this.#gathering.onLeft.push(resolve));
  }

  /** What this source has accepted in this batch must be stored before the batch leaves. */
  requireStored(source: DurableSource): void {
    this.#gathering.mustBeStored.add(source);
    this.#schedule();
  }

  /** Resolves when everything enqueued so far has left. */
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
      // Before anything of it is taken back: that is told by frames of its own.
      const length = batch.entries.reduce((sum, { frame }) => sum + frame.length, 0);
      if (batch.mustBeStored.size > 0) await this.#store(batch);
      send(batch.entries);
      this.#waitingLength -= length;
      for (const resolve of batch.onLeft) resolve();
    }
    this.#delivering = false;
    for (const resolve of this.#idle.splice(0)) resolve();
  }

  async #store(batch: Batch): Promise<void> {
    const sources = [...batch.mustBeStored];
    const outcomes = await Promise.allSettled(sources.map((source) => source.makeDurable()));
    outcomes.forEach((outcome, index) => {
      const source = sources[index];
      if (outcome.status === 'rejected' && source) this.#takeBack(batch, source, outcome.reason);
    });
  }

  /** Also what was accepted on top of it meanwhile: it stands on something that never happened. */
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

function send(entries: readonly DeliveryEntry[]): void {
  const [first] = entries;
  if (!first) return;
  // The usual case, a stream to one set of subscribers: every receiver gets the same list.
  if (entries.every((entry) => entry.receivers === first.receivers)) {
    const frames = entries.map((entry) => entry.frame);
    for (const receiver of first.receivers) receiver.deliver(frames);
    return;
  }
  const outgoing = new Map<Receiver, EncodedFrame[]>();
  for (const { frame, receivers } of entries) {
    for (const receiver of receivers) {
      const frames = outgoing.get(receiver);
      if (frames) frames.push(frame);
      else outgoing.set(receiver, [frame]);
    }
  }
  for (const [receiver, frames] of outgoing) receiver.deliver(frames);
}
