import { open } from 'node:fs/promises';
import { INDEX_FILE_SUFFIX, PAGE_SIZE } from './indexFile.js';
import { PageSums } from './pageSums.js';
import { readWalPages } from './walPages.js';

const PAGES_AT_ONCE = 256;

export type IndexFinding =
  | { readonly kind: 'missing' }
  | { readonly kind: 'damaged'; readonly reason: string }
  /** The previous host stopped normally. */
  | { readonly kind: 'clean'; readonly sums: PageSums }
  /** Everything up to this time is right; later changes may be missing. */
  | { readonly kind: 'crashed'; readonly sums: PageSums };

/** Verifies the whole index before it is used, at some gigabytes a second. */
export async function inspectIndex(path: string): Promise<IndexFinding> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'missing' };
    throw error;
  }
  try {
    const { size } = await file.stat();
    if (size === 0) return { kind: 'missing' };
    const sums = PageSums.read(`${path}${INDEX_FILE_SUFFIX.sums}`);
    if (!sums) return { kind: 'damaged', reason: 'its checksums are missing or damaged' };
    const wal = readWalPages(`${path}${INDEX_FILE_SUFFIX.wal}`, PAGE_SIZE);
    const chunk = Buffer.alloc(PAGES_AT_ONCE * PAGE_SIZE);
    const pages = size / PAGE_SIZE;
    for (let page = Math.floor(pages) + 1; page <= sums.count; page++) {
      if (!wal?.sums.has(page)) return { kind: 'damaged', reason: 'its end is missing' };
    }
    for (let before = 0; before < pages; before += PAGES_AT_ONCE) {
      const { bytesRead } = await file.read(chunk, 0, chunk.length, before * PAGE_SIZE);
      for (let n = 0; n * PAGE_SIZE < bytesRead; n++) {
        const page = before + n + 1;
        // SQLite reads such a page from its write-ahead log; here it may be old, new, or half of each.
        if (wal?.sums.has(page)) continue;
        if (!sums.fits(page, chunk.subarray(n * PAGE_SIZE, Math.min((n + 1) * PAGE_SIZE, bytesRead)))) {
          return { kind: 'damaged', reason: `page ${page} is not as it was written` };
        }
      }
    }
    return { kind: sums.isClean && !wal ? 'clean' : 'crashed', sums };
  } finally {
    await file.close();
  }
}
