import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';

export interface JournalOptions {
  /** The file is made when it is needed. */
  readonly path: string;
  /** The newest bytes that are kept in memory. */
  readonly memoryBytes?: number;
  /** From so many bytes on that nobody has stored, it is full. */
  readonly maxBytes: number;
}

/** What may still come from a program that was stopped from writing. */
const SLACK_BYTES = 2 * 1024 * 1024;
const MEMORY_BYTES = 128 * 1024;

/**
 * The numbered bytes of one stream since those that were released: the newest in memory, the others in a file of a fixed size, where
 * each byte has its place by its number. The file is small, private and of this machine, so it is read and written at once.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #fileBytes: number;
  #memory: Buffer[] = [];
  #end = 0;
  /** The number of the first byte in memory. */
  #memoryStart = 0;
  #released = 0;
  #file: number | undefined;
  /** The disk is full, say: what is there is read, and nothing more is written. */
  #isBroken = false;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#fileBytes = options.maxBytes + SLACK_BYTES;
  }

  /** How many bytes there have been. */
  get end(): number {
    return this.#end;
  }

  get released(): number {
    return this.#released;
  }

  /** Its source has to wait. */
  get isFull(): boolean {
    return this.#end - this.#released >= (this.#isBroken ? this.#memoryBytes : this.#options.maxBytes);
  }

  /** Whether all bytes from this one on are there. */
  has(from: number): boolean {
    return from >= this.#released && from <= this.#end;
  }

  /** Returns whether the bytes are kept: not those of a source that goes on although it has to wait. */
  push(bytes: Buffer): boolean {
    if (this.#end + bytes.length - this.#released > this.#fileBytes) return false;
    // A copy: the bytes are part of a buffer that others use.
    if (bytes.length > 0) this.#memory.push(Buffer.from(bytes));
    this.#end += bytes.length;
    if (!this.#isBroken) this.#spill();
    return true;
  }

  /** Up to `max` bytes from this one on; none at the end. Throws for bytes that were released. */
  read(from: number, max: number): Buffer {
    if (!this.has(from)) throw new Error(`there is no byte ${from} any more`);
    const count = Math.min(max, this.#end - from);
    if (from < this.#memoryStart) return this.#readFile(from, Math.min(count, this.#memoryStart - from));
    let start = this.#end;
    const found: Buffer[] = [];
    for (let at = this.#memory.length - 1; at >= 0 && start > from; at--) {
      const piece = this.#memory[at] as Buffer;
      start -= piece.length;
      if (start < from + count) found.push(piece.subarray(Math.max(from - start, 0), from + count - start));
    }
    return found.length === 1 ? (found[0] as Buffer) : Buffer.concat(found.reverse());
  }

  /** The bytes before this one are not read again. */
  release(upTo: number): void {
    this.#released = Math.max(this.#released, Math.min(upTo, this.#end));
    while (this.#memory[0] && this.#memoryStart + this.#memory[0].length <= this.#released) {
      this.#memoryStart += this.#memory.shift()?.length ?? 0;
    }
    if (this.#memoryStart < this.#released || this.#released < this.#end) return;
    // Nothing is kept: the next bytes may be written again.
    this.#isBroken = false;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    this.#memory = [];
  }

  get #memoryBytes(): number {
    return this.#options.memoryBytes ?? MEMORY_BYTES;
  }

  #spill(): void {
    try {
      while (this.#end - this.#memoryStart > this.#memoryBytes) {
        const [oldest] = this.#memory;
        if (!oldest) return;
        this.#writeFile(oldest, this.#memoryStart);
        this.#memory.shift();
        this.#memoryStart += oldest.length;
      }
    } catch {
      this.#isBroken = true;
    }
  }

  #writeFile(bytes: Buffer, at: number): void {
    const { O_CREAT, O_TRUNC, O_RDWR, O_NOFOLLOW } = constants;
    this.#file ??= openSync(this.#options.path, O_CREAT | O_TRUNC | O_RDWR | O_NOFOLLOW, 0o600);
    for (let done = 0; done < bytes.length; ) {
      const place = (at + done) % this.#fileBytes;
      const room = Math.min(bytes.length - done, this.#fileBytes - place);
      done += writeSync(this.#file, bytes, done, room, place);
    }
  }

  #readFile(from: number, count: number): Buffer {
    if (this.#file === undefined) throw new Error('the journal is closed');
    const place = from % this.#fileBytes;
    const bytes = Buffer.allocUnsafe(Math.min(count, this.#fileBytes - place));
    return bytes.subarray(0, readSync(this.#file, bytes, 0, bytes.length, place));
  }
}
