import { crc32 } from 'node:zlib';
import { errorCode } from './errnoFailure.js';
import { EventLogFailure } from './eventLog.js';
import { decodeLine } from './logLine.js';
import { replaceFile } from './replaceFile.js';
import type { SessionFs } from './sessionFs.js';

/** Beside the log, copies of what is damaged in it. */
export const CORRUPT_SUFFIX = '.corrupt';

const NEWLINE = 0x0a;

/** Where the log ends in its file: so many bytes, which have this checksum (CRC-32). */
export interface LogEnd {
  readonly size: number;
  readonly sum: number;
}

/** What was found wrong with a file when it was read. */
export interface FoundDamage {
  /** Copies of these are to be kept in the `.corrupt` file. */
  readonly pieces: readonly Uint8Array[];
  /** What follows the log in the file: to be cut off, once there is a copy of it. */
  readonly tail: Uint8Array;
}

/**
 * The bytes of `events.jsonl`: knows how many of them are the log, and gets rid of what follows them before it writes.
 *
 * Nothing is cut off that is not known: it is a piece of this log's own that nobody was told of, or there is a copy of it in the
 * `.corrupt` file. Where reading is uncertain, what stays must have the checksum of what was read or written before, and a file
 * whose damage may be bytes that were read as other ones is not written anew.
 */
export class LogFile {
  readonly path: string;
  readonly #fs: SessionFs;
  readonly #sync: boolean;
  #end: LogEnd = { size: 0, sum: 0 };
  /** Damage that was found, of which copies have to be kept before anything is written. */
  #toSave: readonly Uint8Array[] = [];
  /** A tail of which there is a copy. */
  #foundTail: Uint8Array = new Uint8Array();
  /** What was being written when that failed: some of it may be in the file. */
  #attempted: Uint8Array = new Uint8Array();
  /** The last line has no end: what is written next begins with one. */
  #lacksLineEnd = false;
  #isClean = true;
  #holdsDamage = false;

  constructor(fs: SessionFs, path: string, options: { readonly sync: boolean }) {
    this.#fs = fs;
    this.path = path;
    this.#sync = options.sync;
  }

  /** Whether nothing follows the log in its file. */
  get isClean(): boolean {
    return this.#isClean;
  }

  /** The log ends here; `damage` is what was found when it was read. */
  endsAt(end: LogEnd, damage?: FoundDamage): void {
    this.#end = end;
    if (!damage) return;
    this.#holdsDamage = true;
    this.#toSave = damage.pieces;
    this.#foundTail = damage.tail;
    this.#isClean = false;
  }

  /** The same where the file must not be cut: all that is in it stays, and what is written next begins on a new line. */
  endsUncut(end: LogEnd, damage: readonly Uint8Array[], lacksLineEnd: boolean): void {
    this.#end = end;
    this.#holdsDamage = true;
    this.#toSave = damage;
    this.#lacksLineEnd = lacksLineEnd;
  }

  /** There are lines in it that can't be read. */
  holdsDamage(): void {
    this.#holdsDamage = true;
  }

  /** What was written after this is no longer part of the log. */
  cutTo(end: LogEnd): void {
    this.#end = end;
    this.#isClean = false;
  }

  /** Cuts off what is stored after this. When it rejects, the log is as it was, and is looked at before the next write. */
  async truncate(end: LogEnd): Promise<void> {
    await this.repair();
    const before = this.#end;
    this.cutTo(end);
    try {
      await this.repair();
    } catch (error) {
      this.cutTo(before);
      throw error;
    }
  }

  /** Whole lines, as UTF-8. Once it has failed, the end of the file is unknown and is repaired before the next try. */
  async append(lines: Uint8Array): Promise<void> {
    await this.repair();
    const content = this.#lacksLineEnd ? Buffer.concat([Buffer.of(NEWLINE), lines]) : lines;
    this.#mustFit(content.length);
    this.#isClean = false;
    this.#attempted = content;
    await this.#fs.appendFile(this.path, content);
    // Where syncing fails, the system may drop the pages and call the next sync a success: only writing again helps.
    if (this.#sync) await this.#fs.sync?.(this.path);
    this.#end = { size: this.#end.size + content.length, sum: crc32(content, this.#end.sum) };
    this.#attempted = new Uint8Array();
    this.#lacksLineEnd = false;
    this.#isClean = true;
  }

  /** A log that can't be read back would be a lost session: better one that takes no more. */
  #mustFit(bytes: number): void {
    const { maxFileBytes: limit } = this.#fs;
    if (limit === undefined || this.#end.size + bytes <= limit) return;
    const mebibytes = Math.round((limit / 1024 / 1024) * 10) / 10;
    throw new EventLogFailure(
      'FULL',
      `its log has reached the ${mebibytes} MiB that its file system can give back; fork it from an earlier turn, or begin a new session`,
    );
  }

  async repair(): Promise<void> {
    await this.#save();
    if (this.#isClean) return;
    const found = await this.#sizeOnDisk();
    if (found < this.#end.size) {
      throw new EventLogFailure(
        'SHRUNK',
        `${this.path} has ${found} bytes, but ${this.#end.size} were stored in it: somebody else changed it`,
      );
    }
    if (found > 0) await this.#cut();
    this.#isClean = true;
  }

  /** Keeps a copy of lines that are damaged and stay where they are. */
  async keepCopies(damaged: readonly Uint8Array[]): Promise<void> {
    this.#holdsDamage = true;
    this.#toSave = [...this.#toSave, ...damaged];
    await this.#save();
  }

  async #cut(): Promise<void> {
    const bytes = Buffer.from(await this.#fs.readFileBytes(this.path));
    const log = bytes.subarray(0, this.#end.size);
    if (this.#fs.isUncertain && crc32(log) !== this.#end.sum) throw this.#altered();
    if (this.#fs.isUncertain && this.#holdsDamage && log.includes('\uFFFD')) {
      const message = `${this.path} has damage that would not stay what it is, so nothing is cut off its end; open the session again`;
      throw new EventLogFailure('DAMAGED', message);
    }
    const tail = bytes.subarray(this.#end.size);
    if (tail.length > 0 && !this.#foundTail.length && !this.#isOwn(tail)) await this.#keepTail(tail);
    // Between the two looks at it somebody else has written: what it is now has to be read first.
    else if (this.#foundTail.length > 0 && !tail.equals(this.#foundTail)) throw this.#altered();
    const lacksEnd = log.length > 0 && log.at(-1) !== NEWLINE && !this.#lacksLineEnd;
    const ended = lacksEnd ? Buffer.concat([log, Buffer.of(NEWLINE)]) : log;
    if (ended.length !== bytes.length || bytes.at(-1) !== ended.at(-1)) {
      await replaceFile(this.#fs, this.path, ended, { sync: this.#sync });
    } else if (this.#sync) await this.#fs.sync?.(this.path);
    this.#end = { size: ended.length, sum: crc32(ended) };
    this.#foundTail = new Uint8Array();
    this.#attempted = new Uint8Array();
  }

  /** Whole records that were taken back, and a piece of what could not be written. */
  #isOwn(tail: Buffer): boolean {
    let start = 0;
    for (let end = tail.indexOf(NEWLINE); end >= 0; end = tail.indexOf(NEWLINE, start)) {
      if (!isRecord(tail.toString('utf8', start, end))) break;
      start = end + 1;
    }
    return Buffer.from(this.#attempted).includes(tail.subarray(start));
  }

  async #keepTail(tail: Uint8Array): Promise<void> {
    this.#toSave = [...this.#toSave, tail];
    await this.#save();
  }

  async #save(): Promise<void> {
    if (this.#toSave.length === 0) return;
    const corrupt = `${this.path}${CORRUPT_SUFFIX}`;
    const before = (await this.#fs.exists(corrupt)) ? Buffer.from(await this.#fs.readFileBytes(corrupt)) : Buffer.of();
    // A broken line stays in the log, so it is found again each time the session is opened.
    const unsaved = this.#toSave.filter((bytes) => !before.includes(Buffer.from(bytes)));
    const content = Buffer.concat(unsaved.flatMap((bytes) => [bytes, Buffer.of(NEWLINE)]));
    if (content.length > 0) await this.#fs.appendFile(corrupt, content);
    if (content.length > 0 && this.#sync) await this.#fs.sync?.(corrupt);
    this.#toSave = [];
  }

  async #sizeOnDisk(): Promise<number> {
    try {
      return (await this.#fs.stat(this.path)).size;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return 0;
      throw error;
    }
  }

  #altered(): EventLogFailure {
    const message = `${this.path} is not what was read of it or stored in it: somebody else changed it; nothing was cut off`;
    return new EventLogFailure('ALTERED', message);
  }
}

function isRecord(line: string): boolean {
  try {
    const { records, damage } = decodeLine(line);
    return damage === undefined && records.length === 1;
  } catch {
    return false;
  }
}
