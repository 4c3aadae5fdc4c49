import type { SessionSummary } from '@agenthost/protocol';
import type { SummaryOfSpace } from '../sessionIndex/sessionIndex.js';
import type { Database } from './database.js';

/** Sessions of a place that clients are told of when its machines come or go. Older ones are right when they are listed. */
const MAX_TOLD = 200;

const RUNNING = `
select owner, count(*)::int as running from summary_all join session_all on id = session
where status in ('inProgress', 'inputNeeded') and owner = any($1) group by owner`;

const NEWEST = `
select summary, summary_all.space from summary_all join session_all on id = session
where place = $1 order by modified_at desc limit ${MAX_TOLD}`;

/** How many sessions of each of these hosts have a turn at work. Hosts without one are missing. */
export async function countRunning(
  database: Database,
  hostIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await database.query<{ owner: string; running: number }>(RUNNING, [hostIds]);
  return new Map(rows.map(({ owner, running }) => [owner, running]));
}

/** The places of these sessions. */
export async function readPlaces(
  database: Database,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sql = 'select id, place from session_all where id = any($1)';
  const rows = await database.query<{ id: string; place: string }>(sql, [sessionIds]);
  return new Map(rows.map(({ id, place }) => [id, place]));
}

/** The newest sessions of a place, as lists have them. */
export async function readNewestOf(database: Database, place: string): Promise<readonly SummaryOfSpace[]> {
  const rows = await database.query<{ summary: string; space: string }>(NEWEST, [place]);
  return rows.map(({ summary, space }) => ({ summary: JSON.parse(summary) as SessionSummary, space }));
}
