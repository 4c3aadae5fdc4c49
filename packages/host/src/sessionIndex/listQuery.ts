import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { ListSessionsFilter } from '@agenthost/protocol';
import { MAX_PAGE_BYTES } from '@agenthost/protocol/internal';
import type { Hits, SearchHits } from './searchHits.js';

export interface ListQuery {
  readonly space: string;
  readonly filter: ListSessionsFilter;
  readonly limit: number;
  readonly after: Cursor | undefined;
  /** The length of what is shown of a row. */
  readonly lengthOf: (row: ListedRow) => number;
}

export type Cursor = readonly [modifiedAt: number, resource: string];

export interface ListedRow {
  readonly id: number;
  readonly resource: string;
  readonly modifiedAt: number;
  readonly summary: string;
}

export interface Found {
  readonly hits: Hits;
  readonly search: SearchHits;
}

export interface ListedPage {
  readonly rows: readonly ListedRow[];
  readonly hasMore: boolean;
  readonly total: number;
}

/** The newest matching sessions in which the terms are found. */
export function listPage(database: DatabaseSync, query: ListQuery, found?: Found): ListedPage {
  const fits = [ofSpace(query), ...conditions(query.filter)];
  if (!found) {
    const total = query.filter.modifiedSince === undefined ? countKinds(database, fits) : count(database, fits);
    if (total === 0) return { total, rows: [], hasMore: false };
    return { total, ...pageOf(database, 'INDEXED BY byTime', fits, query) };
  }
  const { hits, search } = found;
  // With many hits, a walk through all sessions soon meets the newest; few hits are looked up one by one.
  if (!hits.few) {
    return { total: countHits(database, search, query, hits), ...walk(database, fits, query, hits) };
  }
  const among = { sql: 'id IN (SELECT value FROM json_each(?))', values: [JSON.stringify(hits.few)] };
  // With the plus no index is used for it: the few are looked up by their ids.
  const both = [among, { ...ofSpace(query), sql: '+space = ?' }, ...conditions(query.filter)];
  return { total: count(database, both), ...pageOf(database, '', both, query) };
}

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

function ofSpace({ space }: ListQuery): Condition {
  return { sql: 'space = ?', values: [space] };
}

function conditions(filter: ListSessionsFilter): Condition[] {
  const equal = (column: string, value: SQLInputValue | undefined): Condition[] =>
    value === undefined ? [] : [{ sql: `${column} = ?`, values: [value] }];
  return [
    ...equal('provider', filter.provider),
    ...equal('status', filter.status),
    ...equal('isArchived', filter.isArchived === undefined ? undefined : Number(filter.isArchived)),
    ...equal('isRead', filter.isRead === undefined ? undefined : Number(filter.isRead)),
    // A session without one is in no group, not in a nameless one.
    ...(filter.workspace === '' ? [{ sql: '0', values: [] }] : equal('workspace', filter.workspace)),
    ...(filter.modifiedSince === undefined ? [] : [{ sql: 'modifiedAt >= ?', values: [filter.modifiedSince] }]),
  ];
}

function where(all: readonly Condition[]): string {
  return all.length > 0 ? `WHERE ${all.map(({ sql }) => sql).join(' AND ')}` : '';
}

function valuesOf(all: readonly Condition[]): SQLInputValue[] {
  return all.flatMap(({ values }) => values);
}

function count(database: DatabaseSync, fits: readonly Condition[]): number {
  return Number(database.prepare(`SELECT count(*) AS n FROM sessions ${where(fits)}`).get(...valuesOf(fits))?.['n']);
}

function countKinds(database: DatabaseSync, fits: readonly Condition[]): number {
  const sql = `SELECT coalesce(sum(n), 0) AS n FROM kinds ${where(fits)}`;
  return Number(database.prepare(sql).get(...valuesOf(fits))?.['n']);
}

function countHits(database: DatabaseSync, search: SearchHits, query: ListQuery, hits: Hits): number {
  const filters = conditions(query.filter);
  // Where there is one space, all hits are in it.
  const others = 'SELECT 1 FROM kinds WHERE space <> ? AND n > 0 LIMIT 1';
  if (filters.length === 0 && database.prepare(others).get(query.space) === undefined) return hits.size;
  const fits = [ofSpace(query), ...filters];
  return search.sessions(`INDEXED BY byTime ${where(fits)}`, valuesOf(fits)).and(hits).size;
}

function pageOf(
  database: DatabaseSync,
  by: 'INDEXED BY byTime' | '',
  fits: readonly Condition[],
  query: ListQuery,
): Page {
  const all = [...fits, ...before(query.after)];
  const rows = database
    .prepare(
      `SELECT id, resource, modifiedAt, summary FROM sessions ${by} ${where(all)}
       ORDER BY modifiedAt DESC, resource DESC LIMIT ?`,
    )
    .iterate(...valuesOf(all), query.limit + 1);
  return within(rows as unknown as Iterable<ListedRow>, query);
}

type Page = Pick<ListedPage, 'rows' | 'hasMore'>;

/** Returns at most the requested rows that fit into an answer, but at least one. No more rows are read. */
function within(rows: Iterable<ListedRow>, { limit, lengthOf }: ListQuery): Page {
  const kept: ListedRow[] = [];
  let room = MAX_PAGE_BYTES;
  for (const row of rows) {
    room -= lengthOf(row);
    if (kept.length === limit || (kept.length > 0 && room < 0)) return { rows: kept, hasMore: true };
    kept.push(row);
  }
  return { rows: kept, hasMore: false };
}

/** Through the index by time, newest first, until there are enough. */
function walk(database: DatabaseSync, fits: readonly Condition[], query: ListQuery, hits: Hits): Page {
  const all = [...fits, ...before(query.after)];
  const candidates = database
    .prepare(`SELECT id FROM sessions INDEXED BY byTime ${where(all)} ORDER BY modifiedAt DESC, resource DESC`)
    .iterate(...valuesOf(all));
  const ids: number[] = [];
  for (const row of candidates) {
    const id = Number(row['id']);
    if (hits.has(id) && ids.push(id) > query.limit) break;
  }
  const read = database.prepare('SELECT id, resource, modifiedAt, summary FROM sessions WHERE id = ?');
  const rows = function* () {
    for (const id of ids) yield read.get(id) as unknown as ListedRow;
  };
  return within(rows(), query);
}

function before(cursor: Cursor | undefined): Condition[] {
  return cursor ? [{ sql: '(modifiedAt, resource) < (?, ?)', values: cursor }] : [];
}

export function encodeCursor({ modifiedAt, resource }: Pick<ListedRow, 'modifiedAt' | 'resource'>): string {
  return Buffer.from(JSON.stringify([modifiedAt, resource])).toString('base64url');
}

export function decodeCursor(cursor: string): Cursor {
  try {
    const [modifiedAt, resource] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    if (typeof modifiedAt === 'number' && typeof resource === 'string') return [modifiedAt, resource];
  } catch {
    // See below.
  }
  throw new InvalidCursorError();
}

export class InvalidCursorError extends Error {
  constructor() {
    super('not a cursor of this host: list again from the start');
    this.name = 'InvalidCursorError';
  }
}
