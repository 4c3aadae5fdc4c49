import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from '../cluster/cluster.js';
import type { KnownHost } from '../cluster/hostBeat.js';
import { acceptsConnections } from '../cluster/refusesConnections.js';
import type { Database } from '../database/database.js';
import { MoveError } from './moveSide.js';

/**
 * Resolves when no other host on the database is alive. One that does not beat is waited for, a lease at most. One that is silent
 * but listens has a longer lease, or was stopped and may go on.
 */
export async function assertQuiet(
  cluster: Cluster,
  database: Database,
  leaseMs: number,
  { onWaiting, signal }: { readonly onWaiting: (hosts: readonly string[]) => void; readonly signal: AbortSignal },
): Promise<void> {
  const first = new Map(cluster.hosts.map(({ id, beat }) => [id, beat]));
  for (let isFirst = true; ; isFirst = false) {
    const others = cluster.hosts.filter(({ id }) => id !== cluster.hostId);
    const beating = others.filter(({ id, beat }) => first.get(id) !== beat);
    if (beating.length > 0) throw await hostsRun(beating, database);
    const unsure: KnownHost[] = [];
    for (const host of others) if (await cluster.isAlive(host.id)) unsure.push(host);
    if (unsure.length === 0) {
      const listening: KnownHost[] = [];
      for (const host of others) if (host.url && (await acceptsConnections(host.url))) listening.push(host);
      if (listening.length > 0) throw await hostsRun(listening, database);
      return;
    }
    if (isFirst) onWaiting(unsure.map(describeHost));
    await delay(leaseMs / 8, undefined, { signal });
    await cluster.look();
  }
}

export function describeHost({ machine, url }: Pick<KnownHost, 'machine' | 'url'>): string {
  return url === null ? machine : `${machine} (${url})`;
}

async function hostsRun(hosts: readonly KnownHost[], database: Database): Promise<MoveError> {
  const sql = 'select owner, count(*) as sessions from session_all where owner = any($1) group by 1';
  const ids = hosts.map(({ id }) => id);
  const counts = await database.query<{ owner: string; sessions: string }>(sql, [ids]);
  const named = hosts.map((host) => {
    const owned = counts.find(({ owner }) => owner === host.id)?.sessions ?? '0';
    return `${describeHost(host)}, which has ${owned} ${owned === '1' ? 'session' : 'sessions'} open`;
  });
  return new MoveError(`A host uses this database: ${named.join('; ')}.`, 'Stop all of its hosts, then run it again.');
}
