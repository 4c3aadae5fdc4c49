import { parseSessionUri } from '@agenthost/protocol';
import type { HostLog } from '../../hostLog.js';
import { KeyedLock } from '../fs/keyedLock.js';
import { SessionFsFailure } from '../fs/sessionFs.js';
import { LOG_FILE } from '../log/jsonlEventLog.js';
import { openStored, type StoredLogOptions } from '../openStored.js';
import type { OpenStoredOptions, SessionStorage, StoredSession } from '../sessionStorage.js';
import { ProviderProbe } from './providerProbe.js';
import { RpcSessionFs } from './rpcSessionFs.js';
import type { SessionFsProvider } from './sessionFsProvider.js';
import { SessionList } from './sessionList.js';

export interface ClientSessionStorageOptions extends StoredLogOptions {
  readonly provider: SessionFsProvider;
  readonly log: HostLog;
}

/** The session id in calls about files that belong to no session. No session has this id. */
export const HOST_FILES_ID = 'agenthost-host';
/** A provider that does not support calls about such files may not answer at all. */
const PATIENCE_MS = 2_000;

/**
 * Sessions in the file system of a client. Each of the ten methods is about one session's files, so the list of sessions comes
 * from what the client said (`sessions` of `setProvider`), and from a list that the host keeps with a client that accepts files
 * without a session.
 */
export class ClientSessionStorage implements SessionStorage {
  readonly #options: ClientSessionStorageOptions;
  readonly #probe: ProviderProbe;
  readonly #lock = new KeyedLock();
  #sessions: SessionList | undefined;

  /** Probes the provider, if it accepts files without a session. Never rejects. */
  static async open(options: ClientSessionStorageOptions): Promise<ClientSessionStorage> {
    const storage = new ClientSessionStorage(options);
    await storage.#prepare();
    return storage;
  }

  private constructor(options: ClientSessionStorageOptions) {
    this.#options = options;
    this.#probe = new ProviderProbe(options.provider);
  }

  async #prepare(): Promise<void> {
    try {
      await this.#probe.abilities(HOST_FILES_ID, PATIENCE_MS);
    } catch (error) {
      this.#options.log.debug(`the client keeps no files without a session: ${String(error)}`);
      return;
    }
    const { provider, log } = this.#options;
    this.#sessions = await SessionList.open(new RpcSessionFs(provider, HOST_FILES_ID, this.#probe)).catch(
      (error: unknown) => {
        log.warn(`the list of sessions can't be read, so sessions are listed when they are opened: ${String(error)}`);
        return undefined;
      },
    );
  }

  async open(
    sessionId: string,
    { create = false, isDraft = false }: OpenStoredOptions = {},
  ): Promise<StoredSession | undefined> {
    if (!create && !(await this.exists(sessionId))) return undefined;
    const stored = await openStored(sessionId, this.#filesOf(sessionId), this.#options, { lock: this.#lock, isDraft });
    await this.#noted(this.#sessions?.add(sessionId));
    return stored;
  }

  async exists(sessionId: string): Promise<boolean> {
    const fs = this.#filesOf(sessionId);
    const log = fs.join(fs.sessionStatePath, LOG_FILE);
    return this.#lock.run(fs.lockKey(log), () => fs.exists(log));
  }

  async remove(sessionId: string): Promise<void> {
    const fs = this.#filesOf(sessionId);
    await fs.rm(fs.sessionStatePath, { recursive: true, force: true });
    await this.#noted(this.#sessions?.remove(sessionId));
  }

  async modifiedAt(): Promise<undefined> {}

  async *list(): AsyncGenerator<string> {
    // One after the other: there may be very many.
    const told = new Set<string>();
    for (const uri of this.#options.provider.config.sessions ?? []) {
      const id = parseSessionUri(uri)?.sessionId;
      if (id !== undefined && !told.has(id)) yield id;
      if (id !== undefined) told.add(id);
    }
    for (const id of this.#sessions?.ids ?? []) if (!told.has(id)) yield id;
  }

  #filesOf(sessionId: string): RpcSessionFs {
    if (sessionId === HOST_FILES_ID) {
      throw new SessionFsFailure('EINVAL', `the host keeps its own files under ${HOST_FILES_ID}: pick another id`);
    }
    return new RpcSessionFs(this.#options.provider, sessionId, this.#probe);
  }

  /** The list is optional: without it a session still exists. */
  async #noted(change: Promise<void> | undefined): Promise<void> {
    await change?.catch((error: unknown) =>
      this.#options.log.warn(`the list of sessions could not be stored: ${String(error)}`),
    );
  }
}
