import { hostname } from 'node:os';
import { Cluster, DEFAULT_LEASE_MS } from './cluster/cluster.js';
import { ClusterSessions } from './cluster/clusterSessions.js';
import { Database } from './database/database.js';
import { migrate } from './database/migrate.js';
import { OwnedSessions } from './database/ownedSessions.js';
import { PgAudit } from './database/pgAudit.js';
import { PgPush } from './database/pgPush.js';
import { PgSequence } from './database/pgSequence.js';
import { PgSessionIndex } from './database/pgSessionIndex.js';
import { PgSessionStorage } from './database/pgSessionStorage.js';
import { PgDeviceTokens, PgTokens } from './database/pgTokens.js';
import { PgTrust } from './database/pgTrust.js';
import type { HostBackend, HostBackendOptions } from './hostBackend.js';
import type { HostOptions } from './hostOptions.js';
import { PushNotifications } from './push/pushNotifications.js';
import { DeviceTokens } from './server/access/deviceTokens.js';
import { HOST_VERSION } from './version.js';
import { PgWebhooks } from './webhooks/pgWebhooks.js';
import { Webhooks } from './webhooks/webhooks.js';

/** How long a stopping host waits for a database that is away. */
const PATIENCE_MS = 10_000;

type DatabaseOptions = Pick<HostOptions, 'place' | 'leaseMs' | 'push' | 'webhooks'> & { readonly database: string };

/** Sessions, index, numbers, tokens and trusted folders in a PostgreSQL database. */
export async function openDatabase(
  { stateRoot, logs, defaultDirectory, env, log }: HostBackendOptions,
  { database: url, leaseMs = DEFAULT_LEASE_MS, ...wanted }: DatabaseOptions,
): Promise<HostBackend> {
  const database = await Database.open({ url, env, log });
  let joined: Cluster | undefined;
  try {
    await migrate(database);
    const owned = new OwnedSessions();
    const hostId = stateRoot.lock.holder.instanceId;
    const machine = hostname();
    const { place = machine } = wanted;
    const cluster = await Cluster.join({
      database,
      hostId,
      place,
      machine,
      stateDir: stateRoot.path,
      version: HOST_VERSION,
      leaseMs,
      log,
    });
    joined = cluster;
    const storage = new PgSessionStorage({ database, hostId, owned, cluster, initialCwd: defaultDirectory, ...logs });
    const index = new PgSessionIndex({ database, owned, cluster, log });
    const sequence = await PgSequence.open(database, log);
    const push = new PushNotifications({ store: new PgPush(database), log, ...wanted.push });
    return {
      storage,
      index,
      missing: { ids: () => storage.listUnindexed() },
      sequence,
      trust: new PgTrust(database, place),
      deviceTokens: new DeviceTokens(new PgDeviceTokens(database)),
      openTokens: async () => new PgTokens(database, log, stateRoot.path),
      push,
      audit: new PgAudit(database),
      webhooks: await Webhooks.open({ store: new PgWebhooks(database, hostId), log, ...wanted.webhooks }),
      apiKeys: async () => new (await import('./api/pgApiKeys.js')).PgApiKeys(database),
      cluster,
      clusterSessions: (options) => new ClusterSessions({ ...options, cluster, hostId }),
      closing: () => {
        setTimeout(() => database.giveUp(), PATIENCE_MS).unref();
      },
      close: async () => {
        push.dispose();
        await index.close();
        await sequence.dispose();
        await cluster.leave();
        await database.close();
      },
    };
  } catch (error) {
    database.giveUp();
    await joined?.leave().catch(() => undefined);
    await database.close();
    throw error;
  }
}
