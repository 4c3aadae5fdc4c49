import type { SQLInputValue } from 'node:sqlite';
import type { SessionSummary } from '@agenthost/protocol';
import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import { searchable } from './searchText.js';
export const SCHEMA_VERSION = 6;
/** It has no spaces, and is brought up to date in place. Others are rebuilt from the logs. */
export const VERSION_WITHOUT_SPACES = 5;

/** A session's texts have the numbers from `id << TEXT_BITS` on, so that a hit identifies its session without a look-up. */
const TEXT_BITS = 20;

/** In SQL: the number of a session's title; its turns follow. */
export const firstText = (id: string) => `(${id} << ${TEXT_BITS})`;
export const lastText = (id: string) => `(${firstText(id)} + ${2 ** TEXT_BITS - 1})`;
/** How many texts a session can have. */
export const TEXTS = 2 ** TEXT_BITS;

/** `snippet.ts` has to see the same words. */
const TOKENIZER = `tokenize = 'unicode61 remove_diacritics 2'`;

function countKind(row: 'old' | 'new', n: 1 | -1): string {
  const kind = ['space', 'provider', 'status', 'isRead', 'isArchived', 'workspace'].map((column) => `${row}.${column}`);
  return `INSERT INTO kinds (space, provider, status, isRead, isArchived, workspace, n) VALUES (${kind.join(', ')}, ${n})
      ON CONFLICT DO UPDATE SET n = n + ${n};`;
}

/** What lists and totals are read from. */
const LISTS = `
  -- Has all that a filter asks for: counting and paging never touch the summaries of what isn't shown.
  CREATE INDEX byTime ON sessions
    (space, modifiedAt DESC, resource DESC, provider, status, isRead, isArchived, workspace);
  -- How many sessions there are of each kind, so that a total takes no counting.
  CREATE TABLE kinds (
    space TEXT NOT NULL,
    provider TEXT NOT NULL,
    status TEXT NOT NULL,
    isRead INTEGER NOT NULL,
    isArchived INTEGER NOT NULL,
    workspace TEXT NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (space, provider, status, isRead, isArchived, workspace)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER sessionAdded AFTER INSERT ON sessions BEGIN
    INSERT INTO search (rowid, text) VALUES (${firstText('new.id')}, new.title);
    ${countKind('new', 1)}
  END;
  CREATE TRIGGER kindChanged AFTER UPDATE OF space, status, isRead, isArchived, workspace ON sessions
  WHEN (old.space, old.status, old.isRead, old.isArchived, old.workspace) IS NOT
    (new.space, new.status, new.isRead, new.isArchived, new.workspace) BEGIN
    ${countKind('old', -1)}
    ${countKind('new', 1)}
    DELETE FROM kinds WHERE n = 0;
  END;
  CREATE TRIGGER sessionRemoved AFTER DELETE ON sessions BEGIN
    DELETE FROM search WHERE rowid BETWEEN ${firstText('old.id')} AND ${lastText('old.id')};
    DELETE FROM turns WHERE session = old.id;
    ${countKind('old', -1)}
    DELETE FROM kinds WHERE n = 0;
  END;
`;

export const SCHEMA = `
  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    resource TEXT NOT NULL UNIQUE,
    space TEXT NOT NULL,
    provider TEXT NOT NULL,
    title TEXT NOT NULL,
    modifiedAt REAL NOT NULL,
    status TEXT NOT NULL,
    isRead INTEGER NOT NULL,
    isArchived INTEGER NOT NULL,
    -- Empty for none.
    workspace TEXT NOT NULL,
    summary TEXT NOT NULL
  ) STRICT;
  CREATE TABLE unsettled (resource TEXT PRIMARY KEY) STRICT;
  CREATE TABLE turns (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    turnId TEXT NOT NULL,
    UNIQUE (session, turnId)
  ) STRICT;
  CREATE VIRTUAL TABLE search USING fts5(text, ${TOKENIZER}, prefix = '1 2 3');
  ${LISTS}
  CREATE TRIGGER titleChanged AFTER UPDATE OF title ON sessions WHEN old.title <> new.title BEGIN
    UPDATE search SET text = new.title WHERE rowid = ${firstText('new.id')};
  END;
`;

/** All that an index without spaces has is in `default`. */
export const ADD_SPACES = `
  BEGIN;
  DROP TRIGGER sessionAdded;
  DROP TRIGGER kindChanged;
  DROP TRIGGER sessionRemoved;
  DROP INDEX byTime;
  DROP TABLE kinds;
  ALTER TABLE sessions ADD COLUMN space TEXT NOT NULL DEFAULT '${DEFAULT_SPACE}';
  ${LISTS}
  INSERT INTO kinds SELECT space, provider, status, isRead, isArchived, workspace, count(*) FROM sessions
    GROUP BY 1, 2, 3, 4, 5, 6;
  PRAGMA user_version = ${SCHEMA_VERSION};
  COMMIT;
`;

export const UPSERT_SUMMARY = `
  INSERT INTO sessions (resource, space, provider, title, modifiedAt, status, isRead, isArchived, workspace, summary)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (resource) DO UPDATE SET space = excluded.space, title = excluded.title, modifiedAt = excluded.modifiedAt,
    status = excluded.status, isRead = excluded.isRead, isArchived = excluded.isArchived,
    workspace = excluded.workspace, summary = excluded.summary`;

/** The values of `UPSERT_SUMMARY`. */
export function summaryRow(summary: SessionSummary, space: string): SQLInputValue[] {
  const { resource, provider, title, modifiedAt, status, isRead, isArchived, workingDirectory } = summary;
  return [
    resource,
    space,
    provider,
    searchable(title),
    modifiedAt,
    status,
    Number(isRead),
    Number(isArchived),
    workingDirectory ?? '',
    JSON.stringify(summary),
  ];
}
