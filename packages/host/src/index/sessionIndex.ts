import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  type ActiveTurn,
  DEFAULT_LIST_LIMIT,
  type ListSessionsParams,
  type ListSessionsResult,
  type SessionSummary,
  type Turn,
  type URI,
} from '@agenthost/protocol';
import { SCHEMA, SCHEMA_VERSION } from './indexSchema.js';
import { conditions, decodeCursor, encodeCursor } from './listQuery.js';
import { anyOf, searchTerms } from './searchQuery.js';
import { snippets, writeTexts } from './searchTable.js';
import { searchable, searchText } from './searchText.js';
import { type WaitingTurn, WaitingTurns } from './waitingTurns.js';

/** How many changed summaries, or turns, wait at most before they are written. */
const MAX_WAITING = 1_000;
const WRITE_DELAY_MS = 100;

/**
 * The summaries and the words of all sessions, so that a list opens none of them. A cache: it can be rebuilt from the
 * sessions' folders.
 */
export class SessionIndex {
  readonly #database: DatabaseSync;
  readonly #upsert: StatementSync;
  readonly #expect: StatementSync;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Map<URI, SessionSummary>();
  readonly #waitingTurns = new WaitingTurns();
  /** Marked as unsettled since the last write. */
  readonly #expected = new Set<URI>();
  /** They miss a turn for which there was no room, and stay unsettled until the host looks at them again. */
  readonly #incomplete = new Set<URI>();
  #timer: NodeJS.Timeout | undefined;
  /** The index was made just now: it has to be filled, and then `markFilled`. */
  readonly isNew: boolean;

  /** Throws where the file is no index that this version can read; the caller then removes it and makes a new one. */
  constructor(path: string, onError: (error: unknown) => void = () => {}) {
    this.#onError = onError;
    this.#database = new DatabaseSync(path);
    try {
      this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000;');
      const version = this.#database.prepare('PRAGMA user_version').get()?.['user_version'];
      this.isNew = version === 0;
      // Fails where the tables are there although nobody has marked them as filled.
      if (this.isNew) this.#database.exec(SCHEMA);
      else if (version !== SCHEMA_VERSION) throw new Error(`the index has version ${version}, not ${SCHEMA_VERSION}`);
      this.#upsert = this.#database.prepare(
        `INSERT INTO sessions (resource, provider, title, modifiedAt, status, isRead, isArchived, workspace, summary)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (resource) DO UPDATE SET title = excluded.title, modifiedAt = excluded.modifiedAt,
           status = excluded.status, isRead = excluded.isRead, isArchived = excluded.isArchived,
           workspace = excluded.workspace, summary = excluded.summary`,
      );
      this.#expect = this.#database.prepare('INSERT OR IGNORE INTO unsettled (resource) VALUES (?)');
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** Everything is in it: the next start can use it as it is. */
  markFilled(): void {
    this.flush();
    this.#attempt(() => this.#database.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`));
  }

  /** A change is on its way: should the host die before it is here, the session is to be looked at again. */
  expect(resource: URI): void {
    this.#attempt(() => this.#expect.run(resource));
  }

  /** Sessions whose last change may not have got here before the host died. */
  unsettled(): URI[] {
    return this.#database
      .prepare('SELECT resource FROM unsettled')
      .all()
      .map((row) => String(row['resource']));
  }

  /** Whether all that was said in that session can be found, or is about to. */
  isComplete(resource: URI): boolean {
    if (this.#waiting.has(resource)) return !this.#incomplete.has(resource);
    const sql = 'SELECT 1 FROM sessions WHERE resource = ?1 AND ?1 NOT IN (SELECT resource FROM unsettled)';
    return this.#database.prepare(sql).get(resource) !== undefined;
  }

  /** Soon, together with others. */
  put(summary: SessionSummary): void {
    this.#expectOnce(summary.resource);
    this.#waiting.set(summary.resource, summary);
    this.#writeSoon();
  }

  /** What was said in a turn, as far as it has come. Of a session that the index has, or is about to get. */
  putTurn(resource: URI, turn: Turn | ActiveTurn): void {
    this.#putText({ resource, turnId: turn.id, text: searchText(turn) });
  }

  /** Nothing of that turn is found any more. */
  forgetTurn(resource: URI, turnId: string): void {
    this.#putText({ resource, turnId, text: '' });
  }

  remove(resource: URI): void {
    this.#waiting.delete(resource);
    this.#waitingTurns.deleteAll(resource);
    this.#expected.delete(resource);
    this.#incomplete.delete(resource);
    for (const table of ['sessions', 'unsettled']) {
      this.#attempt(() => this.#database.prepare(`DELETE FROM ${table} WHERE resource = ?`).run(resource));
    }
  }

  list({ filter = {}, limit = DEFAULT_LIST_LIMIT, cursor }: ListSessionsParams): ListSessionsResult {
    this.flush();
    const terms = searchTerms(filter.text ?? '');
    const { where, values } = conditions(filter, terms);
    const total = Number(this.#database.prepare(`SELECT count(*) AS n FROM sessions ${where}`).get(...values)?.['n']);
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const page = after ? `${where ? `${where} AND` : 'WHERE'} (modifiedAt, resource) < (?, ?)` : where;
    const rows = this.#database
      .prepare(
        `SELECT id, summary, modifiedAt, resource FROM sessions ${page}
         ORDER BY modifiedAt DESC, resource DESC LIMIT ?`,
      )
      .all(...values, ...(after ?? []), limit + 1);
    const shown = rows.slice(0, limit);
    // What waits is newer: the disk may be full.
    const items = shown.map(
      (row) => this.#waiting.get(String(row['resource'])) ?? (JSON.parse(String(row['summary'])) as SessionSummary),
    );
    const last = rows.length > limit ? shown.at(-1) : undefined;
    const query = anyOf(terms);
    return {
      items,
      total,
      ...(last && { nextCursor: encodeCursor(last['modifiedAt'], last['resource']) }),
      ...(query !== undefined && { snippets: snippets(this.#database, query, shown) }),
    };
  }

  /** Writes what waits, if that can be done. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.size > 0 || this.#waitingTurns.size > 0) this.#attempt(() => this.#write());
  }

  close(): void {
    this.flush();
    this.#database.close();
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
    const { size, isFull } = this.#waitingTurns;
    if (this.#waiting.size >= MAX_WAITING || size >= MAX_WAITING || isFull) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), WRITE_DELAY_MS).unref();
  }

  #write(): void {
    this.#database.exec('BEGIN');
    try {
      for (const summary of this.#waiting.values()) this.#upsert.run(...row(summary));
      writeTexts(this.#database, this.#waitingTurns);
      const settle = this.#database.prepare('DELETE FROM unsettled WHERE resource = ?');
      for (const resource of this.#expected) if (!this.#incomplete.has(resource)) settle.run(resource);
      this.#database.exec('COMMIT');
    } catch (error) {
      // A full disk has ended the transaction already.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
    this.#waiting.clear();
    this.#waitingTurns.clear();
    this.#expected.clear();
  }

  /** A cache that can't be written harms nobody: what waits goes with the next change. */
  #attempt(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#onError(error);
    }
  }
}

function row(summary: SessionSummary): SQLInputValue[] {
  const { resource, provider, title, modifiedAt, status, isRead, isArchived, workingDirectory } = summary;
  return [
    resource,
    provider,
    searchable(title),
    modifiedAt,
    status,
    Number(isRead),
    Number(isArchived),
    workingDirectory ?? null,
    JSON.stringify(summary),
  ];
}
