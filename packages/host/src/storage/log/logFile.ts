import { crc32 } from 'node:zlib';
import { errorCode } from '../fs/errnoFailure.js';
import { replaceFile } from '../fs/replaceFile.js';
import type { SessionFs } from '../fs/sessionFs.js';
import { CorruptFile } from './corruptFile.js';
import { EventLogFailure } from './eventLog.js';
import { decodeLine } from './lineFormat.js';
import { type ByteRange, LogBytes, sumOf } from './logBytes.js';
import { rawLines } from './rawLines.js';

const NEWLINE = 0x0a;
const REPLACEMENT = Buffer.from('\uFFFD');

/** Where the log ends in its file: this many bytes with this checksum (CRC-32). */
export interface LogEnd {
  readonly size: number;
  readonly sum: number;
}

const NOTHING: LogEnd = { size: 0, sum: 0 };

/** Damage that was found when the file was read. */
export interface FoundDamage {
  /** Copies of these lines have to be kept in the `.corrupt` file. */
  readonly lines: readonly ByteRange[];
  /** What follows the log in the file: it is cut off once there is a copy. The CRC-32 covers only these bytes. */
  readonly tail: LogEnd;
}

/**
 * The bytes of `events.jsonl`: knows how many of them are the log, and removes what follows them before it writes.
 *
 * Only known bytes are cut off: a part of this log that no client was told of, or bytes with a copy in the `.corrupt` file. Where
 * reading is uncertain, the rest must have the checksum of what was read or written before, and a file whose damage may
 * hide other bytes is not rewritten.
 */
export class LogFile {
  readonly path: string;
  readonly #fs: SessionFs;
  readonly #sync: boolean;
  readonly #corrupt: CorruptFile;
  #end: LogEnd = NOTHING;
  /** Broken lines whose copies have to be kept before anything is written. */
  #toSave: readonly ByteRange[] = [];
  /** A tail that was found, and whether there is a copy of it. */
  #foundTail: LogEnd = NOTHING;
  #isTailKept = true;
  /** The data of a failed write: some of it may be in the file. */
  #attempted: Uint8Array = new Uint8Array();
  /** The last line has no end: the next write begins with one. */
  #lacksLineEnd = false;
  #isClean = true;
  #holdsDamage = false;

  constructor(fs: SessionFs, path: string, options: { readonly sync: boolean }) {
    this.#fs = fs;
    this.path = path;
    this.#sync = options.sync;
    this.#corrupt = new CorruptFile(fs, path, options);
  }

  /** Whether nothing follows the log in its file. */
  get isClean(): boolean {
    return this.#isClean;
  }

  /** The log ends here; `damage` was found when it was read. */
  endsAt(end: LogEnd, damage?: FoundDamage): void {
    this.#end = end;
    if (!damage) return;
    this.#holdsDamage = true;
    this.#toSave = damage.lines;
    this.#foundTail = damage.tail;
    this.#isTailKept = damage.tail.size === 0;
    this.#isClean = false;
  }

  /** The same when the file must not be cut: everything in it stays, and the next write begins on a new line. */
  endsUncut(end: LogEnd, damage: readonly ByteRange[], lacksLineEnd: boolean): void {
    this.#end = end;
    this.#holdsDamage = true;
    this.#toSave = damage;
    this.#lacksLineEnd = lacksLineEnd;
  }

  /** Records that it has unreadable lines. */
  holdsDamage(): void {
    this.#holdsDamage = true;
  }

  /** What was written after this is no longer part of the log. */
  cutTo(end: LogEnd): void {
    this.#end = end;
    this.#isClean = false;
  }

  /** Cuts off what is stored after this. When it rejects, the log is unchanged, and is checked before the next write. */
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

  /** Writes whole lines, as UTF-8. After a failure the end of the file is unknown and is repaired before the next try. */
  async append(lines: Uint8Array): Promise<void> {
    await this.repair();
    const content = this.#lacksLineEnd ? Buffer.concat([Buffer.of(NEWLINE), lines]) : lines;
    this.#mustFit(content.length);
    this.#isClean = false;
    this.#attempted = content;
    await this.#fs.appendFile(this.path, content);
    // After a failed sync the system may drop the pages and report success for the next one: only writing again helps.
    if (this.#sync) await this.#fs.sync?.(this.path);
    this.#end = { size: this.#end.size + content.length, sum: crc32(content, this.#end.sum) };
    this.#attempted = new Uint8Array();
    this.#lacksLineEnd = false;
    this.#isClean = true;
  }

  /** A log that can't be read back would be a lost session, so it accepts no more. */
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
        `${this.path} has ${found} bytes, but ${this.#end.size} were stored in it: another program changed it`,
      );
    }
    if (found > 0) await this.#cut(found);
    this.#isClean = true;
  }

  /** Keeps a copy of damaged lines that stay in place. */
  async keepCopies(damaged: readonly ByteRange[]): Promise<void> {
    this.#holdsDamage = true;
    this.#toSave = [...this.#toSave, ...damaged];
    await this.#save();
  }

  async #cut(found: number): Promise<void> {
    const bytes = await LogBytes.open(this.#fs, this.path);
    const size = bytes.size ?? found;
    const log = { start: 0, end: this.#end.size };
    const tail = { start: log.end, end: size };
    if (this.#fs.isUncertain) await this.#mustStay(bytes, log);
    if (this.#foundTail.size > 0) {
      // Another program has written in between: the file has to be read first.
      if (!(await isTail(bytes, tail, this.#foundTail))) throw this.#altered();
    } else if (tail.end > tail.start && !(await this.#isOwn(bytes, tail))) await this.#corrupt.addTail(bytes, tail);
    const [lastByte] = await bytes.bytes({ start: Math.max(log.end - 1, 0), end: log.end });
    const lacksEnd = lastByte !== undefined && lastByte !== NEWLINE && !this.#lacksLineEnd;
    const ended = lacksEnd ? { size: log.end + 1, sum: crc32('\n', this.#end.sum) } : this.#end;
    const [finalByte] = await bytes.bytes({ start: Math.max(size - 1, 0), end: size });
    if (ended.size !== size || (lacksEnd && finalByte !== NEWLINE)) {
      await replaceFile(this.#fs, this.path, this.#endedLog(bytes, log, lacksEnd), { sync: this.#sync });
    } else if (this.#sync) await this.#fs.sync?.(this.path);
    this.#end = ended;
    this.#foundTail = NOTHING;
    this.#attempted = new Uint8Array();
  }

  /** Where reading is uncertain, the rest must be what was read or written before, and valid text. */
  async #mustStay(bytes: LogBytes, log: ByteRange): Promise<void> {
    let [sum, isText] = [0, true];
    let before: Uint8Array = Buffer.of();
    for await (const piece of bytes.pieces(log)) {
      sum = crc32(piece, sum);
      isText &&= !Buffer.concat([before, piece]).includes(REPLACEMENT);
      before = piece.subarray(1 - REPLACEMENT.length);
    }
    if (sum !== this.#end.sum) throw this.#altered();
    if (isText || !this.#holdsDamage) return;
    const message = `${this.path} has damage that would not stay what it is, so nothing is cut off its end; open the session again`;
    throw new EventLogFailure('DAMAGED', message);
  }

  async *#endedLog(bytes: LogBytes, log: ByteRange, lacksEnd: boolean): AsyncGenerator<Uint8Array> {
    let copied = 0;
    for await (const piece of bytes.pieces(log)) {
      copied += piece.length;
      yield piece;
    }
    if (copied !== log.end) throw this.#altered();
    if (lacksEnd) yield Buffer.of(NEWLINE);
  }

  /** Whole records that were rolled back, and a part of a failed write. */
  async #isOwn(bytes: LogBytes, tail: ByteRange): Promise<boolean> {
    let start = tail.start;
    for await (const line of rawLines(bytes.pieces(tail), { end: tail.start, sum: 0 })) {
      const [content] = line.content;
      if (!line.hasLineEnd || line.isTooLong || !content || !isRecord(content.toString('utf8'))) break;
      start = line.end + 1;
    }
    if (tail.end - start > this.#attempted.length) return false;
    return Buffer.from(this.#attempted).includes(await bytes.bytes({ start, end: tail.end }));
  }

  async #save(): Promise<void> {
    if (this.#toSave.length === 0 && this.#isTailKept) return;
    const bytes = await LogBytes.open(this.#fs, this.path);
    await this.#corrupt.addLines(bytes, this.#toSave);
    this.#toSave = [];
    const { size: start } = this.#end;
    if (!this.#isTailKept) await this.#corrupt.addTail(bytes, { start, end: start + this.#foundTail.size });
    this.#isTailKept = true;
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
    const message = `${this.path} is not what was read of it or stored in it: another program changed it; nothing was cut off`;
    return new EventLogFailure('ALTERED', message);
  }
}

async function isTail(bytes: LogBytes, range: ByteRange, { size, sum }: LogEnd): Promise<boolean> {
  return range.end - range.start === size && (await sumOf(bytes, range)) === sum;
}

function isRecord(line: string): boolean {
  try {
    const { records, damage } = decodeLine(line);
    return damage === undefined && records.length === 1;
  } catch {
    return false;
  }
}
