import type { DatabaseSync } from 'node:sqlite';
import { firstText, lastText } from './indexSchema.js';
import type { SearchTerm } from './searchQuery.js';
import { snippetOf } from './snippet.js';
import type { WaitingTurn } from './waitingTurns.js';

/** Each in place of what there was of that turn. Turns of sessions that the index doesn't have are left out. */
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
  for (const { resource, turnId, text } of turns) {
    const id = find.get(resource)?.['id'];
    if (id === undefined) continue;
    number.run(Number(id), turnId);
    write.run(Number(id), turnId, text);
  }
}

/** What these texts say where the terms are first found, by their numbers. */
export function snippets(
  database: DatabaseSync,
  terms: readonly SearchTerm[],
  texts: readonly number[],
): Map<number, string> {
  const read = database.prepare('SELECT text FROM search WHERE rowid = ?');
  return new Map(texts.map((id) => [id, snippetOf(String(read.get(id)?.['text'] ?? ''), terms)]));
}
