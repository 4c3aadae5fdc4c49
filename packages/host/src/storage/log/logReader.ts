import { setImmediate as immediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { errorCode } from '../fs/errnoFailure.js';
import type { KeyedLock } from '../fs/keyedLock.js';
import { ProviderFailure } from '../fs/providerFailure.js';
import type { SessionFs } from '../fs/sessionFs.js';
import { type DamagedLog, scanDamagedLog } from './damagedLog.js';
import {
  type BrokenLine,
  type CheckOptions,
  type DamageReport,
  EventLogFailure,
  LOG_BEGINNING,
  type LoadFrom,
  type LogAnchor,
  type LogEntry,
  type LogPosition,
  type LogRecord,
} from './eventLog.js';
import { decodeLine } from './lineFormat.js';
import { LogBytes } from './logBytes.js';
import type { LogFile } from './logFile.js';
import { LogScanner } from './logScanner.js';

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

/** After this many characters (some ten milliseconds) other work runs, also when the whole file is in memory. */
const UNPAUSED_LENGTH = 128 * 1024;

/** What was read of the lines before an invalid one. */
interface ReadLines {
  readonly position: LogPosition;
  /** After the last valid line. */
  readonly good: LogPosition;
  readonly lastN: number;
  readonly isWhole: boolean;
}

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

  /** Reads to the end of the file and repairs it. */
  async *loadFile(from: LoadFrom): AsyncGenerator<LogEntry, LoadEnd> {
    const { size, lines } = await this.#begin(from.position, () => sizeOf(this.#fs, this.#file.path));
    const read = yield* this.#readLines(lines, from, size);
    if (read.isWhole && read.position.end === size) {
      this.#file.endsAt({ size, sum: read.position.sum });
      if (from.broken.length > 0) this.#file.holdsDamage();
      const known = from.broken.length > 0 ? { broken: from.broken, repaired: true } : undefined;
      return { position: read.position, damage: known };
    }
    const bytes = await this.#bytes();
    const upTo = this.#fs.isUncertain ? (bytes.size ?? size) : size;
    const found = yield* after(scanDamagedLog(bytes, { ...from, position: read.good }, upTo), read.lastN);
    this.#mustBeComplete(found, size);
    if (this.#fs.isUncertain) return this.#leaveAsItIs(found);
    this.#file.endsAt(found.end, { lines: found.damaged, tail: found.tail });
    const repaired = await this.#locked(() => this.#file.repair());
    const tornTail = found.tail.size > 0 && { tornTail: { bytes: found.tail.size } };
    return { position: found.position, damage: { ...tornTail, broken: found.broken, repaired } };
  }

  /** Nothing is cut off, and the log continues behind the unreadable part. */
  async #leaveAsItIs(found: DamagedLog): Promise<LoadEnd> {
    if (found.position.n === 0) {
      throw this.#unusable(
        'UNREADABLE',
        `no line of ${this.#file.path} is one of a session's log; it was left as it is`,
      );
    }
    const { end, tail, all } = found;
    const kept = tail.size > 0 ? [...found.damaged, { start: end.size, end: all.size }] : found.damaged;
    this.#file.endsUncut(all, kept, all.lacksLineEnd);
    const repaired = await this.#locked(() => this.#file.repair());
    return { position: found.uncut, damage: { broken: found.allBroken, repaired } };
  }

  /** Reads along with the writer, up to the record that was the last one when it began. */
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
    const scan = scanDamagedLog(await this.#bytes(), { ...from, position: read.good }, last.end);
    const found = yield* after(scan, read.lastN, last.n);
    return { position: found.position, damage: await this.#keep(found, last, known) };
  }

  async *span(from: LogPosition, to: LogPosition): AsyncGenerator<LogRecord> {
    const lines = to.end > from.end ? this.#fs.readLines(this.#file.path, from.end) : noLines();
    const read = yield* recordsOf(this.#readLines(lines, { position: from, broken: [] }, to.end, to.n));
    if (read.isWhole && isSame(read.position, to)) return;
    // Either it is damaged now, or it already was when these places were noted.
    const scan = scanDamagedLog(await this.#bytes(), { position: read.good, broken: [] }, to.end);
    const { all, position } = yield* recordsOf(after(scan, read.lastN));
    if (all.sum !== to.sum || position.n !== to.n) {
      throw new EventLogFailure('ALTERED', `${this.#file.path} has changed before its byte ${to.end}`);
    }
  }

  /** Nothing of `anchor` is believed beyond what the line there says: only the reader that named it is misled. */
  async *tail(anchor: LogAnchor | undefined, end: () => LogPosition): AsyncGenerator<LogEntry> {
    const from = anchor ? { ...anchor, line: 0, sum: 0 } : LOG_BEGINNING;
    if (anchor?.n === 0) throw this.#notThere(from);
    let last = LOG_BEGINNING;
    const { lines } = await this.#begin(from, () => {
      last = end();
      return last.end;
    });
    const scanner = new LogScanner(from);
    let unpaused = 0;
    for await (const line of lines) {
      unpaused += line.length;
      if (unpaused > UNPAUSED_LENGTH) {
        await immediate();
        unpaused = 0;
      }
      for (const entry of scanner.take(line)) if (entry.position.n <= last.n) yield entry;
      if (scanner.lastN >= last.n) return;
    }
  }

  async check(
    upTo: LogPosition,
    known: readonly BrokenLine[],
    options: CheckOptions,
  ): Promise<DamageReport | undefined> {
    if (await this.#has(upTo, options)) return undefined;
    const beginning = { position: LOG_BEGINNING, broken: [] };
    const scan = scanDamagedLog(await this.#bytes(), beginning, upTo.end, () => paused(options));
    let next = await scan.next();
    while (!next.done) next = await scan.next();
    return this.#keep(next.value, upTo, known);
  }

  /** Throws `NOT_THERE` unless all bytes before the place are the same as when it was noted. */
  async mustHave(place: LogPosition): Promise<void> {
    if (!(await this.#has(place))) throw this.#notThere(place);
  }

  async #has({ end, sum: expected }: LogPosition, options?: CheckOptions): Promise<boolean> {
    let sum = 0;
    let size = 0;
    for await (const piece of (await this.#bytes()).pieces({ start: 0, end })) {
      sum = crc32(piece, sum);
      size += piece.length;
      if (options) await paused(options);
    }
    return size === end && sum === expected;
  }

  #notThere({ n, end }: LogPosition): EventLogFailure {
    return new EventLogFailure('NOT_THERE', `${this.#file.path} has no record ${n} that ends at byte ${end} any more`);
  }

  /** Damage that was found in data that was not read since it was stored; `undefined` when all of it is known. */
  async #keep(found: DamagedLog, end: LogPosition, known: readonly BrokenLine[]): Promise<DamageReport | undefined> {
    const knownLines = new Set(known.map(({ line }) => line));
    const broken = found.allBroken.filter(({ line }) => !knownLines.has(line));
    // With a broken line the bytes can't be the same.
    const isAltered = found.allBroken.length === 0 && !isSame(found.position, end);
    if (broken.length === 0 && !isAltered) return undefined;
    const repaired = await this.#locked(() => this.#file.keepCopies(found.damaged));
    return { broken, ...(isAltered && { altered: true }), repaired };
  }

  /** The lines of an existing place; `size` is read at the same moment. */
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
      // From here on it reads the opened file, whatever its name refers to later.
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

  /** Stops at the first invalid line, at `size`, or after record `lastN`. */
  async *#readLines(
    lines: AsyncIterable<string>,
    from: LoadFrom,
    size: number,
    lastN = Number.POSITIVE_INFINITY,
  ): AsyncGenerator<LogEntry, ReadLines> {
    const scanner = new LogScanner(from.position, from.broken);
    let good = from.position;
    const result = (isWhole: boolean) => ({ position: scanner.position, good, lastN: good.n, isWhole });
    let unpaused = 0;
    try {
      for await (const line of lines) {
        unpaused += line.length;
        if (unpaused > UNPAUSED_LENGTH) {
          await immediate();
          unpaused = 0;
        }
        const entries = scanner.take(line);
        if (scanner.hasFoundDamage || scanner.position.end > size) return result(false);
        yield* entries;
        good = scanner.position;
        if (good.n >= lastN) break;
      }
    } catch (error) {
      // A line that is too long to be read counts as damage.
      if (errorCode(error) !== 'EFBIG') throw error;
      return result(false);
    }
    return result(true);
  }

  #bytes(): Promise<LogBytes> {
    return LogBytes.open(this.#fs, this.#file.path);
  }

  /** Throws when the file is shorter than reported: then nothing may be concluded from what was read. */
  #mustBeComplete({ all }: DamagedLog, size: number): void {
    if (all.size === size) return;
    const what = `${this.#file.path} has ${size} bytes, but ${all.size} came when it was read; it was left as it is`;
    throw this.#unusable('INCOMPLETE', what);
  }

  #unusable(code: 'UNREADABLE' | 'INCOMPLETE', what: string): Error {
    return this.#fs.isUncertain ? ProviderFailure.failed(code, what) : new EventLogFailure(code, what);
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

/** A failure is kept for the next reader: before an existing place, a line that is too long is damage. */
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

/** The records after record `n`, up to another one. */
async function* after<T>(
  entries: AsyncGenerator<LogEntry, T>,
  n: number,
  lastN = Number.POSITIVE_INFINITY,
): AsyncGenerator<LogEntry, T> {
  try {
    for (let next = await entries.next(); ; next = await entries.next()) {
      if (next.done) return next.value;
      if (next.value.position.n > n && next.value.position.n <= lastN) yield next.value;
    }
  } finally {
    await entries.return(undefined as T);
  }
}

async function paused({ pause, signal }: CheckOptions): Promise<void> {
  await pause();
  signal.throwIfAborted();
}

function isSame(a: LogPosition, b: LogPosition): boolean {
  return a.n === b.n && a.end === b.end && a.sum === b.sum;
}
