import type { HostLog } from '../hostLog.js';
import type { SessionStorage } from '../storage/sessionStorage.js';

const MAX_REMEMBERED = 1_000;

/** What was begun of sessions that never came to be. Where it can't be removed at once it is later; until then it is not there. */
export class AbandonedSessions {
  readonly #storage: SessionStorage;
  readonly #log: HostLog;
  readonly #ids = new Set<string>();
  readonly #removing = new Map<string, Promise<void>>();

  constructor(storage: SessionStorage, log: HostLog) {
    this.#storage = storage;
    this.#log = log;
  }

  has(sessionId: string): boolean {
    return this.#ids.has(sessionId);
  }

  /** Never rejects. */
  async discard(sessionId: string): Promise<void> {
    await this.removeNow(sessionId).catch((error: unknown) => {
      this.#log.error(`what was begun of session ${sessionId} could not be removed; it is tried again`, error);
      if (this.#ids.size < MAX_REMEMBERED) this.#ids.add(sessionId);
    });
  }

  /** One removal at a time for an id: a second one that comes late would take what was made since. */
  removeNow(sessionId: string): Promise<void> {
    const removing = this.#removing.get(sessionId) ?? this.#remove(sessionId);
    this.#removing.set(sessionId, removing);
    return removing;
  }

  /** Tries all of them again. */
  async removeAll(): Promise<void> {
    for (const sessionId of [...this.#ids]) {
      if (this.#ids.has(sessionId)) await this.removeNow(sessionId).catch(() => undefined);
    }
  }

  async #remove(sessionId: string): Promise<void> {
    try {
      await this.#storage.remove(sessionId).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      });
      this.#ids.delete(sessionId);
    } finally {
      this.#removing.delete(sessionId);
    }
  }
}
