import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const HEADER = 32;
const FRAME_HEADER = 24;
/** Reading one frame at a time takes most of its time in system calls. */
const FRAMES_AT_ONCE = 64;

export interface WalPages {
  /** By number, the checksum of the page's new content; the newest if a page occurs more than once. */
  readonly sums: ReadonlyMap<number, number>;
  /** The number of pages that the database will have. */
  readonly pageCount: number;
}

/** What SQLite's write-ahead log would change in the database, by its file format; `undefined` for nothing. */
export function readWalPages(path: string, pageSize: number): WalPages | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const header = Buffer.allocUnsafeSlow(HEADER);
    if (readSync(file, header, 0, HEADER, 0) < HEADER) return undefined;
    const salt = header.subarray(16, 24);
    const checksum = new WalChecksum();
    if (!checksum.continues(header.subarray(0, 24), header.subarray(24))) return undefined;
    const sums = new Map<number, number>();
    const uncommitted = new Map<number, number>();
    let pageCount = 0;
    for (const frame of readFrames(file, FRAME_HEADER + pageSize)) {
      // The rest is left from an earlier round, or damaged.
      if (!frame.subarray(8, 16).equals(salt)) break;
      checksum.add(frame.subarray(0, 8));
      if (!checksum.continues(frame.subarray(FRAME_HEADER), frame.subarray(16, FRAME_HEADER))) break;
      uncommitted.set(frame.readUInt32BE(0), crc32(frame.subarray(FRAME_HEADER)));
      const committed = frame.readUInt32BE(4);
      if (committed === 0) continue;
      for (const [page, sum] of uncommitted) sums.set(page, sum);
      uncommitted.clear();
      pageCount = committed;
    }
    return pageCount > 0 ? { sums, pageCount } : undefined;
  } finally {
    closeSync(file);
  }
}

/** Each is overwritten by a later one. */
function* readFrames(file: number, size: number): Generator<Buffer> {
  const chunk = Buffer.allocUnsafeSlow(FRAMES_AT_ONCE * size);
  for (let at = HEADER; ; at += chunk.length) {
    let filled = 0;
    for (let read = -1; read !== 0 && filled < chunk.length; filled += read) {
      read = readSync(file, chunk, filled, chunk.length - filled, at + filled);
    }
    for (let start = 0; start + size <= filled; start += size) yield chunk.subarray(start, start + size);
    if (filled < chunk.length) return;
  }
}

/** SQLite's running checksum: that of a frame depends on all frames before it. It is made of numbers as this machine stores them. */
class WalChecksum {
  #first = 0;
  #second = 0;

  /** The bytes begin at a multiple of 4 in their memory. */
  add(bytes: Buffer): void {
    const numbers = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    let first = this.#first;
    let second = this.#second;
    for (let at = 0; at < numbers.length; at += 2) {
      first = (first + (numbers[at] as number) + second) | 0;
      second = (second + (numbers[at + 1] as number) + first) | 0;
    }
    this.#first = first;
    this.#second = second;
  }

  /** Whether the checksum with these bytes is the stored one. */
  continues(bytes: Buffer, stored: Buffer): boolean {
    this.add(bytes);
    return stored.readInt32BE(0) === this.#first && stored.readInt32BE(4) === this.#second;
  }
}
