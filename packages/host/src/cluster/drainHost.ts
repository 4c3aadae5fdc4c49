import type { Database } from '../database/database.js';

/** A host that was told to drain. */
export interface DrainingHost {
  readonly id: string;
  readonly machine: string;
  readonly url: string | null;
  /** How many sessions it still has. */
  readonly sessions: number;
}

const MIN_ID_LENGTH = 4;

/**
 * Tells the host of that name to drain; it notices with its next beat. The name is an id or its beginning (at least 4 characters),
 * an address, or a machine. When it fits not exactly one host, none is told, and all that it fits are returned.
 */
export async function drainHost(database: Database, name: string): Promise<readonly DrainingHost[]> {
  const found = await database.settle<DrainingHost>(
    `select id, machine, url, (select count(*)::int from session where owner = host.id) as sessions from host
     where url is not null and (id = $1 or machine = $1 or rtrim(url, '/') = rtrim($1, '/')
       or length($1) >= ${MIN_ID_LENGTH} and left(id, length($1)) = $1) order by machine, id`,
    [name],
  );
  const [host, ...more] = found;
  if (host && more.length === 0) await database.settle('update host set draining = true where id = $1', [host.id]);
  return found;
}
