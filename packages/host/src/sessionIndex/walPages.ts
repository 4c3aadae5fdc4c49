import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const HEADER = 32;
const FRAME_HEADER = 24;

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
    const header = Buffer.alloc(HEADER);
    if (readSync(file, header, 0, HEADER, 0) < HEADER) return undefined;
    const salt = header.subarray(16, 24);
    const frame = Buffer.alloc(FRAME_HEADER + pageSize);
    const sums = new Map<number, number>();
    const uncommitted = new Map<number, number>();
    let pageCount = 0;
    for (let at = HEADER; readSync(file, frame, 0, frame.length, at) === frame.length; at += frame.length) {
      // The rest is left from an earlier round.
      if (!frame.subarray(8, 16).equals(salt)) break;
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
