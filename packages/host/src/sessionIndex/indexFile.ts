import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { IndexGoneError } from './indexDamage.js';
import { ADD_SPACES, SCHEMA, SCHEMA_VERSION, VERSION_WITHOUT_SPACES } from './indexSchema.js';
import { PageSums } from './pageSums.js';
import { readWalPages } from './walPages.js';

export const PAGE_SIZE = 4_096;
export const INDEX_FILE_SUFFIX = { wal: '-wal', shm: '-shm', sums: '-sums' } as const;

/** When the write-ahead log is this long or this old, it is written into the database. Nobody is served meanwhile. */
const MAX_WAL_BYTES = 2 * 1024 * 1024;
/** While searches read from it, it may become this long. */
const MAX_BUSY_WAL_BYTES = 32 * 1024 * 1024;
const MAX_WAL_AGE_MS = 5 * 60_000;
const CACHE_KIB = 16 * 1024;

/** The database, with an up-to-date checksum for each of its pages. */
export class IndexFile {
  readonly #path: string;
  readonly #sums: PageSums | undefined;
  readonly database: DatabaseSync;
  /** Whether it was made just now, or the host died while it was being filled. */
  readonly isNew: boolean;
  #hadNoSpaces = false;
  /** Identifies the open files, whatever their names refer to later. */
  readonly #inode: number | undefined;
  readonly #walInode: number | undefined;
  /** By a monotonic clock. */
  #checkpointedAt = performance.now();

  /** Without checksums, a new file replaces the existing one. */
  constructor(path: string, sums?: PageSums) {
    this.#path = path;
    const isFile = path !== ':memory:';
    if (isFile && !sums) makeEmpty(path);
    this.#sums = isFile ? (sums ?? new PageSums(`${path}${INDEX_FILE_SUFFIX.sums}`)) : undefined;
    this.database = new DatabaseSync(path);
    this.#inode = this.#inodeOf(path);
    try {
      // Checkpoints are made here, so that the checksums are written with them.
      this.database.exec(
        `PRAGMA page_size = ${PAGE_SIZE}; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
         PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000; PRAGMA cache_size = -${CACHE_KIB};
         PRAGMA temp_store = MEMORY;`,
      );
      this.isNew = sums === undefined;
      if (this.isNew) this.database.exec(SCHEMA);
      else this.#checkVersion();
      this.#walInode = this.#inodeOf(`${path}${INDEX_FILE_SUFFIX.wal}`);
      this.#markUnclean();
    } catch (error) {
      this.database.close();
      throw error;
    }
  }

  /** A host without spaces has written it: it may lack what that could not read. */
  get hadNoSpaces(): boolean {
    return this.#hadNoSpaces;
  }

  /** Throws when the file was deleted or replaced: writes to the open file would be lost. */
  assertInPlace(): void {
    if (!this.#sums) return;
    const walInode = this.#inodeOf(`${this.#path}${INDEX_FILE_SUFFIX.wal}`);
    if (this.#inodeOf(this.#path) !== this.#inode || walInode !== this.#walInode) throw new IndexGoneError();
  }

  /** Everything is in it: the next start can use it as it is. */
  markFilled(): void {
    this.database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
    this.checkpoint({ isTrusted: true });
  }

  /** Makes a checkpoint if it is due. `isTrusted` means that all changes until now are in it. */
  checkpointIfDue(trust: { readonly isTrusted: boolean }): void {
    if (!this.#sums) return;
    const isOld = performance.now() - this.#checkpointedAt > MAX_WAL_AGE_MS;
    const size = this.#walBytes();
    if (size > MAX_WAL_BYTES || (isOld && size > 0)) this.checkpoint(trust);
  }

  /** Whether the write-ahead log has grown far beyond the length at which a checkpoint is due. */
  get isCheckpointOverdue(): boolean {
    return this.#sums !== undefined && this.#walBytes() > MAX_BUSY_WAL_BYTES;
  }

  checkpoint({ isTrusted }: { readonly isTrusted: boolean }): void {
    if (!this.#sums) return;
    this.#checkpointedAt = performance.now();
    const now = Date.now();
    const wal = readWalPages(`${this.#path}${INDEX_FILE_SUFFIX.wal}`, PAGE_SIZE);
    if (wal) {
      this.database.exec('PRAGMA wal_checkpoint(PASSIVE)');
      this.#sums.apply(wal);
    }
    // Before the log is emptied: until these are written, it says which pages may differ from them.
    this.#sums.write();
    const { busy } = this.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() ?? {};
    // The log can't be emptied while the search thread reads. Its pages can still be damaged, so they must not be trusted yet.
    if (!isTrusted || busy !== 0) return;
    this.#sums.trustedUntil = now;
    this.#sums.write();
  }

  /** Marked as clean: the next start need not look at the sessions. */
  close({ isClean }: { readonly isClean: boolean }): void {
    try {
      if (this.#sums) {
        this.#sums.isClean = isClean;
        this.checkpoint({ isTrusted: isClean });
      }
    } finally {
      this.database.close();
    }
  }

  /** Closes it in any state. */
  discard(): void {
    try {
      this.database.close();
    } catch {
      // Closed already.
    }
  }

  #inodeOf(path: string): number | undefined {
    return statSync(path, { throwIfNoEntry: false })?.ino;
  }

  #walBytes(): number {
    return statSync(`${this.#path}${INDEX_FILE_SUFFIX.wal}`, { throwIfNoEntry: false })?.size ?? 0;
  }

  #checkVersion(): void {
    const version = this.database.prepare('PRAGMA user_version').get()?.['user_version'];
    if (version === 0) throw new Error('it was left half made');
    if (version === VERSION_WITHOUT_SPACES) {
      this.database.exec(ADD_SPACES);
      this.#hadNoSpaces = true;
      return;
    }
    if (version !== SCHEMA_VERSION) throw new Error(`it has version ${version}, not ${SCHEMA_VERSION}`);
  }

  #markUnclean(): void {
    if (!this.#sums) return;
    this.#sums.isClean = false;
    this.#sums.write();
  }
}

/** Readable only by this user; SQLite gives its other files the same rights. */
function makeEmpty(path: string): void {
  for (const suffix of ['', ...Object.values(INDEX_FILE_SUFFIX)]) rmSync(`${path}${suffix}`, { force: true });
  closeSync(openSync(path, 'wx', 0o600));
}
