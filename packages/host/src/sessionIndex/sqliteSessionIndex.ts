import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as immediate } from 'node:timers/promises';
import type {
  ActiveTurn,
  ListSessionsParams,
  ListSessionsResult,
  SessionSummary,
  Turn,
  URI,
} from '@agenthost/protocol';
import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import { IndexReplacedError, IndexUnusableError, isIndexDamage } from './indexDamage.js';
import { IndexFile } from './indexFile.js';
import { IndexReader } from './indexReader.js';
import { summaryRow, UPSERT_SUMMARY } from './indexSchema.js';
import type { PageSums } from './pageSums.js';
import { eraseSomeTexts, findTurn, writeTexts } from './searchTable.js';
import { type DroppedText, searchText, type WaitingTurn, WaitingTurns } from './searchText.js';
import { SearchThread } from './searchThread.js';
import type { IndexChanges, SessionIndex, SummariesFound, SummaryOfSpace } from './sessionIndex.js';

/** Maximum number of changed summaries, or turns, that wait to be written. */
const MAX_WAITING = 200;
const WRITE_DELAY_MS = 100;
/** An index that is damaged more often than this in one run of the host is on a broken disk. */
const MAX_REPLACED = 3;

export interface SqliteSessionIndexOptions {
  /** The checksums of the existing file; without them a new one replaces it. */
  readonly sums?: PageSums;
  /** The file may be incomplete: the caller has to read the sessions and then call `markFilled`. */
  readonly isIncomplete?: boolean;
  /** Runs searches in another thread. Without it they run here. */
  readonly searchInThread?: boolean;
  readonly onError?: (error: unknown) => void;
  /** Called when it was damaged and is empty now. */
  readonly onReplaced?: (cause: unknown) => void;
}

/** The index of one host on its own state folder: a file of SQLite, which can be rebuilt from the session folders. */
export class SqliteSessionIndex implements SessionIndex {
  readonly #path: string;
  readonly #options: SqliteSessionIndexOptions;
  #file: IndexFile;
  #reader: IndexReader;
  readonly #thread: SearchThread | undefined;
  readonly #waiting = new Map<URI, SummaryOfSpace>();
  readonly #waitingTurns = new WaitingTurns();
  /** Sessions marked as unsettled since the last write. */
  readonly #expected = new Set<URI>();
  /** Sessions whose logs are being read: they stay unsettled until the end. */
  readonly #held = new Set<URI>();
  /** Sessions that miss turns, and stay unsettled until their logs are read again. */
  readonly #incomplete = new Set<URI>();
  #timer: NodeJS.Timeout | undefined;
  #checkpoint: NodeJS.Immediate | undefined;
  #isFilled: boolean;
  #isClosed = false;
  #replaced = 0;
  /** Set when not even a mark could be written, so that the file doesn't say what it lacks. */
  #hasMissed = false;

  /** Throws when the file is no index that this version can read. */
  constructor(path: string, options: SqliteSessionIndexOptions = {}) {
    this.#path = path;
    this.#options = options;
    this.#file = new IndexFile(path, options.sums);
    this.#reader = new IndexReader(this.#database);
    this.#thread = options.searchInThread ? new SearchThread(path) : undefined;
    // An index in memory has nothing that it could be filled from.
    this.#isFilled = path === ':memory:' || !(this.#file.isNew || options.isIncomplete || this.mayLack);
  }

  get #database(): DatabaseSync {
    return this.#file.database;
  }

  /** It was made by a host that could not read all sessions. */
  get mayLack(): boolean {
    return this.#file.hadNoSpaces;
  }

  get isRefilling(): boolean {
    return this.#replaced > 0 && !this.#isFilled;
  }

  markFilled(): void {
    this.flush();
    this.#isFilled = true;
    for (const resource of [...this.#incomplete, ...this.#held, ...this.#expected]) this.expect(resource);
    this.#attempt(() => this.#file.markFilled());
  }

  expect(resource: URI): void {
    // Before it is filled, marks for each session would only cost time.
    if (this.#file.isNew && !this.#isFilled) return;
    const sql = 'INSERT OR IGNORE INTO unsettled (resource) VALUES (?)';
    if (!this.#attempt(() => this.#database.prepare(sql).run(resource))) this.#hasMissed = true;
  }

  hold(resource: URI): (end: { readonly isWhole: boolean }) => void {
    this.#held.add(resource);
    this.#incomplete.delete(resource);
    return ({ isWhole }) => {
      this.#held.delete(resource);
      this.#expected.add(resource);
      if (!isWhole) this.markIncomplete(resource);
      this.#writeSoon();
    };
  }

  markIncomplete(resource: URI): void {
    this.#incomplete.add(resource);
  }

  interrupted(): URI[] {
    const sql = `SELECT resource FROM sessions WHERE status IN ('inProgress', 'inputNeeded')`;
    const atWork = this.#read(() => this.#database.prepare(sql).all()) ?? [];
    return [...new Set([...this.unsettled(), ...atWork.map((row) => String(row['resource']))])];
  }

  /** Sessions whose last change may be missing because the host died. */
  unsettled(): URI[] {
    const rows = this.#read(() => this.#database.prepare('SELECT resource FROM unsettled').all());
    return rows?.map((row) => String(row['resource'])) ?? [];
  }

  isComplete(resource: URI): boolean {
    if (this.#held.has(resource) || this.#incomplete.has(resource)) return false;
    if (this.#waiting.has(resource) || this.#expected.has(resource)) return true;
    const sql = 'SELECT 1 FROM sessions WHERE resource = ?1 AND ?1 NOT IN (SELECT resource FROM unsettled)';
    return this.#read(() => this.#database.prepare(sql).get(resource)) !== undefined;
  }

  resources(after: URI, limit: number): URI[] {
    const sql = 'SELECT resource FROM sessions WHERE resource > ? ORDER BY resource LIMIT ?';
    const rows = this.#read(() => this.#database.prepare(sql).all(after, limit));
    return rows?.map((row) => String(row['resource'])) ?? [];
  }

  summariesWith(text: string, after: URI, limit: number): SummariesFound {
    this.flush();
    const sql = `SELECT resource, space, CASE WHEN instr(summary, ?) > 0 THEN summary END AS summary
      FROM (SELECT resource, space, summary FROM sessions WHERE resource > ? ORDER BY resource LIMIT ?)`;
    const quoted = JSON.stringify(text).slice(1, -1);
    const rows = this.#read(() => this.#database.prepare(sql).all(quoted, after, limit)) ?? [];
    const found = rows.flatMap(({ summary, space }) =>
      summary === null ? [] : { summary: JSON.parse(String(summary)) as SessionSummary, space: String(space) },
    );
    return { found, last: rows.length < limit ? undefined : String(rows.at(-1)?.['resource']) };
  }

  providers(): string[] {
    const rows = this.#read(() => this.#database.prepare('SELECT DISTINCT provider FROM sessions').all());
    return rows?.map((row) => String(row['provider'])) ?? [];
  }

  put(summary: SessionSummary, space: string = DEFAULT_SPACE): void {
    this.#expectOnce(summary.resource);
    this.#waiting.set(summary.resource, { summary, space });
    this.#writeSoon();
  }

  putTurn(resource: URI, turn: Turn | ActiveTurn, dropped?: DroppedText): void {
    this.#putText({ resource, turnId: turn.id, text: searchText(turn, dropped?.of(turn.id)) });
  }

  forgetTurn(resource: URI, turnId: string): void {
    this.#putText({ resource, turnId, text: undefined });
  }

  hasTurn(resource: URI, turnId: string): boolean | undefined {
    const waiting = this.#waitingTurns.get(resource, turnId);
    if (waiting) return waiting.text !== undefined;
    try {
      if (!this.isComplete(resource)) return undefined;
      return this.#read(() => findTurn(this.#database, resource, turnId));
    } catch (error) {
      this.#options.onError?.(error);
      return undefined;
    }
  }

  /** Erases the texts of a session that is about to be removed, in pieces: all at once would block the host. */
  async eraseTexts(resource: URI): Promise<void> {
    this.#waitingTurns.deleteAll(resource);
    for (let isLeft = !this.#hasCopy; isLeft && !this.#isClosed; ) {
      isLeft = false;
      this.#attempt(() => {
        isLeft = eraseSomeTexts(this.#database, resource);
      });
      this.#reader.forget();
      await immediate();
    }
  }

  remove(resource: URI): void {
    this.#waiting.delete(resource);
    this.#waitingTurns.deleteAll(resource);
    this.#expected.delete(resource);
    this.#incomplete.delete(resource);
    this.#reader.forget();
    if (this.#hasCopy) this.#thread?.apply({ removed: resource });
    for (const table of ['sessions', 'unsettled']) {
      this.#attempt(() => this.#database.prepare(`DELETE FROM ${table} WHERE resource = ?`).run(resource));
    }
  }

  /** Throws an `IndexReplacedError` when it turns out to be damaged, an `IndexUnusableError` when no new one can be made. */
  list(params: ListSessionsParams, space: string = DEFAULT_SPACE): ListSessionsResult {
    this.#flushBeforeRead();
    try {
      return this.#reader.list(params, space, this.#waiting);
    } catch (error) {
      throw this.#damage(error);
    }
  }

  async search(params: ListSessionsParams, space: string = DEFAULT_SPACE): Promise<ListSessionsResult> {
    if (!this.#thread) return this.list(params, space);
    this.#flushBeforeRead();
    if (this.#file.isCheckpointOverdue) {
      await this.#thread.idle();
      this.flush();
      this.#checkpointIfDue();
    }
    try {
      return await this.#thread.search(params, space);
    } catch (error) {
      throw this.#damage(this.#causeOf(error));
    }
  }

  summary(resource: URI, space: string = DEFAULT_SPACE): SessionSummary | undefined {
    const waiting = this.#waiting.get(resource);
    if (waiting) return waiting.space === space ? waiting.summary : undefined;
    const sql = 'SELECT summary FROM sessions WHERE resource = ? AND space = ?';
    const stored = this.#read(() => this.#database.prepare(sql).get(resource, space)?.['summary']);
    return stored === undefined ? undefined : (JSON.parse(String(stored)) as SessionSummary);
  }

  spaceOf(resource: URI): string | undefined {
    const sql = 'SELECT space FROM sessions WHERE resource = ?';
    const stored = () => this.#read(() => this.#database.prepare(sql).get(resource)?.['space']);
    return (this.#waiting.get(resource)?.space ?? stored()) as string | undefined;
  }

  /** Writes what another index has written. */
  apply({ summaries = [], turns = [], removed }: IndexChanges): void {
    for (const put of summaries) this.#waiting.set(put.summary.resource, put);
    for (const turn of turns) this.#waitingTurns.set(turn);
    this.flush();
    if (removed !== undefined) this.remove(removed);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.size + this.#waitingTurns.size + this.#expected.size === 0) return;
    this.#attempt(() => {
      this.#file.assertInPlace();
      this.#write();
    });
    this.#checkpoint ??= setImmediate(() => this.#checkpointLater());
  }

  close(): void {
    this.flush();
    const isClean = this.#isFilled && !this.#hasMissed && this.#waiting.size === 0 && this.#waitingTurns.size === 0;
    this.#isClosed = true;
    this.#thread?.close();
    this.#attempt(() => this.#file.close({ isClean }));
  }

  /** An index in memory has no file for the thread: the thread has a copy, and only the copy has the words. */
  get #hasCopy(): boolean {
    return this.#thread !== undefined && this.#path === ':memory:';
  }

  /** In a tick of its own: a commit and a checkpoint together would keep everybody waiting. A checkpoint waits for readers. */
  #checkpointLater(): void {
    this.#checkpoint = undefined;
    if (!this.#isClosed && !this.#thread?.isBusy) this.#attempt(() => this.#checkpointIfDue());
  }

  #checkpointIfDue(): void {
    this.#file.checkpointIfDue({ isTrusted: this.#isFilled && !this.#hasMissed });
  }

  /** The write may find the damage: then there is next to nothing to read. */
  #flushBeforeRead(): void {
    const before = this.#replaced;
    this.flush();
    if (this.#replaced > before) throw new IndexReplacedError(undefined);
  }

  /** The thread opens the file by its name: when that fails, the name may refer to nothing, or to another file. */
  #causeOf(error: unknown): unknown {
    try {
      this.#file.assertInPlace();
      return error;
    } catch (gone) {
      return gone;
    }
  }

  /** The error for the caller of a list. */
  #damage(error: unknown): unknown {
    if (!isIndexDamage(error)) return error;
    return this.#replace(error) ? new IndexReplacedError(error) : new IndexUnusableError(error);
  }

  #putText(turn: WaitingTurn): void {
    this.#expectOnce(turn.resource);
    this.#waitingTurns.set(turn);
    this.#writeSoon();
    for (const lost of this.#waitingTurns.shrink()) this.#incomplete.add(lost);
  }

  #expectOnce(resource: URI): void {
    if (this.#expected.has(resource)) return;
    this.#expected.add(resource);
    this.expect(resource);
  }

  #writeSoon(): void {
    const { size, isMuch } = this.#waitingTurns;
    if (this.#waiting.size >= MAX_WAITING || size >= MAX_WAITING || isMuch) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), WRITE_DELAY_MS).unref();
  }

  #write(): void {
    this.#database.exec('BEGIN');
    try {
      const upsert = this.#database.prepare(UPSERT_SUMMARY);
      for (const { summary, space } of this.#waiting.values()) upsert.run(...summaryRow(summary, space));
      if (!this.#hasCopy) writeTexts(this.#database, this.#waitingTurns);
      const settle = this.#database.prepare('DELETE FROM unsettled WHERE resource = ?');
      const isSettled = (resource: URI) => !this.#incomplete.has(resource) && !this.#held.has(resource);
      for (const resource of this.#expected) if (isSettled(resource)) settle.run(resource);
      this.#database.exec('COMMIT');
    } catch (error) {
      // A full disk has already ended the transaction.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
    if (this.#hasCopy) {
      this.#thread?.apply({ summaries: [...this.#waiting.values()], turns: [...this.#waitingTurns] });
    }
    this.#reader.forget();
    this.#waiting.clear();
    this.#waitingTurns.clear();
    this.#expected.clear();
  }

  /** A cache that can't be written affects no client: the change is written with the next one. */
  #attempt(write: () => void): boolean {
    try {
      write();
      return true;
    } catch (error) {
      if (isIndexDamage(error)) this.#replace(error);
      else this.#options.onError?.(error);
      return false;
    }
  }

  #read<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!isIndexDamage(error)) throw error;
      this.#replace(error);
      return undefined;
    }
  }

  /** Waiting changes stay, and go into the new one. If none can be made, the next use tries again. */
  #replace(cause: unknown): boolean {
    if (this.#isClosed) return false;
    this.#file.discard();
    this.#isFilled = false;
    // Only the newest waiting change of each is kept.
    for (const resource of [...this.#expected, ...this.#held]) this.markIncomplete(resource);
    if (this.#replaced >= MAX_REPLACED) return false;
    try {
      this.#file = new IndexFile(this.#path);
    } catch (error) {
      this.#options.onError?.(error);
      return false;
    }
    this.#replaced++;
    this.#reader = new IndexReader(this.#database);
    this.#thread?.restart(new IndexReplacedError(cause));
    this.#options.onReplaced?.(cause);
    return true;
  }
}
