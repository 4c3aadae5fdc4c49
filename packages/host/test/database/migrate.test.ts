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
