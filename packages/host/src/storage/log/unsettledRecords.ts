import type { BufferedRecord } from './bufferedRecord.js';
import type { LogPosition } from './eventLog.js';

interface WrittenRecord {
  readonly entry: BufferedRecord;
  /** The place before it. */
  readonly before: LogPosition;
}

const MAX_BYTES = 256 * 1024;

/** The newest records that are in the file, as long as the host may still have to take them back. */
export class UnsettledRecords {
  #records: WrittenRecord[] = [];
  #bytes = 0;
  /** Up to here nothing can be taken back. */
  #settled = 0;

  add(record: WrittenRecord): void {
    this.#records.push(record);
    this.#bytes += record.entry.size;
    if (this.#bytes <= MAX_BYTES) return;
    let dropped = 0;
    // Down to a half, so that not every record moves all the others.
    while (this.#bytes > MAX_BYTES / 2 && dropped < this.#records.length - 1) {
      this.#bytes -= this.#records[dropped++]?.entry.size ?? 0;
    }
    this.settle(this.#records[dropped - 1]?.entry.last ?? 0);
  }

  /** Nobody takes back what was appended up to `position`. */
  settle(position: number): void {
    this.#settled = Math.max(this.#settled, position);
    const kept = this.#records.findIndex(({ entry }) => entry.last > position);
    if (kept === 0) return;
    this.#records = kept < 0 ? [] : this.#records.slice(kept);
    this.#bytes = this.#records.reduce((sum, { entry }) => sum + entry.size, 0);
  }

  canTakeBack(position: number): boolean {
    return position >= this.#settled;
  }

  /** Forgets everything after `position`, and says where the file has to be cut, if it has. */
  takeBack(position: number): { readonly cut?: WrittenRecord; readonly complete: boolean } {
    const first = this.#records.findIndex(({ entry }) => entry.last > position);
    const [cut] = first < 0 ? [] : this.#records.splice(first);
    this.#bytes = this.#records.reduce((sum, { entry }) => sum + entry.size, 0);
    return { ...(cut && { cut }), complete: this.canTakeBack(position) };
  }
}

interface Mark {
  /** Of the last append before it. */
  readonly position: number;
  place: LogPosition | undefined;
  readonly resolve: (place: LogPosition | undefined) => void;
}

const MAX_MARKS = 16;

/** Places that somebody wants to know as soon as they are final. */
export class LogMarks {
  #marks: Mark[] = [];

  /** `place` when what is before it is written already. With too many open ones it is given up at once. */
  add(position: number, place: LogPosition | undefined): Promise<LogPosition | undefined> {
    if (this.#marks.length >= MAX_MARKS) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#marks.push({ position, place, resolve }));
  }

  /** What follows such a position may not be merged with what is before it. */
  has(position: number): boolean {
    return this.#marks.some((mark) => mark.position === position);
  }

  written(position: number, place: LogPosition): void {
    for (const mark of this.#marks) if (mark.position === position) mark.place = place;
  }

  takeBack(after: number, upTo: number): void {
    this.#end(
      (mark) => mark.position > after && mark.position <= upTo,
      () => undefined,
    );
  }

  /** What was stored after this place is no longer there. */
  truncate(to: LogPosition): void {
    this.#end(
      (mark) => mark.place !== undefined && mark.place.end > to.end,
      () => undefined,
    );
  }

  settle(isSettled: (position: number) => boolean): void {
    this.#end(
      (mark) => mark.place !== undefined && isSettled(mark.position),
      (mark) => mark.place,
    );
  }

  finish(): void {
    this.#end(
      () => true,
      (mark) => mark.place,
    );
  }

  #end(belongs: (mark: Mark) => boolean, outcome: (mark: Mark) => LogPosition | undefined): void {
    if (this.#marks.length === 0) return;
    const ended = this.#marks.filter(belongs);
    this.#marks = this.#marks.filter((mark) => !ended.includes(mark));
    for (const mark of ended) mark.resolve(outcome(mark));
  }
}
