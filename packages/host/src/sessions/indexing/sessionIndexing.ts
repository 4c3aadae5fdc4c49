import type { URI } from '@agenthost/protocol';
import type { HostLog } from '../../hostLog.js';
import type { SessionIndex } from '../../sessionIndex/sessionIndex.js';
import { OwnedElsewhere, type SessionStorage } from '../../storage/sessionStorage.js';
import type { Session } from '../session.js';
import { isNotFound } from '../sessionLoader.js';
import type { SessionServices } from '../sessionServices.js';
import { type IndexedLog, indexHeld, indexLog } from './indexLog.js';

/** The statuses of a session that runs, or ran when its host ended. */
export const AT_WORK = ['inProgress', 'inputNeeded'] as const;

export interface SessionIndexingOptions {
  readonly index: SessionIndex;
  readonly storage: SessionStorage;
  readonly broadcast: SessionServices['broadcast'];
  readonly log: HostLog;
}

interface SessionIndexingDeps {
  /** Sessions that are loaded, being loaded or being unloaded. */
  readonly inMemory: () => readonly URI[];
  readonly isProvisional: (uri: URI) => boolean;
  readonly use: (uri: URI, work: (session: Session) => Promise<void> | void) => Promise<void>;
  readonly remove: (uri: URI) => Promise<void>;
}

/** Indexes single sessions from their logs. */
export class SessionIndexing {
  readonly #options: SessionIndexingOptions;
  readonly #deps: SessionIndexingDeps;
  readonly #reading = new Map<string, Promise<unknown>>();

  constructor(options: SessionIndexingOptions, deps: SessionIndexingDeps) {
    this.#options = options;
    this.#deps = deps;
  }

  /** Settles when the log of that unloaded session is no longer read. It must not be opened before. */
  reading(sessionId: string): Promise<unknown> | undefined {
    return this.#reading.get(sessionId);
  }

  async index(sessionId: string, isNew: boolean): Promise<void> {
    const { isProvisional, use, remove } = this.#deps;
    const used = this.#deps.inMemory().find((uri) => uri.endsWith(`:/${sessionId}`));
    if (used !== undefined) return this.#indexUsed(used);
    const reading = this.#indexStored(sessionId);
    this.#reading.set(sessionId, reading);
    const found = await reading.finally(() => this.#reading.delete(sessionId));
    if (!found) return;
    const { summary, space } = found;
    if (found.isProvisional) {
      // A session that this host created is left to its client.
      if (!isProvisional(summary.resource)) await remove(summary.resource);
      return;
    }
    if (isNew) this.#options.broadcast({ type: 'notify/sessionAdded', summary }, { space });
    // It was interrupted: opening it ends its turn with an error.
    if (AT_WORK.some((status) => status === summary.status)) await use(summary.resource, () => {});
  }

  /** Opens sessions whose host has ended in the middle of something. */
  async openInterrupted(): Promise<void> {
    const { index, log } = this.#options;
    for (const uri of await index.interrupted()) {
      await this.#deps
        .use(uri, () => {})
        .catch((error: unknown) => {
          if (error instanceof OwnedElsewhere) return;
          if (isNotFound(error)) index.remove(uri);
          else log.error(`${uri} could not be opened`, error);
        });
    }
  }

  async #indexStored(sessionId: string): Promise<IndexedLog | undefined> {
    const stored = await this.#options.storage.open(sessionId);
    try {
      return stored && (await indexLog(this.#options.index, stored.log));
    } finally {
      await stored?.fs.dispose();
    }
  }

  /** The session may change while its log is read: the turns in memory are put last. */
  async #indexUsed(uri: URI): Promise<void> {
    const { index } = this.#options;
    await this.#deps.use(uri, async (session) => {
      if (index.isComplete(uri) || this.#deps.isProvisional(uri)) return;
      await session.stored.log.flush();
      await indexLog(index, session.stored.log, () => session.state.summary);
      indexHeld(index, session.state);
    });
  }
}
