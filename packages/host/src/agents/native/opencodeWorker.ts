// The program of a thread that reads opencode's database. It writes nothing: not even the files beside the database.
import { copyFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';

export type OpencodeQuery = { readonly kind: 'sessions' } | { readonly kind: 'parts'; readonly session: string };

export interface OpencodeAnswer {
  readonly rows?: readonly unknown[];
  readonly error?: string;
}

const MAX_SESSIONS = 50_000;
/** Parts of one session, and the length of all of them. The newest are read. */
const MAX_PARTS = 50_000;
const MAX_LENGTH = 64 * 1024 * 1024;
const MAX_PART = 1024 * 1024;
/** A database with changes in its log and without an index of them can only be read in a copy. */
const MAX_COPIED = 256 * 1024 * 1024;

const TABLES = `
  select count(*) as found from sqlite_schema
  where type = 'table' and sql like 'create table %' and name in ('session', 'message', 'part')`;

const SESSIONS = `
  select id, title, directory, time_updated as updated,
    (select count(*) from message where message.session_id = session.id) as messages
  from session where parent_id is null order by time_updated desc limit ${MAX_SESSIONS}`;

const PARTS = `
  select part.message_id as message, message.time_created as created, message.data as data, part.data as part
  from part join message on message.id = part.message_id
  where part.session_id = ? and length(part.data) <= ${MAX_PART}
  order by message.time_created desc, part.message_id desc, part.id desc limit ${MAX_PARTS}`;

function answer(): OpencodeAnswer {
  const { path, query } = workerData as { readonly path: string; readonly query: OpencodeQuery };
  if (!statSync(path).isFile()) return { error: 'it is no file' };
  return withDatabase(path, (database) => {
    // Views and virtual tables could run anything, and for ever: a thread can't be stopped inside of SQLite.
    if (database.prepare(TABLES).get()?.['found'] !== 3) throw new Error('its format is not known');
    return { rows: query.kind === 'sessions' ? sessions(database) : parts(database, query.session) };
  });
}

function sessions(database: DatabaseSync): readonly unknown[] {
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, 4_096) : null);
  const number = (value: unknown) => (typeof value === 'number' ? value : null);
  return database
    .prepare(SESSIONS)
    .all()
    .map(({ id, title, directory, updated, messages }) => ({
      id: text(id) ?? '',
      title: text(title),
      directory: text(directory),
      updated: number(updated),
      messages: number(messages),
    }));
}

function parts(database: DatabaseSync, session: string): readonly unknown[] {
  const found: unknown[] = [];
  let length = 0;
  let isCut = false;
  for (const { message, created, data, part } of database.prepare(PARTS).iterate(session)) {
    length += String(part).length + 200;
    isCut = length > MAX_LENGTH || found.length === MAX_PARTS - 1;
    found.push({ message: String(message), created: Number(created), data: parsed(data), part: parsed(part), isCut });
    if (isCut) break;
  }
  return found.reverse();
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

/** Changes that are only in the log are read in a copy: opening the original would write the files beside it. */
function withDatabase<T>(path: string, read: (database: DatabaseSync) => T): T {
  const log = `${path}-wal`;
  const hasLog = existsSync(log) && statSync(log).size > 0;
  if (!hasLog) return opened(`${pathToFileURL(path).href}?immutable=1`, read);
  if (statSync(path).size + statSync(log).size > MAX_COPIED)
    throw new Error('it was not closed, and is too large to copy');
  const folder = mkdtempSync(join(tmpdir(), 'agenthost-native-'));
  try {
    const copy = join(folder, 'copy.db');
    for (let tries = 0; ; tries++) {
      const before = statSync(path).mtimeMs;
      copyFileSync(path, copy);
      copyFileSync(log, `${copy}-wal`);
      // Otherwise the log was written into the database meanwhile, and the two copies don't fit.
      if (statSync(path).mtimeMs === before) return opened(copy, read);
      if (tries === 3) throw new Error('it changes all the time');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function opened<T>(path: string, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path.startsWith('file:') ? new URL(path) : path, {
    readOnly: path.startsWith('file:'),
  });
  try {
    return read(database);
  } finally {
    database.close();
  }
}

let told: OpencodeAnswer;
try {
  told = answer();
} catch (error) {
  told = { error: error instanceof Error ? error.message : String(error) };
}
parentPort?.postMessage(told);
