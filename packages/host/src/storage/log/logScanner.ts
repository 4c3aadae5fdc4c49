import { crc32 } from 'node:zlib';
import { type BrokenLine, LOG_BEGINNING, type LogEntry, type LogPosition } from './eventLog.js';
import { type DecodedLine, type DecodedRecord, decodeLine } from './lineFormat.js';

/** A file can be damaged from one end to the other; no more lines than this are named. */
export const MAX_BROKEN_LINES = 1_000;

/** Takes the lines of a log in order, returns the usable records, and notes damage. */
export class LogScanner {
  /** Known damage, and what is found: the first MAX_BROKEN_LINES of it. */
  readonly broken: BrokenLine[];
  #position: LogPosition;
  /** After an unreadable line the number of records in it is unknown. */
  #gapIsExplained = false;
  #lastBroken = 0;

  constructor(from: LogPosition = LOG_BEGINNING, broken: readonly BrokenLine[] = []) {
    this.#position = from;
    this.broken = [...broken];
  }

  get lastN(): number {
    return this.#position.n;
  }

  get line(): number {
    return this.#position.line;
  }

  /** After the last line; in bytes only if all of them were text. */
  get position(): LogPosition {
    return this.#position;
  }

  get hasFoundDamage(): boolean {
    return this.#lastBroken > 0;
  }

  /** Whether the last line was damaged. */
  get isLineBroken(): boolean {
    return this.#lastBroken === this.line;
  }

  take(line: string): LogEntry[] {
    const { end, sum } = this.#position;
    const bytes = { end: end + Buffer.byteLength(line) + 1, sum: crc32('\n', crc32(line, sum)) };
    return this.decode(decodeLine(line), bytes).flatMap(({ record }) =>
      record ? { record, position: this.#position } : [],
    );
  }

  /** Includes records of unknown types; `after` is where the line ends. */
  decode({ records, damage }: DecodedLine, after: Pick<LogPosition, 'end' | 'sum'>): readonly DecodedRecord[] {
    const { n, crc, line: before, end: start } = this.#position;
    this.#position = { n, crc, line: before + 1, start, ...after };
    if (damage !== undefined) {
      this.report(damage);
      if (records.length === 0) this.#gapIsExplained = true;
    }
    return records.filter((record) => this.#isNext(record));
  }

  report(reason: string): void {
    this.#lastBroken = this.line;
    if (this.broken.length < MAX_BROKEN_LINES) this.broken.push({ line: this.line, reason });
  }

  #isNext({ n, crc }: DecodedRecord): boolean {
    const { lastN } = this;
    if (n <= lastN) {
      this.report(`record ${n} comes after record ${lastN}`);
      return false;
    }
    if (n > lastN + 1 && !this.#gapIsExplained) {
      this.report(`record ${n} where ${lastN + 1} should be`);
    }
    this.#gapIsExplained = false;
    this.#position = { ...this.#position, n, crc };
    return true;
  }
}
