import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Cluster } from '../cluster/cluster.js';
import { withoutPassword } from '../database/connectionConfig.js';
import { Database } from '../database/database.js';
import { migrate } from '../database/migrate.js';
import { OwnedSessions } from '../database/ownedSessions.js';
import { PgSessionStorage } from '../database/pgSessionStorage.js';
import { PgDeviceTokens } from '../database/pgTokens.js';
import { PgTrust } from '../database/pgTrust.js';
import type { HostLog } from '../hostLog.js';
import { DeviceTokens } from '../server/access/deviceTokens.js';
import { HOST_VERSION } from '../version.js';
import type { MoveSide, SessionFiles } from './moveSide.js';
import { assertQuiet, describeHost } from './quietDatabase.js';

export interface DatabaseSideOptions {
  readonly url: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of new sessions, and of the trusted folders. */
  readonly place?: string;
  readonly leaseMs: number;
  /** The other side of the move, if it is held under a lock: an earlier run with it has ended. */
  readonly heldFolder?: string;
  readonly log: HostLog;
  readonly onWaiting: (hosts: readonly string[]) => void;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Joins the hosts of the database as one that takes no sessions of others. Rejects with a `MoveError` when another one runs. */
export async function openDatabaseSide(options: DatabaseSideOptions): Promise<MoveSide> {
  const { url, env, log, leaseMs, heldFolder } = options;
  const database = await Database.open({ url, env, log });
  let cluster: Cluster | undefined;
  try {
    await migrate(database);
    const machine = hostname();
    const hostId = randomUUID();
    const stateDir = `agenthost move ${heldFolder ?? hostId}`;
    const place = options.place ?? machine;
    const joined = await Cluster.join({
      database,
      hostId,
      place,
      machine,
      stateDir,
      version: HOST_VERSION,
      leaseMs,
      log,
    });
    cluster = joined;
    await joined.drain();
    await assertQuiet(joined, database, leaseMs, options);
    // All of them have ended; rows of the killed ones are still there.
    const before = new Set(joined.hosts.map(({ id }) => id));
    const storage = new PgSessionStorage({
      database,
      hostId,
      owned: new OwnedSessions(),
      // Whoever is started meanwhile gets them later.
      cluster: {
        place,
        alive: [hostId],
        isAlive: (id) => joined.isAlive(id),
        hostFor: async () => undefined,
        // It starts no agent.
        freeAt: () => 0,
      },
      initialCwd: '/',
      durability: 'fsync',
      now: Date.now,
      newId: randomUUID,
      onDamage: () => undefined,
    });
    const open = async (sessionId: string, create: boolean, space?: string): Promise<SessionFiles> => {
      const fs = await storage.openFiles(sessionId, create, space);
      if (!fs) throw new Error(`the session ${sessionId} is gone`);
      return { fs, setTime: (path, time) => fs.setTime(path, time), assertOwned: () => fs.assertOwned() };
    };
    return {
      name: withoutPassword(url),
      tokens: new DeviceTokens(new PgDeviceTokens(database)),
      trust: new PgTrust(database, place),
      listSessions: () => storage.list(),
      hasSession: (sessionId) => storage.exists(sessionId),
      openSession: (sessionId) => open(sessionId, false),
      createSession: (sessionId, space) => open(sessionId, true, space),
      spaceOf: (sessionId) => storage.spaceOf(sessionId),
      raiseSequence: async (atLeast) => {
        await database.settle("select setval('server_seq', $1) from server_seq where last_value < $1", [atLeast]);
      },
      intruders: async () => {
        await joined.look();
        return joined.hosts.filter(({ id }) => !before.has(id) && joined.alive.includes(id)).map(describeHost);
      },
      close: async () => {
        await joined.leave();
        await database.close();
      },
    };
  } catch (error) {
    await cluster?.leave().catch(() => undefined);
    await database.close();
    throw error;
  }
}
