import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/**
 * A file lock that the kernel releases when the process ends. It also works between containers, where process ids can't be
 * compared. Node has no file locks, so this uses SQLite's. The file stays on disk and stays empty. Nothing else in this process may
 * open it: POSIX locks are released when any descriptor of the file is closed.
 */
export class KernelLock {
  readonly #database: DatabaseSync;

  /** Returns `undefined` when the file system does not support locks. */
  static take(path: string): KernelLock | 'held' | undefined {
    let database: DatabaseSync | undefined;
    try {
      database = new DatabaseSync(path, { timeout: 0 });
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      chmodSync(path, 0o600);
      return new KernelLock(database);
    } catch (error) {
      database?.close();
      return (error as { readonly errcode?: number }).errcode === SQLITE_BUSY ? 'held' : undefined;
    }
  }

  private constructor(database: DatabaseSync) {
    this.#database = database;
  }

  release(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}
