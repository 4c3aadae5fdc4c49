import type { DatabaseSync } from 'node:sqlite';
import { firstText, lastText } from './indexSchema.js';
import type { SearchTerm } from './searchQuery.js';
import type { WaitingTurn } from './searchText.js';
import { snippetOf } from './snippet.js';

/** Replaces or removes the text of each turn. Turns of sessions that the index doesn't have are left out. */
export function writeTexts(database: DatabaseSync, turns: Iterable<WaitingTurn>): void {
  const find = database.prepare('SELECT id FROM sessions WHERE resource = ?');
  const number = database.prepare(
    `INSERT INTO turns (id, session, turnId)
     SELECT last + 1, ?1, ?2 FROM (
       SELECT coalesce(
         (SELECT id FROM turns WHERE id BETWEEN ${firstText('?1')} AND ${lastText('?1')} ORDER BY id DESC LIMIT 1),
         ${firstText('?1')}
       ) AS last
     ) WHERE last < ${lastText('?1')} ON CONFLICT (session, turnId) DO NOTHING`,
  );
  const write = database.prepare(
    'INSERT OR REPLACE INTO search (rowid, text) SELECT id, ?3 FROM turns WHERE session = ?1 AND turnId = ?2',
  );
  const erase = [
    'DELETE FROM search WHERE rowid = (SELECT id FROM turns WHERE session = ?1 AND turnId = ?2)',
    'DELETE FROM turns WHERE session = ?1 AND turnId = ?2',
  ].map((sql) => database.prepare(sql));
  for (const { resource, turnId, text } of turns) {
    const id = find.get(resource)?.['id'];
    if (id === undefined) continue;
    if (text === undefined) {
      for (const statement of erase) statement.run(Number(id), turnId);
    } else {
      number.run(Number(id), turnId);
      write.run(Number(id), turnId, text);
    }
  }
}

/** How many texts one statement erases, and how long a transaction may take. */
const ERASED_AT_ONCE = 8;
const ERASE_MS = 10;

/** Erases some texts of a session's turns; false when none are left. */
export function eraseSomeTexts(database: DatabaseSync, resource: string): boolean {
  const id = database.prepare('SELECT id FROM sessions WHERE resource = ?').get(resource)?.['id'];
  if (id === undefined) return false;
  // Not the first number, which is the title's.
  const first = `${firstText('?1')} + 1`;
  const last = database.prepare(
    `SELECT max(id) AS id FROM (
       SELECT id FROM turns WHERE id BETWEEN ${first} AND ${lastText('?1')} ORDER BY id LIMIT ${ERASED_AT_ONCE}
     )`,
  );
  const erase = [
    `DELETE FROM search WHERE rowid BETWEEN ${first} AND ?2`,
    `DELETE FROM turns WHERE id BETWEEN ${first} AND ?2`,
  ].map((sql) => database.prepare(sql));
  const until = performance.now() + ERASE_MS;
  database.exec('BEGIN');
  try {
    let end = last.get(Number(id))?.['id'];
    while (end != null && performance.now() < until) {
      for (const statement of erase) statement.run(Number(id), Number(end));
      end = last.get(Number(id))?.['id'];
    }
    database.exec('COMMIT');
    return end != null;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Whether the session has that turn; `undefined` for an unknown session, or one with more turns than numbers. */
export function findTurn(database: DatabaseSync, resource: string, turnId: string): boolean | undefined {
  const row = database
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM turns WHERE session = sessions.id AND turnId = ?2) AS isFound,
         EXISTS (SELECT 1 FROM turns WHERE id = ${lastText('sessions.id')}) AS isFull
       FROM sessions WHERE resource = ?1`,
    )
    .get(resource, turnId);
  if (!row) return undefined;
  return row['isFound'] === 1 || (row['isFull'] === 1 ? undefined : false);
}

/** The snippets of these texts at the first hit of the terms, by their numbers. */
export function snippets(
  database: DatabaseSync,
  terms: readonly SearchTerm[],
  texts: readonly number[],
): Map<number, string> {
  const read = database.prepare('SELECT text FROM search WHERE rowid = ?');
  return new Map(texts.map((id) => [id, snippetOf(String(read.get(id)?.['text'] ?? ''), terms)]));
}
