/** SQLite's codes for unreadable data; the lowest byte of a code is its family. */
const FAMILIES: readonly number[] = [11 /* CORRUPT */, 26 /* NOTADB */];
const CODES: readonly number[] = [266 /* IOERR_READ */, 522 /* IOERR_SHORT_READ */, 8458 /* IOERR_CORRUPTFS */];

/** Whether the index itself is broken, rather than the disk full or the query wrong. */
export function isIndexDamage(error: unknown): boolean {
  const { errcode, code } = error as { readonly errcode?: unknown; readonly code?: unknown };
  // A summary that is no valid JSON any more.
  if (error instanceof SyntaxError) return true;
  // The index was dropped before, and no new one could be made.
  if (code === 'ERR_INVALID_STATE') return true;
  if (error instanceof IndexGoneError) return true;
  // A file that was emptied, or replaced by another database, has none of the tables. SQLite has no code for that.
  if (errcode === 1 && error instanceof Error && error.message.startsWith('no such table')) return true;
  return typeof errcode === 'number' && (FAMILIES.includes(errcode & 0xff) || CODES.includes(errcode));
}

/** Its file was deleted, or another one has its name. */
export class IndexGoneError extends Error {
  constructor() {
    super('its file was deleted or replaced while the host runs');
    this.name = 'IndexGoneError';
  }
}

/** The index was damaged and is being rebuilt; meanwhile it has only a part of the sessions. */
export class IndexReplacedError extends Error {
  constructor(cause: unknown) {
    super('the session index was damaged and is being rebuilt: list again in a moment', { cause });
    this.name = 'IndexReplacedError';
  }
}

export class IndexUnusableError extends Error {
  constructor(cause: unknown) {
    super('the session index is damaged and no new one can be made: check the disk, then start the host again', {
      cause,
    });
    this.name = 'IndexUnusableError';
  }
}
