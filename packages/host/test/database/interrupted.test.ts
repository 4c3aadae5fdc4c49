import { expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { Database } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrate.js';
import { OwnedSessions } from '../../src/database/ownedSessions.js';
import { PgSessionIndex } from '../../src/database/pgSessionIndex.js';
import { silentLog } from '../../src/hostLog.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

/** Sessions that were at work when their host died. */
async function withInterrupted(places: readonly string[]) {
  const url = await postgres.server.newDatabase();
  const database = await Database.open({ url, log: silentLog });
  cleanups.push(() => database.close());
  await migrate(database);
  for (const [n, place] of places.entries()) {
    const id = `s${n}`;
    await database.query("insert into session (id, place, owner) values ($1, $2, 'dead')", [id, place]);
    await database.query(
      `insert into summary (session, resource, provider, title, modified_at, status, is_read, is_archived, workspace, summary)
       values ($1, $2, 'mock', '', 0, 'inProgress', true, false, '', '{}')`,
      [id, `mock:/${id}`],
    );
  }
  let time = 0;
  const cluster = { alive: ['me'], place: 'here' };
  const index = new PgSessionIndex({ database, owned: new OwnedSessions(), cluster, log: silentLog, now: () => time });
  cleanups.push(() => index.close());
  return {
    next: async () => (await index.interrupted()).map((uri) => Number(uri.slice('mock:/s'.length))),
    pass: (ms: number) => {
      time += ms;
    },
  };
}

it('[OWN5] the janitor takes sessions of its own place first, twenty at a time', async () => {
  const places = [...Array<string>(25).fill('there'), '', ...Array<string>(18).fill('here')];
  const { next } = await withInterrupted(places);
  const first = await next();
  expect(first).toHaveLength(20);
  expect(first.slice(0, 18).every((n) => places[n] === 'here')).toBe(true);
  expect(first.slice(18).map((n) => places[n])).toEqual(['', 'there']);
  const second = await next();
  expect(second).toHaveLength(20);
  expect(first.filter((n) => second.includes(n))).toEqual([]);
  expect(await next()).toHaveLength(4);
  expect(await next()).toEqual([]);
});

it('[OWN5] what it tried in vain is tried again later', async () => {
  const { next, pass } = await withInterrupted(['here', 'here']);
  expect((await next()).toSorted()).toEqual([0, 1]);
  pass(29_999);
  expect(await next()).toEqual([]);
  pass(1);
  expect((await next()).toSorted()).toEqual([0, 1]);
  expect(await next()).toEqual([]);
});
