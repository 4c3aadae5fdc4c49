import type {
  ListSessionsFilter,
  ListSessionsParams,
  ListSessionsResult,
  SessionSummary,
  URI,
} from '@agenthost/protocol';
import { DEFAULT_LIST_LIMIT, MAX_PAGE_BYTES } from '@agenthost/protocol/internal';
import { decodeCursor, encodeCursor } from '../sessionIndex/listQuery.js';
import { type SearchTerm, searchTerms } from '../sessionIndex/searchQuery.js';
import { snippetOf } from '../sessionIndex/snippet.js';
import type { Database } from './database.js';
import { indexWords } from './indexStatements.js';

/** Collects the values of a statement and numbers them. */
class Values {
  readonly all: unknown[] = [];

  add(value: unknown): string {
    this.all.push(value);
    return `$${this.all.length}`;
  }
}

interface Row {
  readonly session: string;
  readonly resource: URI;
  readonly modified_at: number;
  readonly summary: string;
}

/** The total of a search goes up to here. */
const MAX_COUNTED = 10_000;

/** One page of the newest sessions of a space that fit. `newest` has summaries that may not be written yet. */
export async function listSessions(
  database: Database,
  { filter = {}, limit = DEFAULT_LIST_LIMIT, cursor }: ListSessionsParams,
  space: string,
  newest: (resource: URI) => SessionSummary | undefined,
): Promise<ListSessionsResult> {
  const terms = searchTerms(filter.text ?? '');
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  const values = new Values();
  const ofSpace = `space = ${values.add(space)}`;
  const fits = [ofSpace, ...filterConditions(filter, values), ...terms.map((term) => termCondition(term, values))];
  const countValues = [...values.all];
  const counting = database.query<{ n: string }>(countStatement(filter, terms, fits), countValues);
  if (after) fits.push(`(modified_at, resource collate "C") < (${values.add(after[0])}, ${values.add(after[1])})`);
  const listing = database.query<Row>(
    `select session, resource, modified_at, summary from summary_all s ${where(fits)}
     order by modified_at desc, resource collate "C" desc limit ${values.add(limit + 1)}`,
    values.all,
  );
  const [[count], rows] = await Promise.all([counting, listing]);
  const { shown, hasMore } = within(rows, limit);
  const items = shown.map((row) => newest(row.resource) ?? (JSON.parse(row.summary) as SessionSummary));
  const last = hasMore ? shown.at(-1) : undefined;
  const cursorOf = ({ resource, modified_at }: Row) => encodeCursor({ resource, modifiedAt: modified_at });
  return {
    items,
    total: Number(count?.n ?? 0),
    ...(last && { nextCursor: cursorOf(last) }),
    ...(terms.some(({ kind }) => kind === 'match') && { snippets: await snippets(database, terms, shown) }),
  };
}

function countStatement(filter: ListSessionsFilter, terms: readonly SearchTerm[], fits: readonly string[]): string {
  // Kinds have all that a filter asks for, except times and words.
  if (filter.modifiedSince === undefined && terms.length === 0)
    return `select coalesce(sum(n), 0) as n from kind_count_all ${where(fits)}`;
  // A word that all sessions have would be counted in each of them.
  const counted = terms.length === 0 ? '' : `limit ${MAX_COUNTED}`;
  return `select count(*) as n from (select 1 from summary_all s ${where(fits)} ${counted}) as found`;
}

function filterConditions(filter: ListSessionsFilter, values: Values): string[] {
  const equal = (column: string, value: string | boolean | undefined) =>
    value === undefined ? [] : [`${column} = ${values.add(value)}`];
  return [
    ...equal('provider', filter.provider),
    ...equal('status', filter.status),
    ...equal('is_archived', filter.isArchived),
    ...equal('is_read', filter.isRead),
    // A session without one is in no group, not in a nameless one.
    ...(filter.workspace === '' ? ['false'] : equal('workspace', filter.workspace)),
    ...(filter.modifiedSince === undefined ? [] : [`modified_at >= ${values.add(filter.modifiedSince)}`]),
  ];
}

function termCondition(term: SearchTerm, values: Values): string {
  if (term.kind === 'title') return `title ilike ${values.add(term.pattern)} escape '\\'`;
  return `session in (select session from turn_text where ${textCondition(term, values)})`;
}

/** The index finds the texts that have all words; those of a phrase must also follow each other. */
function textCondition({ words, isUnfinished }: Extract<SearchTerm, { kind: 'match' }>, values: Values): string {
  const folded = indexWords(words);
  const query = folded.map((word, n) => `'${word}'${isUnfinished && n === folded.length - 1 ? ':*' : ''}`).join(' & ');
  const has = `lexemes @@ ${values.add(query)}::tsquery`;
  if (folded.length < 2) return has;
  const phrase = ` ${folded.join(' ')}${isUnfinished ? '' : ' '}`;
  return `${has} and position(${values.add(phrase)} in words) > 0`;
}

/** Of each session, the text around the first hit in its title or, without one, in its first turn that has one. */
async function snippets(
  database: Database,
  terms: readonly SearchTerm[],
  shown: readonly Row[],
): Promise<Record<URI, string>> {
  const values = new Values();
  const sessions = values.add(shown.map(({ session }) => session));
  const matches = terms.flatMap((term) => (term.kind === 'match' ? [textCondition(term, values)] : []));
  type Text = { readonly session: string; readonly body: string };
  const rows = await database.query<Text>(
    `select id as session, t.body from unnest(${sessions}::text[]) as i(id), lateral (
       select body from turn_text where session = id and (${matches.map((sql) => `(${sql})`).join(' or ')})
       order by turn <> '' limit 1) as t`,
    values.all,
  );
  const bodies = new Map(rows.map(({ session, body }) => [session, body]));
  return Object.fromEntries(
    shown.map(({ session, resource }) => [resource, snippetOf(bodies.get(session) ?? '', terms)]),
  );
}

/** At most the requested rows that fit into an answer, but at least one. */
function within(rows: readonly Row[], limit: number): { readonly shown: readonly Row[]; readonly hasMore: boolean } {
  const shown: Row[] = [];
  let room = MAX_PAGE_BYTES;
  for (const row of rows) {
    room -= row.summary.length;
    if (shown.length === limit || (shown.length > 0 && room < 0)) return { shown, hasMore: true };
    shown.push(row);
  }
  return { shown, hasMore: false };
}

function where(fits: readonly string[]): string {
  return fits.length > 0 ? `where ${fits.join(' and ')}` : '';
}
