import type { BrokenLine, LogRecord } from './eventLog.js';
import { type DecodedRecord, decodeLine } from './logLine.js';

/** Takes the lines of a log in order, gives the records that can be used, and notes what is wrong. */
export class LogScanner {
  readonly broken: BrokenLine[] = [];
  #line = 0;
  #lastN = 0;
  /** After a line that could not be read, nobody knows how many records it held. */
  #gapIsExplained = false;

  get lastN(): number {
    return this.#lastN;
  }

  get line(): number {
    return this.#line;
  }

  take(line: string): LogRecord[] {
    return this.decode(line).flatMap(({ record }) => record ?? []);
  }

  /** With those of unknown types. */
  decode(line: string): readonly DecodedRecord[] {
    this.#line++;
    const { records, damage } = decodeLine(line);
    if (damage !== undefined) {
      this.report(damage);
      if (records.length === 0) this.#gapIsExplained = true;
    }
    return records.filter(({ n }) => this.#isNext(n));
  }

  report(reason: string): void {
    this.broken.push({ line: this.#line, reason });
  }

  #isNext(n: number): boolean {
    if (n <= this.#lastN) {
      this.report(`record ${n} comes after record ${this.#lastN}`);
      return false;
    }
    if (n > this.#lastN + 1 && !this.#gapIsExplained) {
      this.report(`record ${n} where ${this.#lastN + 1} should be`);
    }
    this.#gapIsExplained = false;
    this.#lastN = n;
    return true;
  }
}

export interface DamagedLog {
  readonly records: readonly LogRecord[];
  readonly lastN: number;
  readonly broken: readonly BrokenLine[];
  /** Where the last whole record ends, with its line's end if that is there. */
  readonly end: number;
  readonly tailBytes: number;
  /** The broken lines and the tail, as they are. */
  readonly damaged: readonly Uint8Array[];
}

const NEWLINE = 0x0a;

/** The same on bytes, for a log that is damaged: what isn't UTF-8 has no length as text. */
export function scanDamagedLog(bytes: Uint8Array): DamagedLog {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const scanner = new LogScanner();
  const records: LogRecord[] = [];
  const damaged: { readonly start: number; readonly bytes: Uint8Array }[] = [];
  let end = 0;
  let brokenBeforeEnd = 0;
  for (let start = 0; start < buffer.length; ) {
    const newline = buffer.indexOf(NEWLINE, start);
    const lineEnd = newline < 0 ? buffer.length : newline;
    const found = scanner.decode(buffer.toString('utf8', start, lineEnd));
    const last = found.at(-1);
    for (const { record } of found) if (record) records.push(record);
    if (last && newline < 0) {
      end = buffer.lastIndexOf(last.ending) + last.ending.length;
      if (scanner.broken.at(-1)?.line !== scanner.line) scanner.report('the line has no end');
    } else if (last) end = lineEnd + 1;
    if (scanner.broken.at(-1)?.line === scanner.line) damaged.push({ start, bytes: buffer.subarray(start, lineEnd) });
    if (last) brokenBeforeEnd = scanner.broken.length;
    start = lineEnd + 1;
  }
  const tail = buffer.subarray(end);
  return {
    records,
    lastN: scanner.lastN,
    broken: scanner.broken.slice(0, brokenBeforeEnd),
    end,
    tailBytes: tail.length,
    damaged: [
      ...damaged.filter(({ start }) => start < end).map((line) => line.bytes),
      ...(tail.length > 0 ? [tail] : []),
    ],
  };
}
