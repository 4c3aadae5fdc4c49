import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { rawSession } from '../../../../test/support/testHost.js';
import { hostProcesses } from './support/hostProcesses.js';
import { message } from './support/placedHosts.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

const { start, client } = hostProcesses(cleanups);

/** A connection past every host that holds a lock until it is ended. */
async function lock(database: string, sql: string): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: database });
  await holder.connect();
  let isHeld = true;
  const release = async () => {
    if (isHeld) await holder.end();
    isHeld = false;
  };
  cleanups.push(release);
  await holder.query('begin');
  await holder.query(sql);
  return release;
}

describe('statements of a host', () => {
  it('[OWN2] a host beats on a connection of its own: others see it alive while all its other statements wait', async () => {
    const database = await postgres.server.newDatabase();
    const host = await start(database);
    const alice = await client(host, 'alice');
    const session = await rawSession([alice]);
    const beat = async () => {
      const [row] = await postgres.server.query<{ beat: string }>(database, 'select beat from agenthost.host');
      return Number(row?.beat);
    };
    const release = await lock(database, 'lock table agenthost.session in access exclusive mode');
    const sent = alice.dispatch(message(session, 'held'));
    const before = await beat();
    // A whole lease: a host whose beats wait for its other statements would count as dead.
    await expect.poll(beat, { timeout: 20_000 }).toBeGreaterThan(before + 4);
    expect(alice.envelopes.filter(({ origin }) => origin?.clientSeq === sent)).toEqual([]);
    await release();
    expect((await alice.echo(sent)).rejection).toBeUndefined();
    await alice.nextAction(session, 'session/turnComplete');
  });

  it('[OWN2] one statement says that a host is alive and who else is', async () => {
    const database = await postgres.server.newDatabase();
    await Promise.all([start(database), start(database)]);
    // The last statement of each beating connection.
    const sql = `select query from pg_stat_activity
      where datname = current_database() and application_name = 'agenthost' and query like '%beat = beat + 1%'`;
    await expect
      .poll(async () => (await postgres.server.query<{ query: string }>(database, sql)).length, { timeout: 20_000 })
      .toBe(2);
    for (const { query } of await postgres.server.query<{ query: string }>(database, sql)) {
      expect(query).toMatch(/update host set beat[\s\S]*select id, beat[\s\S]*from host/);
    }
  });

  it('[FEN3] a statement that waits for a lock is given up and sent again, and what it stores is stored once', async () => {
    const database = await postgres.server.newDatabase();
    const host = await start(database);
    const alice = await client(host, 'alice');
    const session = await rawSession([alice]);
    const rollbacks = async () => {
      const sql = 'select xact_rollback as n from pg_stat_database where datname = current_database()';
      const [row] = await postgres.server.query<{ n: string }>(database, sql);
      return Number(row?.n);
    };
    const before = await rollbacks();
    const release = await lock(database, 'select 1 from agenthost.session for update');
    const sent = alice.dispatch(message(session, 'held'));
    await expect.poll(rollbacks, { timeout: 30_000 }).toBeGreaterThan(before);
    await release();
    expect((await alice.echo(sent)).rejection).toBeUndefined();
    await alice.nextAction(session, 'session/turnComplete');
    expect((await alice.stateOf(session)).turns.map(({ id }) => id)).toEqual(['held']);
  });

  it('[FEN3] a host that is stopped at any moment holds no lock and no transaction', async () => {
    const database = await postgres.server.newDatabase();
    const host = await start(database);
    const alice = await client(host, 'alice');
    const session = await rawSession([alice]);
    const open = `select state, query from pg_stat_activity where datname = current_database()
      and application_name = 'agenthost' and state like 'idle in transaction%'`;
    // What runs when it is stopped comes to its end in the database alone.
    const busy = `select 1 from pg_stat_activity where datname = current_database()
      and application_name = 'agenthost' and state = 'active'`;
    let turn = 0;
    for (let stop = 0; stop < 20; stop++) {
      for (let sent = 0; sent < 20; sent++) {
        alice.dispatch({ type: 'session/titleChanged', session, title: `title ${turn++}` });
      }
      // Some of them are stored: the others are on their way when the host stops.
      await alice.nextAction(session, 'session/titleChanged', ({ title }) => title === `title ${turn - 1 - stop}`);
      host.process.kill('SIGSTOP');
      await expect.poll(() => postgres.server.query(database, busy), { timeout: 10_000 }).toEqual([]);
      expect(await postgres.server.query(database, open)).toEqual([]);
      const release = await lock(database, 'lock table agenthost.session in access exclusive mode nowait');
      await release();
      host.process.kill('SIGCONT');
    }
    await alice.fence();
  });
});
