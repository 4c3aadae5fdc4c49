import { randomUUID } from 'node:crypto';
import { access, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DamageReport } from './eventLog.js';
import { type Durability, JsonlEventLog, LOG_FILE_NAME } from './jsonlEventLog.js';
import { LocalSessionFs } from './localSessionFs.js';
import { sessionFolder } from './sessionFolder.js';
import { SessionFsFailure } from './sessionFs.js';
import type { SessionStorage, StoredSession } from './sessionStorage.js';

export interface LocalSessionStorageOptions {
  readonly stateRoot: string;
  readonly listSessionIds: () => AsyncIterable<string>;
  readonly durability: Durability;
  readonly initialCwd: string;
  readonly onDamage: (sessionId: string, damage: DamageReport) => void;
}

/** Sessions in folders of the state root. */
export class LocalSessionStorage implements SessionStorage {
  readonly #options: LocalSessionStorageOptions;

  constructor(options: LocalSessionStorageOptions) {
    this.#options = options;
  }

  async open(sessionId: string, { create = false } = {}): Promise<StoredSession | undefined> {
    const { stateRoot, durability, initialCwd, onDamage } = this.#options;
    if (!create && !(await this.exists(sessionId))) return undefined;
    const fs = await LocalSessionFs.open({ stateRoot, sessionId, initialCwd, create });
    try {
      const log = await JsonlEventLog.open({ fs, durability, onDamage: (damage) => onDamage(sessionId, damage) });
      return { fs, log };
    } catch (error) {
      await fs.dispose();
      throw error;
    }
  }

  async exists(sessionId: string): Promise<boolean> {
    return access(sessionFolder(this.#options.stateRoot, sessionId)).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false;
        throw new SessionFsFailure(error.code ?? 'UNKNOWN', error.message, { cause: error });
      },
    );
  }

  /** Moved aside first, so that a removal which is cut short leaves no half session behind. */
  async remove(sessionId: string): Promise<void> {
    const bin = join(this.#options.stateRoot, 'removed');
    await mkdir(bin, { recursive: true, mode: 0o700 });
    const aside = join(bin, randomUUID());
    await rename(sessionFolder(this.#options.stateRoot, sessionId), aside);
    await rm(aside, { recursive: true, force: true });
  }

  async modifiedAt(sessionId: string): Promise<number | undefined> {
    const path = join(sessionFolder(this.#options.stateRoot, sessionId), LOG_FILE_NAME);
    return stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined,
    );
  }

  list(): AsyncIterable<string> {
    return this.#options.listSessionIds();
  }
}
