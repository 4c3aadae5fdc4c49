import { setTimeout as delay } from 'node:timers/promises';
import {
  type ActiveTurn,
  ERROR_CODE,
  type ListSessionsParams,
  type ListSessionsResult,
  parseSessionUri,
  type SessionSummary,
  type Turn,
  type URI,
} from '@agenthost/protocol';
import { DEFAULT_SPACE, dropOldest, errorMessage } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { HostLog } from '../hostLog.js';
import { type DroppedText, searchText, type WaitingTurn, WaitingTurns } from '../sessionIndex/searchText.js';
import type { SessionIndex, SummariesFound, SummaryOfSpace } from '../sessionIndex/sessionIndex.js';
import { type Database, DatabaseAwayError, isTransient } from './database.js';
import { type IndexWrite, writeIndex } from './indexStatements.js';
import { listSessions } from './listStatements.js';
import type { LivingHosts, OwnedSession, OwnedSessions } from './ownedSessions.js';

/** Maximum number of sessions, or turns, that wait to be written. */
const MAX_WAITING = 200;
const WRITE_DELAY_MS = 100;
/** How long a list waits for changes to be written, without which it would lack sessions. */
const FLUSH_PATIENCE_MS = 5_000;
/** How long a list waits for a database that restarts. */
const LIST_PATIENCE_MS = 3_000;
const LIST_RETRY_MS = 100;
/** How many interrupted sessions are taken at a time. */
const MAX_INTERRUPTED = 20;
/** When one that could not be taken is tried again. */
const RETRY_INTERRUPTED_MS = 30_000;
/** Of those that could not be taken; more, and the oldest are tried again at once. */
const MAX_TRIED = 1_000;
/** Maximum number of summaries, and of turns, that one statement writes. */
const MAX_AT_ONCE = 500;
/** Summaries that are kept for lists that are being read. */
const MAX_RECENT = 1_000;

export interface PgSessionIndexOptions {
  readonly database: Database;
  readonly owned: OwnedSessions;
  readonly cluster: Pick<LivingHosts, 'alive' | 'place'>;
  readonly log: HostLog;
  /** A clock that nobody sets. */
  readonly now?: () => number;
}

/**
 * The index of all sessions in the database. The owner of a session writes about it, fenced as all its writes; any host reads.
 * How far it has read a log is in the session's row, beside the size of the log: what differs has to be read again.
 */
export class PgSessionIndex implements SessionIndex {
  readonly isRefilling = false;
  readonly #options: PgSessionIndexOptions;
  readonly #waiting = new Map<URI, SessionSummary>();
  readonly #waitingTurns = new WaitingTurns();
  /** Sessions to write about, with what they were when the first change came. */
  readonly #touched = new Map<string, OwnedSession>();
  readonly #erased = new Set<URI>();
  readonly #removed = new Set<URI>();
  /** Sessions whose logs are being read. */
  readonly #held = new Set<URI>();
  readonly #incomplete = new Set<URI>();
  /** Interrupted sessions that this host has tried to open, and when. */
  readonly #tried = new Map<URI, number>();
  /** The newest summaries of this host. */
  readonly #recent = new Map<URI, SummaryOfSpace>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: PgSessionIndexOptions) {
    this.#options = options;
    options.owned.onRemoved((owned) => {
      this.#touched.set(owned.fence.sessionId, owned);
      return this.flush();
    });
  }

  /** Nothing to do: each append leaves the log larger than what is indexed. */
  expect(_resource: URI): void {}

  markFilled(): void {}

  /** What is written has the space of the session's row. */
  put(summary: SessionSummary, space: string = DEFAULT_SPACE): void {
    const { resource } = summary;
    this.#removed.delete(resource);
    this.#waiting.set(resource, summary);
    this.#recent.delete(resource);
    this.#recent.set(resource, { summary, space });
    dropOldest(this.#recent, MAX_RECENT);
    this.#touch(resource);
  }

  putTurn(resource: URI, turn: Turn | ActiveTurn, dropped?: DroppedText): void {
    this.#putText({ resource, turnId: turn.id, text: searchText(turn, dropped?.of(turn.id)) });
  }

  forgetTurn(resource: URI, turnId: string): void {
    this.#putText({ resource, turnId, text: undefined });
  }

  hold(resource: URI): (end: { readonly isWhole: boolean }) => void {
    this.#held.add(resource);
    this.#incomplete.delete(resource);
    return ({ isWhole }) => {
      this.#held.delete(resource);
      if (!isWhole) this.markIncomplete(resource);
      const owned = this.#options.owned.get(idOf(resource));
      if (owned) owned.isIndexed = isWhole;
      this.#touch(resource);
    };
  }

  markIncomplete(resource: URI): void {
    this.#incomplete.add(resource);
    this.#touch(resource);
  }

  async eraseTexts(resource: URI): Promise<void> {
    this.#waitingTurns.deleteAll(resource);
    this.#erased.add(resource);
    this.#touch(resource);
    await this.flush();
  }

  remove(resource: URI): void {
    this.#waiting.delete(resource);
    this.#waitingTurns.deleteAll(resource);
    this.#recent.delete(resource);
    this.#incomplete.delete(resource);
    this.#removed.add(resource);
    this.#touch(resource);
  }

  /** Resolves when what waits now is written, or can't be. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const before = this.#writing ?? Promise.resolve();
    const writing = before.then(() => this.#write());
    this.#writing = writing;
    void writing.then(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
    return writing;
  }

  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
  }

  /** Those of hosts that are dead, or of none; first those whose folder is here (OWN5). What was tried in vain comes again later. */
  async interrupted(): Promise<URI[]> {
    const { database, cluster, now = () => performance.now() } = this.#options;
    for (const [resource, time] of this.#tried) {
      if (now() - time < RETRY_INTERRUPTED_MS) break;
      this.#tried.delete(resource);
    }
    const sql = `select resource from summary_all join session_all on id = session
      where (indexed_size <> log_size or status in ('inProgress', 'inputNeeded'))
        and (owner is null or owner <> all($1)) and resource <> all($2)
      order by place in ($3, '') desc, place = $3 desc limit ${MAX_INTERRUPTED}`;
    const values = [cluster.alive, [...this.#tried.keys()], cluster.place];
    const rows = await database.settle<{ resource: URI }>(sql, values);
    for (const { resource } of rows) this.#tried.set(resource, now());
    dropOldest(this.#tried, MAX_TRIED);
    return rows.map(({ resource }) => resource);
  }

  isComplete(resource: URI): boolean {
    if (this.#held.has(resource) || this.#incomplete.has(resource)) return false;
    return this.#options.owned.get(idOf(resource))?.isIndexed === true;
  }

  hasTurn(resource: URI, turnId: string): boolean | undefined {
    const waiting = this.#waitingTurns.get(resource, turnId);
    return waiting && waiting.text !== undefined;
  }

  async findTurn(resource: URI, turnId: string): Promise<boolean | undefined> {
    if (!this.isComplete(resource)) return undefined;
    await this.flush();
    const sql = 'select 1 from turn_text where session = $1 and turn = $2';
    return (await this.#options.database.settle(sql, [idOf(resource), turnId])).length > 0;
  }

  /** Only of sessions that are open here: those of other hosts change elsewhere. */
  summary(resource: URI, space: string = DEFAULT_SPACE): SessionSummary | undefined {
    const recent = this.#options.owned.get(idOf(resource)) && this.#recent.get(resource);
    return recent?.space === space ? recent.summary : undefined;
  }

  async spaceOf(resource: URI): Promise<string | undefined> {
    const sql = 'select space from summary_all where resource = $1';
    return (await this.#options.database.settle<{ space: string }>(sql, [resource]))[0]?.space;
  }

  async list(params: ListSessionsParams, space: string = DEFAULT_SPACE): Promise<ListSessionsResult> {
    const until = performance.now() + LIST_PATIENCE_MS;
    for (;;) {
      try {
        await this.#flushed();
        return await listSessions(this.#options.database, params, space, (resource) => this.summary(resource, space));
      } catch (error) {
        if (!isTransient(error)) throw error;
        // A connection that was cut is only replaced.
        if (performance.now() < until) {
          await delay(LIST_RETRY_MS);
          continue;
        }
        this.#options.log.warn(`sessions could not be listed: ${errorMessage(error)}`);
        throw new RpcError(ERROR_CODE.tooManyRequests, "the database can't be reached right now: try again");
      }
    }
  }

  /** Rejects when what waits could not be written in time. */
  async #flushed(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new DatabaseAwayError('the index was not written in time')), FLUSH_PATIENCE_MS);
    });
    await Promise.race([this.flush(), late]).finally(() => clearTimeout(timer));
  }

  search(params: ListSessionsParams, space: string = DEFAULT_SPACE): Promise<ListSessionsResult> {
    return this.list(params, space);
  }

  async resources(after: URI, limit: number): Promise<URI[]> {
    const sql =
      'select resource from summary_all where resource collate "C" > $1 order by resource collate "C" limit $2';
    const rows = await this.#options.database.settle<{ resource: URI }>(sql, [after, limit]);
    return rows.map(({ resource }) => resource);
  }

  async summariesWith(text: string, after: URI, limit: number): Promise<SummariesFound> {
    const quoted = JSON.stringify(text).slice(1, -1);
    const sql = `select resource, space, case when position($1 in summary) > 0 then summary end as summary from
      (select resource, space, summary from summary_all where resource collate "C" > $2 order by resource collate "C" limit $3) as some`;
    type Row = { readonly resource: URI; readonly space: string; readonly summary: string | null };
    const rows = await this.#options.database.settle<Row>(sql, [quoted, after, limit]);
    const found = rows.flatMap(({ summary, space }) =>
      summary === null ? [] : { summary: JSON.parse(summary) as SessionSummary, space },
    );
    return { found, last: rows.length < limit ? undefined : rows.at(-1)?.resource };
  }

  async providers(): Promise<string[]> {
    const sql = 'select distinct provider from kind_count_all';
    return (await this.#options.database.settle<{ provider: string }>(sql)).map(({ provider }) => provider);
  }

  #putText(turn: WaitingTurn): void {
    this.#waitingTurns.set(turn);
    this.#touch(turn.resource);
    for (const lost of this.#waitingTurns.shrink()) this.#incomplete.add(lost);
  }

  #touch(resource: URI): void {
    const owned = this.#options.owned.get(idOf(resource));
    if (owned) this.#touched.set(owned.fence.sessionId, owned);
    this.#writeSoon();
  }

  #writeSoon(): void {
    const { size, isMuch } = this.#waitingTurns;
    if (this.#waiting.size >= MAX_WAITING || size >= MAX_WAITING || isMuch) {
      if (!this.#writing) void this.flush();
    } else this.#timer ??= setTimeout(() => void this.flush(), WRITE_DELAY_MS).unref();
  }

  async #write(): Promise<void> {
    for (let write = this.#take(); write; write = this.#take()) await this.#writeOne(write);
  }

  async #writeOne(write: IndexWrite): Promise<void> {
    try {
      await writeIndex(this.#options.database, write);
    } catch (error) {
      // A cache that can't be written affects no client. What is missing is read from the log again.
      this.#options.log.warn(`the session index could not be written: ${errorMessage(error)}`);
      for (const { resource } of [...write.summaries, ...write.turns]) this.#incomplete.add(resource);
    }
  }

  /** The oldest of what waits, as one write. */
  #take(): IndexWrite | undefined {
    const changes = this.#touched.size + this.#waiting.size + this.#waitingTurns.size + this.#removed.size;
    if (changes + this.#erased.size === 0) return undefined;
    const summaries = taken(this.#waiting, MAX_AT_ONCE);
    const turns = this.#waitingTurns.take(MAX_AT_ONCE);
    // A session with more to come is not indexed as far as its log goes.
    const later = [...this.#waiting.keys(), ...[...this.#waitingTurns].map(({ resource }) => resource)];
    const partial = new Set([...this.#incomplete, ...this.#held, ...later].map(idOf));
    const sessions = [...this.#touched.values()].map(({ fence, isIndexed, logSize }) => ({
      fence,
      indexedSize: isIndexed && !partial.has(fence.sessionId) ? logSize() : -1,
    }));
    const write: IndexWrite = {
      sessions,
      summaries,
      turns,
      erased: [...this.#erased].map(idOf),
      removed: [...this.#removed].map(idOf),
    };
    const unfinished = new Set(later.map(idOf));
    for (const { fence } of sessions) if (!unfinished.has(fence.sessionId)) this.#touched.delete(fence.sessionId);
    this.#erased.clear();
    this.#removed.clear();
    return write;
  }
}

/** Removes and returns the oldest values. */
function taken<T>(map: Map<string, T>, count: number): T[] {
  const entries = [...map].slice(0, count);
  for (const [key] of entries) map.delete(key);
  return entries.map(([, value]) => value);
}

function idOf(resource: URI): string {
  return parseSessionUri(resource)?.sessionId ?? '';
}
