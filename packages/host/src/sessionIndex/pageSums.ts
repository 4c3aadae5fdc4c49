import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { WalPages } from './walPages.js';

const MAGIC = 'ahsums01';
/** The mark, the checksum of the rest, whether the end was clean, and since when changes may be missing. */
const HEADER = MAGIC.length + 4 + 4 + 8;

/**
 * A checksum for each page of a database. SQLite has none: a page that the disk changed is read as if it were right, and
 * rows are silently wrong or missing.
 */
export class PageSums {
  readonly #path: string;
  #sums: Uint32Array;
  #count: number;
  /** Whether nothing was changed since. */
  isClean = false;
  /** In milliseconds since 1970: all earlier changes are in the database, with these checksums. */
  trustedUntil = 0;

  constructor(path: string, sums = new Uint32Array(0)) {
    this.#path = path;
    this.#sums = sums;
    this.#count = sums.length;
  }

  /** `undefined` when the file is missing or unreadable. */
  static read(path: string): PageSums | undefined {
    let bytes: Buffer;
    try {
      bytes = readFileSync(path);
    } catch {
      return undefined;
    }
    const isWhole = bytes.length >= HEADER && bytes.length % 4 === 0 && bytes.toString('latin1', 0, 8) === MAGIC;
    if (!isWhole || bytes.readUInt32LE(8) !== crc32(bytes.subarray(12))) return undefined;
    const sums = new PageSums(path, new Uint32Array(new Uint8Array(bytes.subarray(HEADER)).buffer));
    sums.isClean = bytes.readUInt32LE(12) === 1;
    sums.trustedUntil = bytes.readDoubleLE(16);
    return sums;
  }

  get count(): number {
    return this.#count;
  }

  /** Pages count from 1. */
  fits(page: number, content: Uint8Array): boolean {
    return page <= this.#count && this.#sums[page - 1] === crc32(content);
  }

  apply({ sums, pageCount }: WalPages): void {
    if (pageCount > this.#sums.length) {
      const larger = new Uint32Array(Math.ceil(pageCount * 1.25));
      larger.set(this.#sums);
      this.#sums = larger;
    }
    for (const [page, sum] of sums) if (page <= pageCount) this.#sums[page - 1] = sum;
    this.#count = pageCount;
  }

  /** Replaces the old file atomically. */
  write(): void {
    const bytes = Buffer.alloc(HEADER + 4 * this.#count);
    bytes.write(MAGIC, 'latin1');
    bytes.writeUInt32LE(this.isClean ? 1 : 0, 12);
    bytes.writeDoubleLE(this.trustedUntil, 16);
    bytes.set(new Uint8Array(this.#sums.buffer, this.#sums.byteOffset, 4 * this.#count), HEADER);
    bytes.writeUInt32LE(crc32(bytes.subarray(12)), 8);
    const draft = `${this.#path}.tmp`;
    const file = openSync(draft, 'w', 0o600);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, this.#path);
  }
}
