import {
  type ListSessionsParams,
  type ListSessionsResult,
  MAX_LIST_LIMIT,
  type Notification,
  type SessionSummary,
  type URI,
} from '@agenthost/protocol';
import { errorMessage, sameValue, withSummaryChanges } from '@agenthost/protocol/internal';
import type { HostLog } from '../hostLog.js';
import { KEPT, type Move, NewestSessions } from './newestSessions.js';

export interface WatchWindowsOptions {
  readonly list: (params: ListSessionsParams) => ListSessionsResult | Promise<ListSessionsResult>;
  /** Tells those who watch the newest so many of a session that is one of them now. */
  readonly entered: (summary: SessionSummary, limits: readonly number[]) => void;
  /** How many clients watch. */
  readonly limits: () => Iterable<number>;
  readonly log: HostLog;
}

/** What a notification means to those who watch the newest `limit` sessions. */
export interface WatchStep {
  /** Whether it is for them. */
  hears(limit: number): boolean;
  /** A session that they have to be told of as added: its change brought it, or made room for it, among the newest. */
  entered(limit: number): SessionSummary | undefined;
}

/** When lists are read again: by then other hosts have written what they told before this one listened. */
const READ_AGAIN_MS = 1_000;

const EVERYTHING: WatchStep = { hears: () => true, entered: () => undefined };

/**
 * Follows which sessions are the newest, for clients that watch only those (NTF2). Until it has a list they are told of all
 * sessions, each time with the whole summary.
 */
export class WatchWindows {
  readonly #options: WatchWindowsOptions;
  readonly #newest = new NewestSessions();
  #isLoaded = false;
  /** Something has changed before it was known which sessions are the newest: which ones have moved up by that is not known. */
  #isBehind = false;
  /** What has happened while a list is being read; `undefined` for a removed session. */
  #since: Map<URI, SessionSummary | undefined> | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Rises with each end: a list that is read for nobody is thrown away. */
  #run = 0;

  constructor(options: WatchWindowsOptions) {
    this.#options = options;
  }

  /** Called when the first client watches. */
  begin(): void {
    void this.#read();
    this.#readLater();
  }

  /** Called when nobody watches any more, or the sessions are others. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#since = undefined;
    this.#isLoaded = false;
    this.#isBehind = false;
    this.#run++;
    this.#newest.replace([], true);
  }

  /** `summary`: all of it after a change, if the teller has it. */
  follow(notification: Notification, summary?: SessionSummary): WatchStep {
    this.#isBehind ||= !this.#isLoaded;
    switch (notification.type) {
      case 'notify/sessionAdded':
        return this.#added(notification.summary);
      case 'notify/sessionSummaryChanged':
        return this.#changed(notification.session, this.#whole(notification, summary));
      case 'notify/sessionRemoved':
        return this.#removed(notification.session);
      default:
        return EVERYTHING;
    }
  }

  #whole(
    { session, changes }: Extract<Notification, { type: 'notify/sessionSummaryChanged' }>,
    summary: SessionSummary | undefined,
  ): SessionSummary | undefined {
    const known = this.#since?.get(session) ?? this.#newest.get(session);
    return summary ?? (known && withSummaryChanges(known, changes));
  }

  #added(summary: SessionSummary): WatchStep {
    this.#since?.set(summary.resource, summary);
    if (!this.#isLoaded) return EVERYTHING;
    const move = this.#newest.put(summary);
    return { hears: (limit) => move.after < limit, entered: (limit) => this.#made(move, limit) };
  }

  #changed(resource: URI, summary: SessionSummary | undefined): WatchStep {
    if (!summary) {
      // An older host has told only a part, of a session that is not known here.
      this.#readLater();
      return EVERYTHING;
    }
    this.#since?.set(resource, summary);
    if (!this.#isLoaded) return { hears: () => false, entered: () => summary };
    const move = this.#newest.put(summary);
    if (this.#newest.isShort) void this.#read();
    const cameIn = (limit: number) => move.before >= limit && move.after < limit;
    return {
      hears: (limit) => move.before < limit,
      entered: (limit) => (cameIn(limit) ? summary : this.#made(move, limit)),
    };
  }

  #removed(resource: URI): WatchStep {
    this.#since?.set(resource, undefined);
    if (!this.#isLoaded) return EVERYTHING;
    const move = this.#newest.remove(resource);
    if (this.#newest.isShort) void this.#read();
    return { hears: () => true, entered: (limit) => this.#made(move, limit) };
  }

  /** The session that is among the newest because another one left. */
  #made({ before, after }: Move, limit: number): SessionSummary | undefined {
    return before < limit && after >= limit ? this.#newest.all[limit - 1] : undefined;
  }

  #readLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#read();
    }, READ_AGAIN_MS).unref();
  }

  async #read(): Promise<void> {
    if (this.#since) return;
    const run = this.#run;
    this.#since = new Map();
    try {
      const { items, hasOlder } = await this.#list();
      if (run === this.#run) this.#replace(items, hasOlder, this.#since ?? new Map());
    } catch (error) {
      if (run !== this.#run) return;
      this.#options.log.warn(`the newest sessions could not be listed: ${errorMessage(error)}`);
      this.#readLater();
    } finally {
      if (run === this.#run) this.#since = undefined;
    }
  }

  async #list(): Promise<{ readonly items: readonly SessionSummary[]; readonly hasOlder: boolean }> {
    const items: SessionSummary[] = [];
    let cursor: string | undefined;
    do {
      const limit = Math.min(KEPT - items.length, MAX_LIST_LIMIT);
      const page = await this.#options.list({ limit, ...(cursor !== undefined && { cursor }) });
      items.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== undefined && items.length < KEPT);
    return { items, hasOlder: cursor !== undefined };
  }

  #replace(
    items: readonly SessionSummary[],
    hasOlder: boolean,
    since: ReadonlyMap<URI, SessionSummary | undefined>,
  ): void {
    const before = this.#newest.all;
    const next = new Map(items.map((item) => [item.resource, this.#newer(item)]));
    const oldest = items.at(-1)?.modifiedAt ?? 0;
    for (const [resource, summary] of since) {
      if (!summary) next.delete(resource);
      // Between the last that was listed and this one there may be others.
      else if (next.has(resource) || !hasOlder || summary.modifiedAt > oldest) next.set(resource, summary);
    }
    this.#newest.replace(next.values(), hasOlder);
    const isNews = this.#isLoaded || this.#isBehind;
    this.#isLoaded = true;
    this.#isBehind = false;
    if (!isNews) return;
    this.#tellNew(before);
  }

  /** Another host may not have written yet what it has told. */
  #newer(item: SessionSummary): SessionSummary {
    const known = this.#newest.get(item.resource);
    return known && known.modifiedAt >= item.modifiedAt ? known : item;
  }

  /** Each session once, to all whose windows it is in: there may be as many windows as there are clients. */
  #tellNew(before: readonly SessionSummary[]): void {
    const limits = [...this.#options.limits()];
    const placesBefore = new Map(before.map(({ resource }, place) => [resource, place]));
    for (const [place, summary] of this.#newest.all.entries()) {
      const placeBefore = placesBefore.get(summary.resource) ?? Number.POSITIVE_INFINITY;
      const isSame = sameValue(before[placeBefore], summary);
      const knows = (limit: number) => isSame && placeBefore < limit;
      const told = limits.filter((limit) => place < limit && !knows(limit));
      if (told.length > 0) this.#options.entered(summary, told);
    }
  }
}
