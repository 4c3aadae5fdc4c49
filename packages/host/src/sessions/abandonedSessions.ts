import type { HostLog } from '../hostLog.js';
import { OwnedElsewhere, type SessionStorage } from '../storage/sessionStorage.js';

const MAX_REMEMBERED = 1_000;

/** Files of sessions whose creation failed. Files that can't be removed at once are removed later; until then they count as missing. */
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

  /** One removal at a time per id: a late second one would remove the files of a session that was created since. */
  removeNow(sessionId: string): Promise<void> {
    const removing = this.#removing.get(sessionId) ?? this.#remove(sessionId);
    this.#removing.set(sessionId, removing);
    return removing;
  }

  /** Tries to remove all of them. */
  async removeAll(): Promise<void> {
    for (const sessionId of [...this.#ids]) {
      if (this.#ids.has(sessionId)) await this.removeNow(sessionId).catch(() => undefined);
    }
  }

  async #remove(sessionId: string): Promise<void> {
    try {
      await this.#storage.remove(sessionId).catch((error: unknown) => {
        // What another host has is none of this one's.
        if (error instanceof OwnedElsewhere) return;
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      });
      this.#ids.delete(sessionId);
    } finally {
      this.#removing.delete(sessionId);
    }
  }
}
