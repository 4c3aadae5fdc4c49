import { setImmediate as immediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { errorCode } from './errnoFailure.js';
import {
  type BrokenLine,
  type CheckOptions,
  type DamageReport,
  EventLogFailure,
  LOG_BEGINNING,
  type LoadFrom,
  type LogEntry,
  type LogPosition,
  type LogRecord,
} from './eventLog.js';
import type { KeyedLock } from './keyedLock.js';
import type { LogFile } from './logFile.js';
import { decodeLine } from './logLine.js';
import { type DamagedLog, LogScanner, scanDamagedLog } from './logScanner.js';
import { ProviderFailure } from './providerFailure.js';
import type { SessionFs } from './sessionFs.js';

export interface LogReaderOptions {
  readonly fs: SessionFs;
  readonly file: LogFile;
  readonly lock: KeyedLock;
  readonly lockKey: string;
}

export interface LoadEnd {
  readonly position: LogPosition;
  readonly damage: DamageReport | undefined;
}

const PIECE_BYTES = 256 * 1024;
/** After so many characters others are served, also where the whole file is in memory: that is some ten milliseconds. */
const UNPAUSED_LENGTH = 128 * 1024;
const NEWLINE = 0x0a;

/** Reads the log's file: from its beginning, from a place on, between two places. */
export class LogReader {
  readonly #options: LogReaderOptions;
  readonly #fs: SessionFs;
  readonly #file: LogFile;

  constructor(options: LogReaderOptions) {
    this.#options = options;
    this.#fs = options.fs;
    this.#file = options.file;
  }

  /** To the end of the file, which is put in order. */
  async *loadFile(from: LoadFrom): AsyncGenerator<LogEntry, LoadEnd> {
    const { size, lines } = await this.#begin(from.position, () => sizeOf(this.#fs, this.#file.path));
    const read = yield* this.#readLines(lines, from, size);
    if (read.isWhole && read.position.end === size) {
      this.#file.endsAt({ size, sum: read.position.sum });
      if (from.broken.length > 0) this.#file.holdsDamage();
      const known = from.broken.length > 0 ? { broken: from.broken, repaired: true } : undefined;
      return { position: read.position, damage: known };
    }
    const entries: LogEntry[] = [];
    const bytes = await this.#bytesToEnd(from.position.end, size);
    const found = scanDamagedLog(bytes, from.position, from.broken, (entry) => entries.push(entry));
    for (const entry of entries) if (entry.position.n > read.lastN) yield entry;
    if (this.#fs.isUncertain) return this.#leaveAsItIs(bytes, from.position, found);
    this.#file.endsAt({ size: found.end, sum: found.endSum }, { pieces: found.damaged, tail: found.tail });
    const repaired = await this.#locked(() => this.#file.repair());
    const tornTail = found.tail.length > 0 && { tornTail: { bytes: found.tail.length } };
    return { position: found.position, damage: { ...tornTail, broken: found.broken, repaired } };
  }

  /** Nothing is cut off, and the log goes on behind what can't be read. */
  async #leaveAsItIs(bytes: Uint8Array, from: LogPosition, found: DamagedLog): Promise<LoadEnd> {
    if (found.position.n === 0) {
      throw this.#unusable(
        'UNREADABLE',
        `no line of ${this.#file.path} is one of a session's log; it was left as it is`,
      );
    }
    const lacksLineEnd = bytes.at(-1) !== NEWLINE;
    const end = { size: from.end + bytes.length, sum: crc32(bytes, from.sum) };
    this.#file.endsUncut(end, found.damaged, lacksLineEnd);
    const repaired = await this.#locked(() => this.#file.repair());
    return { position: found.uncut, damage: { broken: found.allBroken, repaired } };
  }

  /** Along with the writer: up to the record that was the last one when it began. */
  async *loadStored(
    from: LoadFrom,
    end: () => LogPosition,
    known: readonly BrokenLine[],
  ): AsyncGenerator<LogEntry, LoadEnd> {
    let last = LOG_BEGINNING;
    const { lines } = await this.#begin(from.position, () => {
      last = end();
      return last.end;
    });
    const read = yield* this.#readLines(lines, from, last.end, last.n);
    if (read.isWhole && read.position.n >= last.n) return { position: read.position, damage: undefined };
    const entries: LogEntry[] = [];
    const bytes = await this.#bytes(from.position.end, last.end);
    const found = scanDamagedLog(bytes, from.position, from.broken, (entry) => entries.push(entry));
    for (const entry of entries) {
      if (entry.position.n > read.lastN && entry.position.n <= last.n) yield entry;
    }
    return { position: found.position, damage: await this.#keep(found, last, known) };
  }

  async *span(from: LogPosition, to: LogPosition): AsyncGenerator<LogRecord> {
    const lines = to.end > from.end ? this.#fs.readLines(this.#file.path, from.end) : noLines();
    const read = yield* recordsOf(this.#readLines(lines, { position: from, broken: [] }, to.end, to.n));
    if (read.isWhole && isSame(read.position, to)) return;
    // Either it is damaged, or it was already when these places were noted.
    const bytes = await this.#bytes(from.end, to.end);
    const entries: LogEntry[] = [];
    const found = scanDamagedLog(bytes, from, [], (entry) => entries.push(entry));
    if (crc32(bytes, from.sum) !== to.sum || found.position.n !== to.n) {
      throw new EventLogFailure('ALTERED', `${this.#file.path} has changed before its byte ${to.end}`);
    }
    for (const { record } of entries) if (record.n > read.lastN) yield record;
  }

  async check(
    upTo: LogPosition,
    known: readonly BrokenLine[],
    options: CheckOptions,
  ): Promise<DamageReport | undefined> {
    if (await this.#has(upTo, options)) return undefined;
    return this.#keep(scanDamagedLog(await this.#bytes(0, upTo.end)), upTo, known);
  }

  /** Throws `NOT_THERE` unless all bytes before the place are those that were there when it was noted. */
  async mustHave(place: LogPosition): Promise<void> {
    if (!(await this.#has(place))) throw this.#notThere(place);
  }

  async #has({ end, sum: expected }: LogPosition, options?: CheckOptions): Promise<boolean> {
    let sum = 0;
    let size = 0;
    for await (const piece of this.#pieces(end)) {
      sum = crc32(piece, sum);
      size += piece.length;
      await options?.pause();
      options?.signal.throwIfAborted();
    }
    return size === end && sum === expected;
  }

  #notThere({ n, end }: LogPosition): EventLogFailure {
    return new EventLogFailure('NOT_THERE', `${this.#file.path} has no record ${n} that ends at byte ${end} any more`);
  }

  /** What was found where nobody looked since it was stored; `undefined` when all of it is known. */
  async #keep(found: DamagedLog, end: LogPosition, known: readonly BrokenLine[]): Promise<DamageReport | undefined> {
    const isKnown = (line: BrokenLine) => known.some((other) => other.line === line.line);
    const broken = found.allBroken.filter((line) => !isKnown(line));
    // With a line that is broken the bytes can't be the same.
    const isAltered = found.allBroken.length === 0 && !isSame(found.position, end);
    if (broken.length === 0 && !isAltered) return undefined;
    const repaired = await this.#locked(() => this.#file.keepCopies(found.damaged));
    return { broken, ...(isAltered && { altered: true }), repaired };
  }

  /** The lines of a place that is there; `size` is asked for in the same moment. */
  async #begin(
    place: LogPosition,
    ask: () => Promise<number> | number,
  ): Promise<{ readonly size: number; readonly lines: AsyncIterable<string> }> {
    const { start, end, n, crc } = place;
    const { lock, lockKey } = this.#options;
    const begun = await lock.run(lockKey, async () => {
      const size = await ask();
      const lines = this.#fs.readLines(this.#file.path, start)[Symbol.asyncIterator]();
      if (size < end || size === 0) return { size, lines, first: undefined };
      // From here on it reads what it has opened, whatever the file's name stands for later.
      return { size, lines, first: await nextLine(lines) };
    });
    const { size, lines, first } = begun;
    if (n === 0) return { size, lines: size === 0 ? noLines() : rest(lines, first) };
    const tied = first && 'line' in first ? decodeLine(first.line) : undefined;
    const [record] = tied?.damage === undefined ? (tied?.records ?? []) : [];
    if (size >= end && record?.n === n && record.crc === crc) return { size, lines: rest(lines, undefined) };
    await lines.return?.();
    throw this.#notThere(place);
  }

  /** Stops at the first line that isn't whole, at `size`, or after record `lastN`. */
  async *#readLines(
    lines: AsyncIterable<string>,
    from: LoadFrom,
    size: number,
    lastN = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<LogEntry, { readonly position: LogPosition; readonly lastN: number; readonly isWhole: boolean }> {
    const scanner = new LogScanner(from.position, from.broken);
    let given = from.position.n;
    let unpaused = 0;
    try {
      for await (const line of lines) {
        unpaused += line.length;
        if (unpaused > UNPAUSED_LENGTH) {
          await immediate();
          unpaused = 0;
        }
        const entries = scanner.take(line);
        if (scanner.hasFoundDamage || scanner.position.end > size) {
          return { position: scanner.position, lastN: given, isWhole: false };
        }
        yield* entries;
        given = scanner.lastN;
        if (given >= lastN) break;
      }
    } catch (error) {
      // A line that is too long to be read is damage like any other.
      if (errorCode(error) !== 'EFBIG') throw error;
      return { position: scanner.position, lastN: given, isWhole: false };
    }
    return { position: scanner.position, lastN: given, isWhole: true };
  }

  async #bytes(from: number, to: number): Promise<Uint8Array> {
    if (to <= from) return new Uint8Array();
    if (this.#fs.readRange) return this.#fs.readRange(this.#file.path, from, to - from);
    return (await this.#fs.readFileBytes(this.#file.path)).subarray(from, to);
  }

  /** Throws when the file is not as long as it was said to be: then nothing may be concluded from what was read. */
  async #bytesToEnd(from: number, size: number): Promise<Uint8Array> {
    const bytes = this.#fs.isUncertain
      ? (await this.#fs.readFileBytes(this.#file.path)).subarray(from)
      : await this.#bytes(from, size);
    if (bytes.length === Math.max(size - from, 0)) return bytes;
    const what = `${this.#file.path} has ${size} bytes, but ${from + bytes.length} came when it was read; it was left as it is`;
    throw this.#unusable('INCOMPLETE', what);
  }

  #unusable(code: 'UNREADABLE' | 'INCOMPLETE', what: string): Error {
    return this.#fs.isUncertain ? ProviderFailure.failed(code, what) : new EventLogFailure(code, what);
  }

  async *#pieces(size: number): AsyncGenerator<Uint8Array> {
    const { readRange } = this.#fs;
    const whole = readRange ? undefined : await this.#fs.readFileBytes(this.#file.path);
    for (let at = 0; at < size; at += PIECE_BYTES) {
      const length = Math.min(PIECE_BYTES, size - at);
      const piece = whole?.subarray(at, at + length) ?? (await this.#bytes(at, at + length));
      yield piece;
      if (piece.length < length) return;
    }
  }

  async #locked(work: () => Promise<void>): Promise<boolean> {
    try {
      await this.#options.lock.run(this.#options.lockKey, work);
      return true;
    } catch {
      return false;
    }
  }
}

export async function sizeOf(fs: SessionFs, path: string): Promise<number> {
  try {
    return (await fs.stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

type FirstLine = { readonly line: string } | { readonly failure: unknown } | undefined;

/** A failure is kept for whoever reads on: to a place that is there, a line that is too long is damage. */
async function nextLine(lines: AsyncIterator<string>): Promise<FirstLine> {
  try {
    const { done, value } = await lines.next();
    return done ? undefined : { line: value };
  } catch (failure) {
    return { failure };
  }
}

async function* rest(lines: AsyncIterator<string>, first: FirstLine): AsyncGenerator<string> {
  if (first && 'failure' in first) throw first.failure;
  try {
    if (first) yield first.line;
    for (let next = await lines.next(); !next.done; next = await lines.next()) yield next.value;
  } finally {
    await lines.return?.();
  }
}

async function* noLines(): AsyncGenerator<string> {}

async function* recordsOf<T>(entries: AsyncGenerator<LogEntry, T>): AsyncGenerator<LogRecord, T> {
  try {
    for (let next = await entries.next(); ; next = await entries.next()) {
      if (next.done) return next.value;
      yield next.value.record;
    }
  } finally {
    await entries.return(undefined as T);
  }
}

function isSame(a: LogPosition, b: LogPosition): boolean {
  return a.n === b.n && a.end === b.end && a.sum === b.sum;
}
