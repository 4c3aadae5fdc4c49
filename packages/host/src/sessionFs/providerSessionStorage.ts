import { LOG_FILE } from './jsonlEventLog.js';
import { KeyedLock } from './keyedLock.js';
import { openStored, type StoredLogOptions } from './openStored.js';
import { RpcSessionFs } from './rpcSessionFs.js';
import type { SessionFsProvider } from './sessionFsProvider.js';
import type { OpenStoredOptions, SessionStorage, StoredSession } from './sessionStorage.js';

export interface ProviderSessionStorageOptions extends StoredLogOptions {
  readonly provider: SessionFsProvider;
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
    if (!create && !(await this.exists(sessionId))) return undefined;
    const fs = new RpcSessionFs(this.#options.provider, sessionId);
    return openStored(sessionId, fs, this.#options, { lock: this.#lock, isDraft });
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
