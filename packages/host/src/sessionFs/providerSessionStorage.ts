import type { DamageReport } from './eventLog.js';
import { type Durability, JsonlEventLog, LOG_FILE } from './jsonlEventLog.js';
import { KeyedLock } from './keyedLock.js';
import { RpcSessionFs } from './rpcSessionFs.js';
import type { SessionFsProvider } from './sessionFsProvider.js';
import type { OpenStoredOptions, SessionStorage, StoredSession } from './sessionStorage.js';

export interface ProviderSessionStorageOptions {
  readonly provider: SessionFsProvider;
  readonly durability: Durability;
  /** What the records of the logs are stamped with. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly onDamage: (sessionId: string, damage: DamageReport) => void;
}

/** Sessions in the file system of a client. Which there are only the client knows: the host lists those that it was told of. */
export class ProviderSessionStorage implements SessionStorage {
  readonly #options: ProviderSessionStorageOptions;
  readonly #lock = new KeyedLock();

  constructor(options: ProviderSessionStorageOptions) {
    this.#options = options;
  }

  async open(
    sessionId: string,
    { create = false, isDraft = false }: OpenStoredOptions = {},
  ): Promise<StoredSession | undefined> {
    const { provider, durability, now, newId, onDamage } = this.#options;
    if (!create && !(await this.exists(sessionId))) return undefined;
    const fs = new RpcSessionFs(provider, sessionId);
    const log = await JsonlEventLog.open({
      fs,
      durability,
      isDraft,
      lock: this.#lock,
      now,
      newId,
      onDamage: (damage) => onDamage(sessionId, damage),
    });
    return { fs, log };
  }

  async exists(sessionId: string): Promise<boolean> {
    const fs = new RpcSessionFs(this.#options.provider, sessionId);
    const log = fs.join(fs.sessionStatePath, LOG_FILE);
    return this.#lock.run(fs.lockKey(log), () => fs.exists(log));
  }

  async remove(sessionId: string): Promise<void> {
    const fs = new RpcSessionFs(this.#options.provider, sessionId);
    await fs.rm(fs.sessionStatePath, { recursive: true, force: true });
  }

  async modifiedAt(): Promise<undefined> {}

  async *list(): AsyncGenerator<string> {}
}
