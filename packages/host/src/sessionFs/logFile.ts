import { errorCode } from './errnoFailure.js';
import { EventLogFailure } from './eventLog.js';
import { replaceFile } from './replaceFile.js';
import type { SessionFs } from './sessionFs.js';

/** Beside the log, copies of what is damaged in it. */
export const CORRUPT_SUFFIX = '.corrupt';

const NEWLINE = 0x0a;

/** The bytes of `events.jsonl`: knows how many of them are the log, and gets rid of what follows them before it writes. */
export class LogFile {
  readonly path: string;
  readonly #fs: SessionFs;
  readonly #sync: boolean;
  #size = 0;
  /** Damage that was found, which has to be saved before it is cut off. */
  #toSave: readonly Uint8Array[] = [];
  #isClean = true;

  constructor(fs: SessionFs, path: string, options: { readonly sync: boolean }) {
    this.#fs = fs;
    this.path = path;
    this.#sync = options.sync;
  }

  /** How many bytes are the log's own. */
  get size(): number {
    return this.#size;
  }

  /** Whether nothing follows the log in its file. */
  get isClean(): boolean {
    return this.#isClean;
  }

  /** The log ends at `size`; `damage` is to be kept in the `.corrupt` file, and what follows `size` to be cut off. */
  endsAt(size: number, damage?: readonly Uint8Array[]): void {
    this.#size = size;
    if (!damage) return;
    this.#toSave = damage;
    this.#isClean = false;
  }

  /** What was written after `size` is no longer part of the log. */
  cutTo(size: number): void {
    this.#size = size;
    this.#isClean = false;
  }

  /** Whole lines, as UTF-8. Once it has failed, the end of the file is unknown and is repaired before the next try. */
  async append(lines: Uint8Array): Promise<void> {
    await this.repair();
    this.#mustFit(lines.length);
    this.#isClean = false;
    await this.#fs.appendFile(this.path, lines);
    // Where syncing fails, the system may drop the pages and call the next sync a success: only writing again helps.
    if (this.#sync) await this.#fs.sync?.(this.path);
    this.#size += lines.length;
    this.#isClean = true;
  }

  /** A log that can't be read back would be a lost session: better one that takes no more. */
  #mustFit(bytes: number): void {
    const { maxFileBytes: limit } = this.#fs;
    if (limit === undefined || this.#size + bytes <= limit) return;
    const mebibytes = Math.round((limit / 1024 / 1024) * 10) / 10;
    throw new EventLogFailure(
      'FULL',
      `its log has reached the ${mebibytes} MiB that its file system can give back; fork it from an earlier turn, or begin a new session`,
    );
  }

  async repair(): Promise<void> {
    if (this.#isClean) return;
    await this.#save();
    const found = await this.#sizeOnDisk();
    if (found < this.#size) {
      throw new EventLogFailure(
        'SHRUNK',
        `${this.path} has ${found} bytes, but ${this.#size} were stored in it: somebody else changed it`,
      );
    }
    if (found > 0) await this.#cut();
    this.#isClean = true;
  }

  /** Keeps a copy of lines that are damaged and stay where they are. */
  async keepCopies(damaged: readonly Uint8Array[]): Promise<void> {
    this.#toSave = [...this.#toSave, ...damaged];
    await this.#save();
  }

  async #cut(): Promise<void> {
    const bytes = await this.#fs.readFileBytes(this.path);
    const log = bytes.subarray(0, this.#size);
    const ended = log.length === 0 || log.at(-1) === NEWLINE ? log : Buffer.concat([log, Buffer.of(NEWLINE)]);
    if (ended.length !== bytes.length || bytes.at(-1) !== ended.at(-1)) {
      await replaceFile(this.#fs, this.path, ended, { sync: this.#sync });
    } else if (this.#sync) await this.#fs.sync?.(this.path);
    this.#size = ended.length;
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
}
