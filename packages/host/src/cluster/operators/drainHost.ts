import type { Database } from '../../database/database.js';
import { findHosts, type NamedHost } from './findHosts.js';

/**
 * Tells the host of that name (see `findHosts`) to drain; it notices with its next beat. When the name fits not exactly one host,
 * none is told, and all that it fits are returned.
 */
export async function drainHost(database: Database, name: string): Promise<readonly NamedHost[]> {
  const found = await findHosts(database, name);
  const [host, ...more] = found;
  if (host && more.length === 0) await database.settle('update host set draining = true where id = $1', [host.id]);
  return found;
}
