import { expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { Database } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrate.js';
import { silentLog } from '../../src/hostLog.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

const NAME = 'idle_in_transaction_session_timeout';

it('a busy machine has more time for each statement of a start than for others', async () => {
  const database = await Database.open({ url: await postgres.server.newDatabase(), log: silentLog });
  cleanups.push(() => database.close());
  await migrate(database, [{ sql: `create table seen as select current_setting('${NAME}') as value`, minHost: 1 }]);
  expect(await database.query('select value from seen')).toEqual([{ value: '15s' }]);
  expect(await database.query(`select current_setting('${NAME}') as value`)).toEqual([{ value: '2s' }]);
});

it('a connection that the database ends meanwhile is refused with what the database said', async () => {
  const database = await Database.open({ url: await postgres.server.newDatabase(), log: silentLog });
  cleanups.push(() => database.close());
  const used = database.withClient(async (client) => {
    await client.query("begin; set local idle_in_transaction_session_timeout to '20ms'");
    await new Promise((resolve) => client.once('end', resolve));
    await client.query('commit');
  });
  await expect(used).rejects.toThrow('idle-in-transaction timeout');
});

it('a start that was too slow for the database tries again', async () => {
  const database = await Database.open({ url: await postgres.server.newDatabase(), log: silentLog });
  cleanups.push(() => database.close());
  const withClient = database.withClient.bind(database);
  let starts = 0;
  database.withClient = (work) =>
    starts++ === 0 ? Promise.reject(Object.assign(new Error('too slow'), { code: '25P03' })) : withClient(work);
  await migrate(database, [{ sql: 'create table made (id int)', minHost: 1 }]);
  expect(starts).toBe(2);
  expect(await database.query('select * from made')).toEqual([]);
});
