import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/**
 * A lock that the kernel ends with the process, whoever can see that process: Node itself has none, and SQLite does on every
 * system. Its file stays behind and stays empty. Nothing else in this process may open that file: closing it there would
 * give the lock up.
 */
export class KernelLock {
  readonly #database: DatabaseSync;

  /** `undefined` where the file system has no such locks. */
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
