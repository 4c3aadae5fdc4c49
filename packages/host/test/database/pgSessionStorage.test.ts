import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { rawSession, startTestHost } from '../../../../test/support/testHost.js';
import { Database } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrate.js';
import { type LivingHosts, OwnedSessions } from '../../src/database/ownedSessions.js';
import { PgSessionStorage } from '../../src/database/pgSessionStorage.js';
import { silentLog } from '../../src/hostLog.js';
import { openNewSession } from '../../src/sessions/beginSession.js';

const postgres = postgresOfFile();

let database: Database;
beforeAll(async () => {
  database = await Database.open({ url: postgres.server.urlOf(), log: silentLog });
  await Promise.all([migrate(database), migrate(database)]);
});
afterAll(() => database?.close());

const alone = { alive: [], isAlive: async () => false, hostFor: async () => undefined, freeAt: () => 0, place: 'here' };

// To each, every other host is dead, unless told otherwise.
const storage = (cluster: LivingHosts = alone, through: Database = database) =>
  new PgSessionStorage({
    database: through,
    hostId: randomUUID(),
    owned: new OwnedSessions(),
    cluster,
    initialCwd: '/tmp',
    durability: 'fsync',
    now: Date.now,
    newId: randomUUID,
    onDamage: (sessionId, damage) => {
      throw new Error(`${sessionId} is damaged: ${JSON.stringify(damage)}`);
    },
  });

async function say(
  client: Awaited<ReturnType<Awaited<ReturnType<typeof startTestHost>>['raw']>>,
  session: string,
  turnId: string,
) {
  client.dispatch({ type: 'session/turnStarted', session, turnId, userMessage: { text: `echo ${turnId}` } });
  await client.nextEnvelope(
    ({ action }) => action.type === 'session/turnComplete' && action.turnId === turnId,
    'the end of the turn',
  );
}

describe('sessions on PostgreSQL', () => {
  it('are there again after a restart of the host, also one that was forked', async () => {
    const first = await startTestHost({ storage: storage() });
    const alice = await first.raw('alice');
    const session = await rawSession([alice]);
    for (const turn of ['one', 'two', 'three']) await say(alice, session, turn);
    const fork = `mock:/${randomUUID()}`;
    await alice.request('forkSession', { source: session, session: fork, toTurnId: 'two' });
    const before = await alice.stateOf(session);
    await first.dispose();

    const second = await startTestHost({ storage: storage() });
    const bob = await second.raw('bob');
    expect((await bob.stateOf(session)).turns).toEqual(before.turns);
    expect((await bob.stateOf(fork)).turns.map(({ id }) => id)).toEqual(['one', 'two']);
    await second.dispose();
  });

  it('belong to the host that they are given to as soon as they are closed: nobody else takes them', async () => {
    const sessionId = randomUUID();
    const heir = randomUUID();
    const stored = await storage().open(sessionId, { create: true });
    stored?.log.append({ type: 'session.info', kind: 'import', message: 'x' });
    stored?.giveTo?.(heir);
    await stored?.log.close();
    await stored?.fs.dispose();
    const others = storage({ ...alone, isAlive: async (hostId) => hostId === heir });
    await expect(others.open(sessionId)).rejects.toMatchObject({ name: 'OwnedElsewhere', hostId: heir });
    // Unless it is dead by then.
    const opened = await storage().open(sessionId);
    await opened?.log.close();
    await opened?.fs.dispose();
  });

  it('keep everything that was acknowledged when the database crashes and comes back', async () => {
    const host = await startTestHost({ storage: storage() });
    const alice = await host.raw('alice');
    const session = await rawSession([alice]);
    const turns = Array.from({ length: 30 }, (_, n) => `turn-${n}`);
    for (const [n, turn] of turns.entries()) {
      const said = say(alice, session, turn);
      if (n % 10 === 5) {
        await postgres.server.stop('SIGQUIT');
        await postgres.server.run();
      }
      await said;
    }
    await host.dispose();
    const again = await startTestHost({ storage: storage() });
    const { turns: kept } = await (await again.raw('bob')).stateOf(session);
    expect(kept.map(({ id }) => id)).toEqual(turns);
    await again.dispose();
  });

  it('[OWN1] belong to one of several hosts that open them at once, and the others learn whose they are', async () => {
    const made = await storage().open('wanted', { create: true });
    await made?.fs.appendFile('/state/events.jsonl', 'first\n');
    await made?.fs.dispose();
    const hosts = Array.from({ length: 6 }, () => storage({ ...alone, isAlive: async () => true }));
    const outcomes = await Promise.allSettled(hosts.map((host) => host.open('wanted')));
    const [won] = outcomes.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []));
    const [row] = await database.query<{ owner: string }>("select owner from session where id = 'wanted'");
    const told = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(told).toHaveLength(5);
    for (const error of told) expect(error).toMatchObject({ name: 'OwnedElsewhere', hostId: row?.owner });
    await won?.fs.appendFile('/state/events.jsonl', 'second\n');
  });

  it('[FEN1] can not be written by a host that another one has replaced', async () => {
    const [old, next] = [storage(), storage()];
    const mine = await old.open('fenced', { create: true });
    await mine?.fs.appendFile('/state/events.jsonl', 'first\n');
    const theirs = await next.open('fenced');
    for (const write of [
      () => mine?.fs.appendFile('/state/events.jsonl', 'late\n'),
      () => mine?.fs.writeFile('/state/other', 'late'),
      () => mine?.fs.mkdir('/state/folder'),
      () => mine?.fs.rm('/state/events.jsonl'),
      () => mine?.fs.rename('/state/events.jsonl', '/state/moved'),
    ]) {
      await expect(write()).rejects.toMatchObject({ code: 'FENCED' });
    }
    await theirs?.fs.appendFile('/state/events.jsonl', 'second\n');
    expect(await theirs?.fs.readFile('/state/events.jsonl')).toBe('first\nsecond\n');
    expect(await theirs?.fs.readdir('/state')).toEqual(['events.jsonl']);
  });

  it('[OWN1] stay when another host that was to make one of the same name takes their host for dead', async () => {
    const mine = await storage().open('named', { create: true });
    await mine?.fs.appendFile('/state/events.jsonl', 'first\n');
    // It was alive when it was asked, and is in no list of the living a moment later.
    const other = storage({ ...alone, isAlive: async () => true });
    const discard = vi.fn((sessionId: string) => other.remove(sessionId));
    const making = openNewSession(
      { storage: other, session: 'mock:/named', sessionId: 'named', space: 'default', discard },
      async () => {},
    );
    await expect(making).rejects.toMatchObject({ name: 'OwnedElsewhere' });
    expect(await mine?.fs.readFile('/state/events.jsonl')).toBe('first\n');
    await mine?.fs.appendFile('/state/events.jsonl', 'second\n');
  });

  it('[OWN1] stay when their host, which another takes for dead, stores their first record in that moment', async () => {
    const mine = await storage().open('begun', { create: true });
    const slow = await Database.open({ url: postgres.server.urlOf(), log: silentLog });
    const { settle } = slow;
    slow.settle = async (sql, values) => {
      if (sql.includes('delete from session')) await mine?.fs.appendFile('/state/events.jsonl', 'first\n');
      return settle.call(slow, sql, values) as never;
    };
    await expect(storage(alone, slow).open('begun', { create: true })).rejects.toMatchObject({
      name: 'OwnedElsewhere',
    });
    await slow.close();
    await mine?.fs.appendFile('/state/events.jsonl', 'second\n');
    expect(await mine?.fs.readFile('/state/events.jsonl')).toBe('first\nsecond\n');
  });

  it('[FEN1] stay when a host that another one has replaced removes them, and it learns that', async () => {
    const id = randomUUID();
    const old = storage();
    await (await old.open(id, { create: true }))?.fs.writeFile('/state/events.jsonl', 'first\n');
    // It takes the first one for dead.
    const other = storage();
    const taken = await other.open(id);
    const [row] = await database.query<{ owner: string }>('select owner from session where id = $1', [id]);
    const knows = storage({ ...alone, alive: [row?.owner ?? ''] });
    await expect(knows.remove(id)).rejects.toMatchObject({ name: 'OwnedElsewhere', hostId: row?.owner });
    expect(await taken?.fs.readFile('/state/events.jsonl')).toBe('first\n');
    await other.remove(id);
    expect(await other.exists(id)).toBe(false);
  });

  it('leave no bytes behind when they are removed', async () => {
    const own = storage();
    const stored = await own.open('gone', { create: true });
    await stored?.fs.writeFile('/state/events.jsonl', 'x'.repeat(200_000));
    await stored?.fs.writeFile('/state/a', 'y'.repeat(200_000));
    await stored?.fs.writeFile('/state/a', 'z');
    await stored?.fs.dispose();
    const count = async () => (await database.query<{ n: string }>('select count(*) as n from chunk'))[0]?.n;
    const all = Number(await count());
    await own.remove('gone');
    expect(Number(await count())).toBe(all - 5);
    expect(await own.exists('gone')).toBe(false);
  });
});
