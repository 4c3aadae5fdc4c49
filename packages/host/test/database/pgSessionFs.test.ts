import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { sessionFsContract } from '../../contract/sessionFsContract.js';
import { Committer } from '../../src/database/committer.js';
import { Database } from '../../src/database/database.js';
import { Generations } from '../../src/database/generations.js';
import { migrate } from '../../src/database/migrate.js';
import { PgSessionFs } from '../../src/database/pgSessionFs.js';
import { silentLog } from '../../src/hostLog.js';

const postgres = postgresOfFile();

let database: Database;
beforeAll(async () => {
  database = await Database.open({ url: postgres.server.urlOf(), log: silentLog });
  await migrate(database);
});
afterAll(() => database?.close());

describe('a SessionFs on PostgreSQL', () => {
  const cases = sessionFsContract(async ({ sessionId, initialCwd }) => {
    await database.query('insert into session (id, epoch, claim) values ($1, 1, 7)', [sessionId]);
    const fs = await PgSessionFs.open({
      database,
      committer: new Committer(database),
      generations: new Generations(database),
      fence: { sessionId, epoch: '1', claim: '7' },
      initialCwd,
    });
    return { fs, dispose: async () => void (await database.query('delete from session where id = $1', [sessionId])) };
  });

  it('has enough cases', () => expect(cases.length).toBeGreaterThan(80));
  it.each(cases)('$name', ({ run }) => run());
});
