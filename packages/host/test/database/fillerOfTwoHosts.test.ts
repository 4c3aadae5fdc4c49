import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { Database } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrate.js';
import { OwnedSessions } from '../../src/database/ownedSessions.js';
import { PgSessionStorage } from '../../src/database/pgSessionStorage.js';
import { silentLog } from '../../src/hostLog.js';
import { IndexFiller, type IndexFillerOptions } from '../../src/sessions/indexing/indexFiller.js';

const postgres = postgresOfFile();

it('a host that fills its index says nothing of a session that another one has opened meanwhile', async () => {
  const database = await Database.open({ url: postgres.server.urlOf(), log: silentLog });
  await migrate(database);
  const everybody = {
    alive: [],
    isAlive: async () => true,
    hostFor: async () => undefined,
    freeAt: () => 0,
    place: '',
  };
  const storage = () =>
    new PgSessionStorage({
      database,
      hostId: randomUUID(),
      owned: new OwnedSessions(),
      cluster: everybody,
      initialCwd: '/tmp',
      durability: 'fsync',
      now: Date.now,
      newId: randomUUID,
      onDamage: () => {},
    });
  await storage().open('taken', { create: true });
  const errors: string[] = [];
  const filled: string[] = [];
  const other = storage();
  const options: Pick<IndexFillerOptions, 'indexSession' | 'log' | 'storage'> = {
    storage: other,
    indexSession: async (sessionId) => {
      filled.push(sessionId);
      await other.open(sessionId);
    },
    log: { ...silentLog, error: (message, cause) => void errors.push(`${message}: ${String(cause)}`) },
  };
  const filler = new IndexFiller(options as IndexFillerOptions);
  filler.start({
    ids: async function* () {
      yield 'taken';
    },
  });
  await filler.settled;
  expect({ errors, filled }).toEqual({ errors: [], filled: ['taken'] });
  await database.close();
});
