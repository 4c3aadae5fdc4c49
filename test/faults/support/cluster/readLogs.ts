import { randomUUID } from 'node:crypto';
import { parseSessionUri, type URI } from '@agenthost/protocol';
import { Database } from '../../../../packages/host/src/database/database.js';
import { OwnedSessions } from '../../../../packages/host/src/database/ownedSessions.js';
import { PgSessionStorage } from '../../../../packages/host/src/database/pgSessionStorage.js';
import { silentLog } from '../../../../packages/host/src/hostLog.js';
import type { LogRecord } from '../../../../packages/host/src/storage/log/eventLog.js';

/** Sessions as a host sees them to which every other one is dead. */
export function storageOf(database: Database): PgSessionStorage {
  return new PgSessionStorage({
    database,
    hostId: randomUUID(),
    owned: new OwnedSessions(),
    cluster: { alive: [], isAlive: async () => false, hostFor: async () => undefined, freeAt: () => 0, place: 'here' },
    initialCwd: '/tmp',
    durability: 'fsync',
    now: Date.now,
    newId: randomUUID,
    onDamage: (sessionId, damage) => {
      throw new Error(`the log of ${sessionId} is damaged: ${JSON.stringify(damage)}`);
    },
  });
}

/** The logs of these sessions, read as a host reads them. Throws at the first line that is damaged, doubled or missing. */
export async function readLogs(url: string, uris: Iterable<URI>): Promise<ReadonlyMap<URI, readonly LogRecord[]>> {
  const database = await Database.open({ url, log: silentLog });
  const storage = storageOf(database);
  try {
    const logs = new Map<URI, readonly LogRecord[]>();
    for (const uri of uris) {
      const stored = await storage.open(parseSessionUri(uri)?.sessionId ?? '');
      if (!stored) throw new Error(`${uri} is not in the database`);
      const { records, damage } = await stored.log.loadAll();
      if (damage) throw new Error(`the log of ${uri} is damaged: ${JSON.stringify(damage)}`);
      records.forEach(({ n }, index) => {
        if (n !== index + 1) throw new Error(`the log of ${uri} has record ${n} at place ${index + 1}`);
      });
      logs.set(uri, records);
      await stored.log.close();
      await stored.fs.dispose();
    }
    return logs;
  } finally {
    await database.close();
  }
}
