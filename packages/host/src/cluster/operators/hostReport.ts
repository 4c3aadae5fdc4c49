import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../database/database.js';
import { sessionTables } from '../../database/migrate.js';

/** A host that is registered in a database. */
export interface HostReport {
  readonly id: string;
  readonly machine: string;
  readonly place: string;
  readonly version: string;
  /** Where other hosts and clients reach it; `null` while it starts. */
  readonly url: string | null;
  readonly draining: boolean;
  /** Milliseconds since 1970, by the clock of the database. */
  readonly startedAt: number;
  /** How many sessions it has open. */
  readonly sessions: number;
  /** It said that it is alive while this looked. */
  readonly beats: boolean;
}

type Row = Omit<HostReport, 'beats' | 'sessions'> & { readonly beat: string; readonly sessions: string };

const hosts = (sessions: string) => `
select id, machine, place, version, url, draining, beat, extract(epoch from started_at)::float8 * 1000 as "startedAt",
  (select count(*) from ${sessions} where owner = host.id) as sessions
from host order by machine, started_at, id`;

const LOOK_EVERY_MS = 200;

/** The hosts of a database. Looks until every one has said that it is alive, or for as long as told. */
export async function reportHosts(database: Database, forMs: number): Promise<readonly HostReport[]> {
  const sql = hosts((await sessionTables(database)).session);
  const first = new Map((await database.query<Row>(sql)).map(({ id, beat }) => [id, beat]));
  const until = performance.now() + forMs;
  for (;;) {
    const rows = await database.query<Row>(sql);
    const beats = ({ id, beat }: Row) => first.has(id) && first.get(id) !== beat;
    for (const { id, beat } of rows) if (!first.has(id)) first.set(id, beat);
    if (rows.every(beats) || performance.now() >= until) {
      return rows.map(({ beat, ...row }) => ({
        ...row,
        sessions: Number(row.sessions),
        beats: beats({ beat, ...row }),
      }));
    }
    await delay(LOOK_EVERY_MS);
  }
}
