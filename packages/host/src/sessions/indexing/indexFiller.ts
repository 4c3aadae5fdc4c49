import { setImmediate as immediate } from 'node:timers/promises';
import { parseSessionUri, type URI } from '@agenthost/protocol';
import type { HostLog } from '../../hostLog.js';
import type { SessionIndex } from '../../sessionIndex/sessionIndex.js';
import { OwnedElsewhere, type SessionStorage } from '../../storage/sessionStorage.js';
import { inParallel } from '../inParallel.js';
import type { SessionServices } from '../sessionServices.js';
import type { MissingInIndex } from './openSessionIndex.js';

/** The newest sessions are indexed first: most users look for those. */
const NEWEST = 1_000;
const LOGS_AT_ONCE = 4;
const LOOKS_AT_ONCE = 16;
const ROWS_AT_ONCE = 1_000;
/** Ids that are read from a list in one turn of the event loop. */
const IDS_A_TURN = 200;
/** On some file systems times are not more exact than this. */
const TIME_SLACK_MS = 5_000;
const PROGRESS_EVERY_MS = 500;
const TOKEN = 'sessionIndex';
const MESSAGE = 'Indexing sessions';

export interface IndexFillerOptions {
  readonly index: SessionIndex;
  readonly storage: SessionStorage;
  /** Reads one session into the index. `isNew`: the index does not have it. */
  readonly indexSession: (sessionId: string, isNew: boolean) => Promise<void>;
  /** Called for a session in the index that is not on disk. */
  readonly forget: (uri: URI) => Promise<void>;
  readonly broadcast: SessionServices['broadcast'];
  readonly log: HostLog;
}

/** Brings the index up to date with the disk while the host serves. One run at a time. */
export class IndexFiller {
  readonly #options: IndexFillerOptions;
  #running: Promise<void> = Promise.resolve();
  #ending = new AbortController();
  #toldAt = 0;

  constructor(options: IndexFillerOptions) {
    this.#options = options;
  }

  /** Resolves when the run has ended, complete or not. */
  get settled(): Promise<void> {
    return this.#running;
  }

  /** Restarts a run that is in progress: the index that it filled is gone. */
  start(missing: MissingInIndex): void {
    this.#ending.abort();
    const ending = new AbortController();
    this.#ending = ending;
    this.#running = this.#running
      .then(() => this.#fill(missing, ending.signal))
      .catch((error: unknown) => this.#options.log.error('the session index could not be filled', error));
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #fill(missing: MissingInIndex, ending: AbortSignal): Promise<void> {
    if ('ids' in missing) await this.#fillWith(missing.ids(), ending);
    else await this.#fillChanged(missing.changedSince, ending);
  }

  async #fillWith(ids: AsyncIterable<string>, ending: AbortSignal): Promise<void> {
    const { log, indexSession } = this.#options;
    await inParallel(until(ending, ids), LOGS_AT_ONCE, (sessionId) =>
      indexSession(sessionId, true).catch((error: unknown) => {
        // Another host has opened it meanwhile, and indexes it.
        if (!(error instanceof OwnedElsewhere)) log.error(`session ${sessionId} can't be read`, error);
      }),
    );
  }

  async #fillChanged(changedSince: number, ending: AbortSignal): Promise<void> {
    const { index, storage, log } = this.#options;
    const since = changedSince - TIME_SLACK_MS;
    const providers = await index.providers();
    const knownAs = (sessionId: string) =>
      providers.map((provider) => `${provider}:/${sessionId}`).find((uri) => index.isComplete(uri));
    const known = (sessionId: string) => knownAs(sessionId) !== undefined;
    const newest = new Newest();
    let total = 0;
    await inParallel(until(ending, storage.list()), LOOKS_AT_ONCE, async (sessionId) => {
      const modifiedAt = (await storage.modifiedAt(sessionId)) ?? Number.POSITIVE_INFINITY;
      if (modifiedAt < since && known(sessionId)) return;
      total++;
      newest.add(sessionId, modifiedAt);
    });
    let done = 0;
    let failed = 0;
    const take = async (sessionId: string) => {
      const uri = knownAs(sessionId);
      try {
        if (uri !== undefined) await this.#forgetTexts(uri);
        await this.#options.indexSession(sessionId, uri === undefined);
      } catch (error) {
        failed++;
        log.error(`session ${sessionId} can't be read`, error);
      }
      this.#tell(++done, total);
    };
    const first = newest.ids();
    await inParallel(until(ending, first), LOGS_AT_ONCE, take);
    if (total > first.length) {
      const taken = new Set(first);
      await inParallel(until(ending, storage.list()), LOGS_AT_ONCE, async (sessionId) => {
        if (taken.has(sessionId)) return;
        const modifiedAt = (await storage.modifiedAt(sessionId)) ?? Number.POSITIVE_INFINITY;
        if (modifiedAt >= since || !known(sessionId)) await take(sessionId);
      });
    }
    if (changedSince > 0) await this.#forgetMissing(ending);
    if (ending.aborted) return;
    index.markFilled();
    if (total > 0) {
      this.#tell(total, total, true);
      log.info(`the session index was filled from ${done - failed} sessions`);
    }
  }

  /** The log has changed: it may be an older one without the newest turns. */
  async #forgetTexts(uri: URI): Promise<void> {
    const { index } = this.#options;
    index.markIncomplete(uri);
    await index.eraseTexts(uri);
  }

  async #forgetMissing(ending: AbortSignal): Promise<void> {
    const { index, storage, forget } = this.#options;
    for (let after = ''; !ending.aborted; ) {
      const rows = await index.resources(after, ROWS_AT_ONCE);
      await inParallel(rows, LOOKS_AT_ONCE, async (uri) => {
        const parts = parseSessionUri(uri);
        if (!parts || !(await storage.exists(parts.sessionId))) await forget(uri);
      });
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last;
    }
  }

  #tell(done: number, total: number, isEnd = false): void {
    const now = performance.now();
    if (!isEnd && now - this.#toldAt < PROGRESS_EVERY_MS) return;
    this.#toldAt = now;
    const progress = { message: MESSAGE, done: Math.min(done, total), total };
    this.#options.log.progress?.(progress);
    // How many sessions there are in all spaces is for the log only.
    const percent = { done: Math.floor((100 * progress.done) / total), total: 100 };
    const notification = { type: 'notify/progress', token: TOKEN, message: MESSAGE, ...percent } as const;
    this.#options.broadcast(notification, { space: undefined });
  }
}

/** Collects the newest of very many items, in memory for twice their number. */
class Newest {
  #all: { readonly sessionId: string; readonly modifiedAt: number }[] = [];

  add(sessionId: string, modifiedAt: number): void {
    if (this.#all.push({ sessionId, modifiedAt }) >= 2 * NEWEST) this.#cut();
  }

  ids(): string[] {
    this.#cut();
    return this.#all.map(({ sessionId }) => sessionId);
  }

  #cut(): void {
    // Infinity minus Infinity is NaN.
    this.#all = this.#all
      .sort((a, b) => (a.modifiedAt < b.modifiedAt ? 1 : a.modifiedAt > b.modifiedAt ? -1 : 0))
      .slice(0, NEWEST);
  }
}

async function* until<T>(ending: AbortSignal, items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
  let taken = 0;
  for await (const item of items) {
    // Without real I/O, promises alone would starve the event loop.
    if (++taken % IDS_A_TURN === 0) await immediate();
    if (ending.aborted) return;
    yield item;
  }
}
