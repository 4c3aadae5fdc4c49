import type { SessionSummary } from '@agenthost/protocol';
import { searchable, type WaitingTurn } from '../sessionIndex/searchText.js';
import { foldedWords } from '../sessionIndex/snippet.js';
import type { Database } from './database.js';
import type { Fence } from './fence.js';

export interface IndexWrite {
  /** Whose owner writes; for others only their summaries are written, while nobody owns them. */
  readonly sessions: readonly { readonly fence: Fence; readonly indexedSize: number }[];
  readonly summaries: readonly SessionSummary[];
  readonly turns: readonly WaitingTurn[];
  /** Sessions whose texts go. */
  readonly erased: readonly string[];
  readonly removed: readonly string[];
}

/** The longest word that is told apart, in code units: PostgreSQL takes words of up to 2 KiB. */
const MAX_WORD = 500;
const TITLE = '';

const WRITE = `
with i as (select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) as t(id, epoch, claim, size)),
s as (
  update session_all s set indexed_size = i.size from i
    where s.id = i.id and s.epoch = i.epoch and s.claim = i.claim returning s.id, s.space),
ours as (
  select id, space from s union
  select id, space from session_all where id = any($5) and id <> all($1) and owner is null),
u as (
  insert into summary_all as x (session, resource, provider, title, modified_at, status, is_read, is_archived, workspace, summary,
      space)
    select t.*, ours.space from unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::float8[], $10::text[], $11::boolean[],
      $12::boolean[], $13::text[], $14::text[]) as t(id, a, b, c, d, e, f, g, h, j) join ours using (id) order by id
    on conflict (session) do update set resource = excluded.resource, provider = excluded.provider, title = excluded.title,
      modified_at = excluded.modified_at, status = excluded.status, is_read = excluded.is_read,
      is_archived = excluded.is_archived, workspace = excluded.workspace, summary = excluded.summary,
      space = excluded.space),
f as (
  delete from turn_text using ours, unnest($15::text[], $16::text[]) as t(id, turn)
    where session = ours.id and ours.id = t.id and turn_text.turn = t.turn)
select id from ours`;

const ERASE = `
with i as (select * from unnest($1::text[], $2::bigint[], $3::bigint[]) as t(id, epoch, claim)),
s as (select s.id from session_all s join i using (id) where s.epoch = i.epoch and s.claim = i.claim for share of s),
gone as (delete from summary_all using s where session = s.id and session = any($5))
delete from turn_text using s where session = s.id and (session = any($4) or session = any($5))`;

const TEXTS = `
with i as (select * from unnest($1::text[], $2::bigint[], $3::bigint[]) as t(id, epoch, claim)),
s as (select s.id from session_all s join i using (id) where s.epoch = i.epoch and s.claim = i.claim for share of s)
insert into turn_text (session, turn, body, words, lexemes)
  select t.id, t.turn, t.body, ' ' || t.words || ' ', array_to_tsvector(string_to_array(t.words, ' '))
    from unnest($4::text[], $5::text[], $6::text[], $7::text[]) as t(id, turn, body, words) join s using (id)
  on conflict (session, turn) do update set body = excluded.body, words = excluded.words, lexemes = excluded.lexemes`;

/** Up to three statements, of which each may run twice. The last one says how far the log is indexed. */
export async function writeIndex(database: Database, write: IndexWrite): Promise<void> {
  const { sessions, summaries, turns, erased, removed } = write;
  const fences = sessions.map(({ fence }) => fence);
  const owners = [
    fences.map(({ sessionId }) => sessionId),
    fences.map(({ epoch }) => epoch),
    fences.map(({ claim }) => claim),
  ];
  const texts = [...summaries.map(titleOf), ...turns.filter(hasText).map(textOf)];
  const forgotten = turns.filter((turn) => !hasText(turn));
  const main = [
    ...owners,
    sessions.map(({ indexedSize }) => indexedSize),
    summaries.map(({ resource }) => idOf(resource)),
    summaries.map(({ resource }) => resource),
    summaries.map(({ provider }) => provider),
    summaries.map(({ title }) => searchable(title)),
    summaries.map(({ modifiedAt }) => modifiedAt),
    summaries.map(({ status }) => status),
    summaries.map(({ isRead }) => isRead),
    summaries.map(({ isArchived }) => isArchived),
    summaries.map(({ workingDirectory }) => storable(workingDirectory ?? '')),
    summaries.map((summary) => JSON.stringify(summary)),
    forgotten.map(({ resource }) => idOf(resource)),
    forgotten.map(({ turnId }) => storable(turnId)),
  ];
  if (erased.length + removed.length > 0) await database.settle(ERASE, [...owners, erased, removed]);
  if (texts.length > 0) {
    await database.settle(TEXTS, [
      ...owners,
      texts.map(({ id }) => id),
      texts.map(({ turn }) => turn),
      texts.map(({ body }) => body),
      texts.map(({ words }) => words),
    ]);
  }
  await database.settle(WRITE, main);
}

interface Text {
  readonly id: string;
  readonly turn: string;
  readonly body: string;
  readonly words: string;
}

function titleOf({ resource, title }: SessionSummary): Text {
  const body = searchable(title);
  return { id: idOf(resource), turn: TITLE, body, words: wordsOf(body) };
}

function textOf({ resource, turnId, text }: WaitingTurn & { readonly text: string }): Text {
  return { id: idOf(resource), turn: storable(turnId), body: text, words: wordsOf(text) };
}

function hasText(turn: WaitingTurn): turn is WaitingTurn & { readonly text: string } {
  return turn.text !== undefined;
}

/** Never empty: PostgreSQL takes no empty word. A dot is none that anybody can look for. */
function wordsOf(text: string): string {
  return indexWords(text).join(' ') || '.';
}

/** The words of a text as they are stored and looked for. */
export function indexWords(text: string): string[] {
  return foldedWords(text).flatMap((word) => word.slice(0, MAX_WORD).toWellFormed() || []);
}

/** PostgreSQL stores no NUL. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}

function idOf(resource: string): string {
  return resource.slice(resource.indexOf(':/') + 2);
}
