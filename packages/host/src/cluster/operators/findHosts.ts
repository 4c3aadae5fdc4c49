import type { Database } from '../../database/database.js';
import { sessionTables } from '../../database/migrate.js';

/** A host that somebody has named. */
export interface NamedHost {
  readonly id: string;
  readonly machine: string;
  readonly place: string;
  readonly url: string | null;
  readonly draining: boolean;
  readonly linkKey: string;
  /** How many sessions it has. */
  readonly sessions: number;
}

const MIN_ID_LENGTH = 4;

/** The hosts that a name fits: an id or its beginning (at least 4 characters), an address, or a machine. */
export async function findHosts(database: Database, name: string): Promise<NamedHost[]> {
  const { session } = await sessionTables(database);
  return database.settle<NamedHost>(
    `select id, machine, place, url, draining, link_key as "linkKey",
       (select count(*)::int from ${session} where owner = host.id) as sessions from host
     where url is not null and (id = $1 or machine = $1 or rtrim(url, '/') = rtrim($1, '/')
       or length($1) >= ${MIN_ID_LENGTH} and left(id, length($1)) = $1) order by machine, id`,
    [name],
  );
}
