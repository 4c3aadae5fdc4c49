import { randomUUID } from 'node:crypto';
import { parseSessionUri, type URI } from '@agenthost/protocol';
import type { Database } from '../../database/database.js';
import { sessionTables } from '../../database/migrate.js';
import { silentLog } from '../../hostLog.js';
import { Link, type LinkEvents } from '../links/link.js';
import type { NamedHost } from './findHosts.js';

/** A session as the database has it. */
export interface FoundSession {
  readonly uri: URI;
  readonly place: string;
  /** The host that has it, or had it last. */
  readonly owner: string | null;
}

/** How long the host that has it may need to store what is left. */
const TAKE_MS = 30_000;

const NOTHING: LinkEvents = {
  followed: () => {},
  action: () => {},
  settled: () => {},
  dropped: () => {},
  moved: () => {},
  notified: () => {},
  agents: () => {},
  closed: () => {},
};

/** A session by its URI or its id. */
export async function findSession(database: Database, name: string): Promise<FoundSession | undefined> {
  const { sessionId = name } = parseSessionUri(name) ?? {};
  const { session, summary } = await sessionTables(database);
  const [found] = await database.settle<FoundSession>(
    `select resource as uri, place, owner from ${session} join ${summary} on session = id where id = $1`,
    [sessionId],
  );
  return found && (found.uri === name || sessionId === name) ? found : undefined;
}

/** Tells a host of its place to take a session. Rejects when that host can't be reached, or refuses. */
export async function moveSession(uri: URI, { id, url, linkKey }: NamedHost): Promise<void> {
  if (url === null) throw new Error('it does not listen yet');
  const link = await Link.connect(
    { hostId: `command-${randomUUID()}`, clients: 0 },
    { id, url, linkKey },
    NOTHING,
    silentLog,
  );
  try {
    await link.request('link.take', { uri }, { timeoutMs: TAKE_MS });
  } finally {
    link.close();
  }
}
