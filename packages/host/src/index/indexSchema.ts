export const SCHEMA_VERSION = 3;

/** A session's texts have the numbers from `id << TEXT_BITS` on, so that a hit tells its session without a look-up. */
const TEXT_BITS = 20;

/** In SQL: the number of a session's title; its turns follow. */
export const firstText = (id: string) => `(${id} << ${TEXT_BITS})`;
export const lastText = (id: string) => `(${firstText(id)} + ${2 ** TEXT_BITS - 1})`;
/** In SQL: the session that a text is of. */
export const sessionOf = (text: string) => `(${text} >> ${TEXT_BITS})`;

export const SCHEMA = `
  CREATE TABLE sessions (
    id INTEGER PRIMARY KEY,
    resource TEXT NOT NULL UNIQUE,
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
  CREATE TABLE turns (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL,
    turnId TEXT NOT NULL,
    UNIQUE (session, turnId)
  ) STRICT;
  CREATE VIRTUAL TABLE search USING fts5(text, tokenize = 'unicode61 remove_diacritics 2', prefix = '1 2 3');
  CREATE TRIGGER sessionAdded AFTER INSERT ON sessions BEGIN
    INSERT INTO search (rowid, text) VALUES (${firstText('new.id')}, new.title);
  END;
  CREATE TRIGGER titleChanged AFTER UPDATE OF title ON sessions WHEN old.title <> new.title BEGIN
    UPDATE search SET text = new.title WHERE rowid = ${firstText('new.id')};
  END;
  CREATE TRIGGER sessionRemoved AFTER DELETE ON sessions BEGIN
    DELETE FROM search WHERE rowid BETWEEN ${firstText('old.id')} AND ${lastText('old.id')};
    DELETE FROM turns WHERE session = old.id;
  END;
`;
