import type { BufferedRecord } from './bufferedRecord.js';
import type { LogPosition } from './eventLog.js';

interface WrittenRecord {
  readonly entry: BufferedRecord;
  /** The place before it. */
  readonly before: LogPosition;
}

const MAX_BYTES = 256 * 1024;

/** The newest records in the file that the host may still have to roll back. */
export class WrittenRecords {
  #records: WrittenRecord[] = [];
  #bytes = 0;
  /** Nothing up to here can be rolled back. */
  #settled = 0;

  add(record: WrittenRecord): void {
    this.#records.push(record);
    this.#bytes += record.entry.size;
    if (this.#bytes <= MAX_BYTES) return;
    let dropped = 0;
    // Shrinks to a half, so that not every record moves all the others.
    while (this.#bytes > MAX_BYTES / 2 && dropped < this.#records.length - 1) {
      this.#bytes -= this.#records[dropped++]?.entry.size ?? 0;
    }
    this.settle(this.#records[dropped - 1]?.entry.last ?? 0);
  }

  /** Appends up to `position` will not be rolled back. */
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

  /** Drops everything after `position`, and returns where the file has to be cut, if it has to be. */
  takeBack(position: number): { readonly cut?: WrittenRecord; readonly complete: boolean } {
    const first = this.#records.findIndex(({ entry }) => entry.last > position);
    const [cut] = first < 0 ? [] : this.#records.splice(first);
    this.#bytes = this.#records.reduce((sum, { entry }) => sum + entry.size, 0);
    return { ...(cut && { cut }), complete: this.canTakeBack(position) };
  }
}
