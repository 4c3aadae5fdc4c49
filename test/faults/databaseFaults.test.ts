import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Database } from '../../packages/host/src/database/database.js';
import { migrate } from '../../packages/host/src/database/migrate.js';
import { silentLog } from '../../packages/host/src/hostLog.js';
import { postgresOfFile } from '../support/storage/postgresOfFile.js';
import { rawSession, startTestHost } from '../support/testHost.js';
import { until } from '../support/until.js';
import { amount, isWhole, LONG_MS, PATIENCE_MS } from './support/amount.js';
import { runCluster } from './support/cluster/clusterRun.js';
import { readLogs, storageOf } from './support/cluster/readLogs.js';
import { type CutAt, CutDatabaseWorld, type CutMode } from './support/cutDatabase.js';
import { FaultPlan } from './support/faultPlan.js';
import { play } from './support/script.js';

const STEP = amount('database_every', { smoke: 60, full: 1 });
const KILLS = amount('database_kills', { smoke: 10, full: 200 });
const RESTARTS = amount('database_restarts', { smoke: 4, full: 40 });
const AT_ONCE = isWhole ? 4 : 2;

const postgres = postgresOfFile();

/** A session's life with the connection cut at a message; gives back how many messages it had. */
async function live(at: CutAt, mode: CutMode): Promise<number> {
  const { world, proxy } = await CutDatabaseWorld.create(postgres.server, at, mode);
  try {
    // Of this plan nothing fails: whatever a client is refused is a defect.
    await play(world, new FaultPlan());
    expect(world.disconnects, 'clients lost their connections').toBe(0);
    return proxy.count;
  } catch (error) {
    throw new Error(`cut ${mode} message ${proxy.count}: ${String(error)}`, { cause: error });
  } finally {
    await world.dispose();
  }
}

describe('one host on a database', { timeout: LONG_MS }, () => {
  it.each(['before', 'after'] as const)(
    '[FEN2] stores all that it acknowledges and refuses nothing when its connection is cut %s any of its messages',
    async (mode) => {
      const messages = await live(() => false, mode);
      expect(messages).toBeGreaterThan(100);
      let next = 1 + (STEP >> 1);
      let runs = 0;
      const worker = async () => {
        for (let at = next; at <= messages; at = next) {
          next += STEP;
          runs++;
          await live((n) => n === at, mode);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
      console.info(`${mode}: ${messages} messages, ${runs} runs: 0 lost, 0 refused, no connection closed`);
    },
  );

  it('[FEN2] goes on through restarts and crashes of the database under load: nothing lost, nobody disconnected, no turn interrupted', async () => {
    const options = { seed: 3, faults: RESTARTS, hosts: 1, maxHoldMs: 2_000 };
    const result = await runCluster({ ...options, only: ['restartDatabase', 'crashDatabase'] });
    console.info(`${RESTARTS} restarts and crashes of the database: ${JSON.stringify(result)}`);
    const { disconnects, interrupted, refused, unknown } = result;
    expect({ disconnects, interrupted, refused, unknown }).toEqual({
      disconnects: 0,
      interrupted: 0,
      refused: 0,
      unknown: 0,
    });
  });

  it('loses and doubles nothing that it accepted when it is killed under load', async () => {
    const { accepted, unknown } = await runCluster({
      seed: 4,
      faults: KILLS,
      hosts: 1,
      maxHoldMs: 200,
      only: ['kill'],
    });
    console.info(`${KILLS} kills, ${accepted} accepted, ${unknown} unknown to their sender: 0 lost, 0 doubled`);
    expect(accepted).toBeGreaterThan(10 * KILLS);
  });

  it('[FEN6] keeps what clients typed while the database is away for long, and stores it once when it is back', async () => {
    const database = await postgres.server.newDatabase();
    const host = await startTestHost({ database, leaseMs: 1_000 });
    const client = await host.connect({ keepAliveMs: 500 });
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    const raw = await host.raw('raw');
    const other = await rawSession([raw]);
    await session.send('slow', 'running');
    await until(session.confirmed, ({ activeTurn }) => (activeTurn?.responseParts.length ?? 0) > 0, 'some text');
    const states: string[] = [];
    client.connection.subscribe(({ state }) => states.push(state));
    await postgres.server.stop('SIGQUIT');
    let isTold = false;
    const typed = ['one', 'two', 'three'].map((title) => session.rename(title));
    void Promise.race(typed).finally(() => {
      isTold = true;
    });
    raw.dispatch({ type: 'session/titleChanged', session: other, title: 'typed' });
    // Each of them takes as long as a client waits at the most before it takes the host for dead.
    for (let n = 0; n < 3; n++) await raw.fence();
    expect(isTold, 'told before it was stored').toBe(false);
    expect(raw.envelopes.some(({ action }) => action.type === 'session/titleChanged')).toBe(false);
    await postgres.server.run();
    await Promise.all(typed);
    await raw.nextAction(other, 'session/titleChanged');
    expect(states, 'connections were closed').toEqual([]);
    expect(session.confirmed.value.activeTurn?.id, 'the turn goes on').toBe('running');
    await session.cancel();
    await until(session.confirmed, ({ activeTurn }) => !activeTurn, 'the end of the turn', PATIENCE_MS);
    await host.dispose();
    const logs = await readLogs(database, [session.uri, other]);
    const titles = [...logs.values()]
      .flat()
      .flatMap((one) =>
        one.type === 'action' && one.action.type === 'session/titleChanged' && one.origin ? [one.action.title] : [],
      );
    expect(titles).toEqual(['one', 'two', 'three', 'typed']);
  });
});

describe('a host on a database that is broken is caught', { timeout: LONG_MS }, () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Every statement without these words. */
  function without(words: string): void {
    const { settle } = Database.prototype;
    let isFound = false;
    vi.spyOn(Database.prototype, 'settle').mockImplementation(function (this: Database, sql, values) {
      isFound ||= sql.includes(words);
      return settle.call(this, sql.replace(words, ''), values) as never;
    });
    onTestFinished(() => expect(isFound, 'the words are in no statement any more').toBe(true));
  }

  /** The answer to an append is lost. */
  const atAnAppend = (): CutAt => {
    let appends = 0;
    return (_, message) => message.includes('set log_size = i.stop') && ++appends === 10;
  };

  it('[FEN2] when it does not compare where the log ends', async () => {
    await live(atAnAppend(), 'after');
    without('s.log_size = i.start and ');
    await expect(live(atAnAppend(), 'after')).rejects.toThrow(/failed|lost|storage/);
  });

  it('[FEN1] when it does not compare whose the session is', async () => {
    const url = await postgres.server.newDatabase();
    const database = await Database.open({ url, log: silentLog });
    await migrate(database);
    await expect(lateAppend(database, 'one')).rejects.toMatchObject({ code: 'FENCED' });
    without('s.epoch = i.epoch and s.claim = i.claim and ');
    await expect(lateAppend(database, 'two')).resolves.toBe(undefined);
    await database.close();
  });
});

/** What a host writes that another one has replaced. */
async function lateAppend(database: Database, sessionId: string): Promise<void> {
  const old = await storageOf(database).open(sessionId, { create: true });
  await old?.fs.appendFile('/state/events.jsonl', 'first\n');
  await storageOf(database).open(sessionId);
  await old?.fs.appendFile('/state/events.jsonl', 'late\n');
}
