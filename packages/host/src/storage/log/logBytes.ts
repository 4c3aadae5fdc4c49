import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { SessionFs } from '../fs/sessionFs.js';

/** Maximum size of a piece, so that handling one doesn't block the host. */
const PIECE_BYTES = 256 * 1024;

/** Bytes of a file: from `start` up to `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * The bytes of a log's file in pieces, because a log may be larger than the memory. Only a file system that can't read a part of a
 * file reads all of it at once; such file systems bound the size (`maxFileBytes`).
 */
export class LogBytes {
  readonly #fs: SessionFs;
  readonly #path: string;
  readonly #whole: Uint8Array | undefined;

  static async open(fs: SessionFs, path: string): Promise<LogBytes> {
    return new LogBytes(fs, path, fs.readRange ? undefined : await fs.readFileBytes(path));
  }

  private constructor(fs: SessionFs, path: string, whole: Uint8Array | undefined) {
    this.#fs = fs;
    this.#path = path;
    this.#whole = whole;
  }

  /** The size of the file, if all of it has been read. */
  get size(): number | undefined {
    return this.#whole?.length;
  }

  /** They end early if the file does. */
  async *pieces({ start, end }: ByteRange): AsyncGenerator<Buffer> {
    for (let at = start; at < end; at += PIECE_BYTES) {
      const length = Math.min(PIECE_BYTES, end - at);
      const piece = await this.#read(at, length);
      if (piece.length > 0) yield piece;
      if (piece.length < length) return;
    }
  }

  /** All of a range that is known to be small. */
  async bytes(range: ByteRange): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for await (const piece of this.pieces(range)) pieces.push(piece);
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  }

  async #read(offset: number, length: number): Promise<Buffer> {
    const read = this.#whole
      ? await nextTurn(this.#whole.subarray(offset, offset + length))
      : await this.#fs.readRange?.(this.#path, offset, length);
    return read ? Buffer.from(read.buffer, read.byteOffset, read.byteLength) : Buffer.of();
  }
}

/** The CRC-32 of these bytes, continued from the given one. */
export async function sumOf(bytes: LogBytes, range: ByteRange, sum = 0): Promise<number> {
  for await (const piece of bytes.pieces(range)) sum = crc32(piece, sum);
  return sum;
}
