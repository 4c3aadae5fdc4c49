import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import {
  DEFAULT_LIST_LIMIT,
  type ListSessionsFilter,
  type ListSessionsParams,
  type ListSessionsResult,
  type SessionSummary,
  type URI,
} from '@agenthost/protocol';

const SCHEMA_VERSION = 2;

const SCHEMA = `
  CREATE TABLE sessions (
    resource TEXT PRIMARY KEY,
    provider TEXT NOT NULL,
    title TEXT NOT NULL,
    modifiedAt REAL NOT NULL,
    status TEXT NOT NULL,
    isRead INTEGER NOT NULL,
    isArchived INTEGER NOT NULL,
    workspace TEXT,
    summary TEXT NOT NULL
  ) STRICT;
  CREATE INDEX byTime ON sessions (modifiedAt DESC, resource DESC);
  CREATE INDEX byStatus ON sessions (status);
  CREATE TABLE unsettled (resource TEXT PRIMARY KEY) STRICT;
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** How many changed summaries wait at most before they are written. */
const MAX_WAITING = 1_000;
const WRITE_DELAY_MS = 100;

/** The summaries of all sessions, so that a list opens none of them. A cache: it can be rebuilt from the sessions' folders. */
export class SessionIndex {
  readonly #database: DatabaseSync;
  readonly #upsert: StatementSync;
  readonly #expect: StatementSync;
  readonly #onError: (error: unknown) => void;
  readonly #waiting = new Map<URI, SessionSummary>();
  #timer: NodeJS.Timeout | undefined;
  /** The index was made just now: it has to be filled. */
  readonly isNew: boolean;

  /** Throws where the file is no index that this version can read; the caller then removes it and makes a new one. */
  constructor(path: string, onError: (error: unknown) => void = () => {}) {
    this.#onError = onError;
    this.#database = new DatabaseSync(path);
    try {
      this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 2000;');
      const version = this.#database.prepare('PRAGMA user_version').get()?.['user_version'];
      this.isNew = version === 0;
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

  /** Soon, together with others. */
  put(summary: SessionSummary): void {
    if (!this.#waiting.has(summary.resource)) this.expect(summary.resource);
    this.#waiting.set(summary.resource, summary);
    if (this.#waiting.size >= MAX_WAITING) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), WRITE_DELAY_MS).unref();
  }

  remove(resource: URI): void {
    this.#waiting.delete(resource);
    for (const table of ['sessions', 'unsettled']) {
      this.#database.prepare(`DELETE FROM ${table} WHERE resource = ?`).run(resource);
    }
  }

  list({ filter = {}, limit = DEFAULT_LIST_LIMIT, cursor }: ListSessionsParams): ListSessionsResult {
    this.flush();
    const { where, values } = conditions(filter);
    const total = Number(this.#database.prepare(`SELECT count(*) AS n FROM sessions ${where}`).get(...values)?.['n']);
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const page = after ? `${where ? `${where} AND` : 'WHERE'} (modifiedAt, resource) < (?, ?)` : where;
    const rows = this.#database
      .prepare(
        `SELECT summary, modifiedAt, resource FROM sessions ${page} ORDER BY modifiedAt DESC, resource DESC LIMIT ?`,
      )
      .all(...values, ...(after ?? []), limit + 1);
    // What waits is newer: the disk may be full.
    const items = rows
      .slice(0, limit)
      .map(
        (row) => this.#waiting.get(String(row['resource'])) ?? (JSON.parse(String(row['summary'])) as SessionSummary),
      );
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return { items, total, ...(last && { nextCursor: encodeCursor(last['modifiedAt'], last['resource']) }) };
  }

  /** Writes what waits, if that can be done. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.size > 0) this.#attempt(() => this.#write());
  }

  close(): void {
    this.flush();
    this.#database.close();
  }

  #write(): void {
    this.#database.exec('BEGIN');
    try {
      const settle = this.#database.prepare('DELETE FROM unsettled WHERE resource = ?');
      for (const summary of this.#waiting.values()) {
        this.#upsert.run(...row(summary));
        settle.run(summary.resource);
      }
      this.#database.exec('COMMIT');
    } catch (error) {
      // A full disk has ended the transaction already.
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
    this.#waiting.clear();
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
    title,
    modifiedAt,
    status,
    Number(isRead),
    Number(isArchived),
    workingDirectory ?? null,
    JSON.stringify(summary),
  ];
}

function conditions(filter: ListSessionsFilter): { where: string; values: SQLInputValue[] } {
  const parts: string[] = [];
  const values: SQLInputValue[] = [];
  const add = (sql: string, ...bound: SQLInputValue[]) => {
    parts.push(sql);
    values.push(...bound);
  };
  if (filter.provider !== undefined) add('provider = ?', filter.provider);
  if (filter.status !== undefined) add('status = ?', filter.status);
  if (filter.isArchived !== undefined) add('isArchived = ?', Number(filter.isArchived));
  if (filter.isRead !== undefined) add('isRead = ?', Number(filter.isRead));
  if (filter.workspace !== undefined) add('workspace = ?', filter.workspace);
  if (filter.modifiedSince !== undefined) add('modifiedAt >= ?', filter.modifiedSince);
  for (const word of filter.text?.split(/\s+/).filter(Boolean) ?? []) {
    add(`title LIKE ? ESCAPE '\\'`, `%${word.replace(/[\\%_]/g, '\\$&')}%`);
  }
  return { where: parts.length > 0 ? `WHERE ${parts.join(' AND ')}` : '', values };
}

function encodeCursor(modifiedAt: unknown, resource: unknown): string {
  return Buffer.from(JSON.stringify([modifiedAt, resource])).toString('base64url');
}

function decodeCursor(cursor: string): [number, string] {
  try {
    const [modifiedAt, resource] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    if (typeof modifiedAt === 'number' && typeof resource === 'string') return [modifiedAt, resource];
  } catch {
    // Said below.
  }
  throw new InvalidCursorError();
}

export class InvalidCursorError extends Error {
  constructor() {
    super('not a cursor of this host: list again from the start');
    this.name = 'InvalidCursorError';
  }
}
