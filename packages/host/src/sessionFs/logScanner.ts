import { crc32 } from 'node:zlib';
import { type BrokenLine, LOG_BEGINNING, type LogEntry, type LogPosition } from './eventLog.js';
import { type DecodedRecord, decodeLine } from './logLine.js';

/** Takes the lines of a log in order, gives the records that can be used, and notes what is wrong. */
export class LogScanner {
  /** What was known before, and what is found. */
  readonly broken: BrokenLine[];
  readonly #known: number;
  #position: LogPosition;
  /** After a line that could not be read, nobody knows how many records it held. */
  #gapIsExplained = false;

  constructor(from: LogPosition = LOG_BEGINNING, broken: readonly BrokenLine[] = []) {
    this.#position = from;
    this.broken = [...broken];
    this.#known = broken.length;
  }

  get lastN(): number {
    return this.#position.n;
  }

  get line(): number {
    return this.#position.line;
  }

  /** After the last line that was taken; in bytes only if all of them were text. */
  get position(): LogPosition {
    return this.#position;
  }

  get hasFoundDamage(): boolean {
    return this.broken.length > this.#known;
  }

  take(line: string): LogEntry[] {
    const { end, sum } = this.#position;
    const bytes = { end: end + Buffer.byteLength(line) + 1, sum: crc32('\n', crc32(line, sum)) };
    return this.decode(line, bytes).flatMap(({ record }) => (record ? { record, position: this.#position } : []));
  }

  /** With those of unknown types; `after` is where the line ends. */
  decode(line: string, after: Pick<LogPosition, 'end' | 'sum'>): readonly DecodedRecord[] {
    const { n, crc, line: before, end: start } = this.#position;
    this.#position = { n, crc, line: before + 1, start, ...after };
    const { records, damage } = decodeLine(line);
    if (damage !== undefined) {
      this.report(damage);
      if (records.length === 0) this.#gapIsExplained = true;
    }
    return records.filter((record) => this.#isNext(record));
  }

  report(reason: string): void {
    this.broken.push({ line: this.line, reason });
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

export interface DamagedLog {
  /** After its last whole record, once its line has an end. */
  readonly position: LogPosition;
  /** Without those that follow the last whole record: they are its tail. */
  readonly broken: readonly BrokenLine[];
  readonly allBroken: readonly BrokenLine[];
  /** Where the last whole record ends, with its line's end if that is there. */
  readonly end: number;
  /** CRC-32 of all bytes before that. */
  readonly endSum: number;
  /** What follows it. */
  readonly tail: Uint8Array;
  /** After everything, once the last line has an end; the numbers of records that the tail may have held are left free. */
  readonly uncut: LogPosition;
  /** The broken lines and the tail, as they are. */
  readonly damaged: readonly Uint8Array[];
}

const NEWLINE = 0x0a;

/** The same on the bytes from a place on, for a log that is damaged: what isn't UTF-8 has no length as text. */
export function scanDamagedLog(
  bytes: Uint8Array,
  from: LogPosition = LOG_BEGINNING,
  known: readonly BrokenLine[] = [],
  take: (entry: LogEntry) => void = () => undefined,
): DamagedLog {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const scanner = new LogScanner(from, known);
  const damaged: { readonly start: number; readonly bytes: Uint8Array }[] = [];
  let position = from;
  let end = 0;
  let brokenBeforeEnd = known.length;
  for (let start = 0; start < buffer.length; ) {
    const newline = buffer.indexOf(NEWLINE, start);
    const lineEnd = newline < 0 ? buffer.length : newline;
    const sum = crc32('\n', crc32(buffer.subarray(start, lineEnd), scanner.position.sum));
    const found = scanner.decode(buffer.toString('utf8', start, lineEnd), { end: from.end + lineEnd + 1, sum });
    const last = found.at(-1);
    if (last && newline < 0) {
      end = buffer.lastIndexOf(last.ending) + last.ending.length;
      if (scanner.broken.at(-1)?.line !== scanner.line) scanner.report('the line has no end');
    } else if (last) end = lineEnd + 1;
    if (last) {
      position = newline < 0 ? withLineEnd(scanner.position, buffer.subarray(0, end), from) : scanner.position;
      for (const { record } of found) if (record) take({ record, position });
      brokenBeforeEnd = scanner.broken.length;
    }
    if (scanner.broken.at(-1)?.line === scanner.line) damaged.push({ start, bytes: buffer.subarray(start, lineEnd) });
    start = lineEnd + 1;
  }
  const tail = buffer.subarray(end);
  return {
    position,
    broken: scanner.broken.slice(0, brokenBeforeEnd),
    allBroken: scanner.broken,
    end: from.end + end,
    endSum: crc32(buffer.subarray(0, end), from.sum),
    tail,
    uncut: { ...scanner.position, n: position.n + scanner.line - position.line },
    damaged: [
      ...damaged.filter(({ start }) => start < end).map((line) => line.bytes),
      ...(tail.length > 0 ? [tail] : []),
    ],
  };
}

/** As it is after the repair. */
function withLineEnd(position: LogPosition, log: Uint8Array, from: LogPosition): LogPosition {
  return { ...position, end: from.end + log.length + 1, sum: crc32('\n', crc32(log, from.sum)) };
}
