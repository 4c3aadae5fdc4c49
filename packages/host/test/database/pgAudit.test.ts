import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { Database } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrate.js';
import { PgAudit } from '../../src/database/pgAudit.js';
import { silentLog } from '../../src/hostLog.js';

const postgres = postgresOfFile();

let database: Database;
beforeAll(async () => {
  database = await Database.open({ url: postgres.server.urlOf(), log: silentLog });
  await migrate(database);
});
afterAll(() => database?.close());

it('is read in pages by space and session, and keeps the newest rows of all hosts', async () => {
  const [one, other] = [new PgAudit(database, 100), new PgAudit(database, 100)];
  for (let n = 0; n < 300; n++)
    await (n % 2 ? one : other).append([
      { at: n, event: 'e', text: 't', space: n % 3 ? 'default' : 'design', ...(n % 5 === 0 && { session: 'mock:/s' }) },
    ]);
  const all = await one.read({ space: 'default', limit: 200 });
  expect(all.items.length).toBeLessThanOrEqual(200);
  expect(all.items[0]?.at).toBe(299);
  const first = await one.read({ space: 'default', limit: 10 });
  const second = await one.read({ space: 'default', limit: 10, before: first.nextCursor ?? '' });
  expect([...first.items, ...second.items]).toEqual(all.items.slice(0, 20));
  const ofSession = await one.read({ space: 'default', session: 'mock:/s', limit: 200 });
  expect(ofSession.items.every(({ session }) => session === 'mock:/s')).toBe(true);
  expect((await one.read({ space: 'nobody', limit: 5 })).items).toEqual([]);
  expect((await one.read({ space: 'default', limit: 5, before: 'x; drop table audit' })).items).toHaveLength(5);
  const [{ n } = { n: 0 }] = await database.query<{ n: number }>('select count(*)::int as n from audit');
  expect(n).toBeLessThanOrEqual(300);
});
