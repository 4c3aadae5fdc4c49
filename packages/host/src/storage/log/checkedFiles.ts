import { errorCode } from '../fs/errnoFailure.js';
import { replaceFile } from '../fs/replaceFile.js';
import { type SessionFs, SessionFsFailure } from '../fs/sessionFs.js';
import { sealLine, unsealLine } from './lineFormat.js';

// Files beside a log are caches: when one is missing or damaged, a reader gets `undefined` or a failure and uses the log instead.
// They are never forced to disk.

/** One value in a file, checked as a whole. */
export class CheckedFile {
  readonly #fs: SessionFs;
  readonly #path: string;
  readonly #maxBytes: number;

  constructor(fs: SessionFs, path: string, maxBytes: number) {
    this.#fs = fs;
    this.#path = path;
    this.#maxBytes = maxBytes;
  }

  /** `undefined` when there is no valid one. */
  async read(): Promise<{ readonly value: unknown; readonly bytes: number } | undefined> {
    try {
      const { size: bytes } = await this.#fs.stat(this.#path);
      if (bytes > this.#maxBytes) return undefined;
      const text = await this.#fs.readFile(this.#path);
      const checked = text.endsWith('\n') ? unsealLine(text.slice(0, -1)) : undefined;
      return checked && { value: checked.value, bytes };
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** The written bytes; `undefined` when it would be too large, and nothing was written. */
  async write(value: object): Promise<number | undefined> {
    const bytes = Buffer.from(sealLine(JSON.stringify(value).slice(0, -1)));
    if (bytes.length > this.#maxBytes) return undefined;
    await replaceFile(this.#fs, this.#path, bytes);
    return bytes.length;
  }

  async remove(): Promise<void> {
    await this.#fs.rm(this.#path, { force: true });
  }
}

export interface CheckedEntry {
  readonly value: unknown;
  /** Where its line ends in the file. */
  readonly end: number;
}

const CHUNK_BYTES = 16 * 1024;
const NEWLINE = 0x0a;

/** A list that only grows, one value per line, read from its end. The caller remembers how many bytes of it are valid. */
export class CheckedList {
  readonly #fs: SessionFs;
  readonly #path: string;
  readonly #maxLineBytes: number;

  constructor(fs: SessionFs, path: string, maxLineBytes: number) {
    this.#fs = fs;
    this.#path = path;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Appends after the first `size` bytes and removes what follows them. Returns the new size. Rejects with `ESTALE` when there are fewer. */
  async append(values: readonly object[], size: number): Promise<number> {
    const bytes = Buffer.from(values.map((value) => sealLine(JSON.stringify(value).slice(0, -1))).join(''));
    const found = size > 0 || (await this.#fs.exists(this.#path)) ? (await this.#fs.stat(this.#path)).size : 0;
    if (found < size) throw stale(this.#path);
    if (found === size) await this.#fs.appendFile(this.#path, bytes);
    else {
      const before = await this.#range(0, size);
      await replaceFile(this.#fs, this.#path, Buffer.concat([before, bytes]));
    }
    return size + bytes.length;
  }

  /** Reads from the byte `end` back to the beginning. Throws `ESTALE` at an incomplete line. */
  async *backwards(end: number): AsyncGenerator<CheckedEntry> {
    const whole = this.#fs.readRange ? undefined : await this.#fs.readFileBytes(this.#path);
    let held: Buffer = Buffer.alloc(0);
    for (let from = end; from > 0; ) {
      const length = Math.min(Math.max(CHUNK_BYTES, held.length), from);
      const chunk = whole?.subarray(from - length, from) ?? (await this.#range(from - length, length));
      if (chunk.length < length) throw stale(this.#path);
      from -= length;
      held = Buffer.concat([chunk, held]);
      // The last byte ends the last line; that line starts at the end before it.
      for (let start = held.lastIndexOf(NEWLINE, -2); held.length > 0; start = held.lastIndexOf(NEWLINE, -2)) {
        if (start < 0 && from > 0) break;
        const line = held.subarray(start + 1);
        const checked = line.at(-1) === NEWLINE ? unsealLine(line.toString('utf8', 0, line.length - 1)) : undefined;
        if (!checked) throw stale(this.#path);
        yield { value: checked.value, end: from + held.length };
        held = held.subarray(0, start + 1);
      }
      if (held.length > this.#maxLineBytes) throw stale(this.#path);
    }
  }

  async remove(): Promise<void> {
    await this.#fs.rm(this.#path, { force: true });
  }

  async #range(offset: number, length: number): Promise<Uint8Array> {
    if (this.#fs.readRange) return this.#fs.readRange(this.#path, offset, length);
    return (await this.#fs.readFileBytes(this.#path)).subarray(offset, offset + length);
  }
}

function stale(path: string): SessionFsFailure {
  return new SessionFsFailure('ESTALE', `${path} is damaged or belongs to another log`);
}
