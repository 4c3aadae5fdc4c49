import type { DatabaseSync } from 'node:sqlite';
import type { URI } from '@agenthost/protocol';
import { firstText, lastText, sessionOf } from './indexSchema.js';
import type { WaitingTurn } from './waitingTurns.js';

/** In words. */
const SNIPPET_WORDS = 24;
/** In UTF-16 code units: a word can be as long as a file in base64. */
const SNIPPET_LENGTH = 400;

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

/** For these rows of sessions the text around the first place that the query finds. */
export function snippets(
  database: DatabaseSync,
  query: string,
  rows: readonly Record<string, unknown>[],
): Record<URI, string> {
  // All at once: the beginning of a frequent word is dear to look up, more so than to go through what it finds.
  const found = database
    .prepare(
      `WITH firsts AS MATERIALIZED (
         SELECT min(rowid) AS first FROM search
         WHERE search MATCH ?1 AND ${sessionOf('rowid')} IN (SELECT value FROM json_each(?2))
         GROUP BY ${sessionOf('rowid')}
       )
       SELECT ${sessionOf('rowid')} AS id, snippet(search, 0, '⟨', '⟩', '…', ${SNIPPET_WORDS}) AS snippet
       FROM search WHERE search MATCH ?1 AND +rowid IN (SELECT first FROM firsts)`,
    )
    .all(query, JSON.stringify(rows.map((row) => row['id'])));
  const byId = new Map(found.map((row) => [row['id'], shortened(String(row['snippet']))]));
  return Object.fromEntries(rows.map((row) => [String(row['resource']), byId.get(Number(row['id'])) ?? '']));
}

function shortened(snippet: string): string {
  if (snippet.length <= SNIPPET_LENGTH) return snippet;
  const start = Math.max(0, snippet.indexOf('⟨') - SNIPPET_LENGTH / 2);
  const end = start + SNIPPET_LENGTH;
  const part = snippet.slice(start, end).toWellFormed();
  const close = part.lastIndexOf('⟨') > part.lastIndexOf('⟩') ? '⟩' : '';
  return `${start > 0 ? '…' : ''}${part}${close}${end < snippet.length ? '…' : ''}`;
}
