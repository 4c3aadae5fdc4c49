import { once } from 'node:events';
import { hostname } from 'node:os';
import { parseSessionUri } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import type { RawClient } from '../../../../test/support/rawClient.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { type HostProcess, rawSession } from '../../../../test/support/testHost.js';
import { drainHost } from '../../src/cluster/operators/drainHost.js';
import { Database } from '../../src/database/database.js';
import { silentLog } from '../../src/hostLog.js';
import { hostProcesses } from './support/hostProcesses.js';

const postgres = postgresOfFile();

const cleanups = cleanupsOfTests();

const { start, client } = hostProcesses(cleanups);

async function health(host: HostProcess): Promise<string> {
  const answer = await fetch(new URL('/healthz', host.url));
  return `${answer.status} ${await answer.text()}`.trim();
}

const message = (session: string, turnId: string, text: string) => ({
  type: 'session/turnStarted',
  session,
  turnId,
  userMessage: { text },
});

/** The address of the host that has it. */
async function ownerOf(url: string, session: string): Promise<string | undefined> {
  const database = await Database.open({ url, log: silentLog });
  const sql = 'select url from session join host on owner = host.id where session.id = $1';
  const [row] = await database.query<{ url: string }>(sql, [parseSessionUri(session)?.sessionId]);
  await database.close();
  return row?.url;
}

/** A turn that runs until its question is answered. */
async function askedTurn(raw: RawClient, session: string): Promise<() => void> {
  await raw.act(message(session, 'asked', 'permission'));
  const { request } = await raw.nextAction(session, 'session/permissionRequest');
  return () => {
    const { requestId } = request;
    raw.dispatch({ type: 'session/permissionResolved', session, turnId: 'asked', requestId, approved: true });
  };
}

describe('a host that is told to stop', () => {
  it('lets a running turn end, gives idle sessions away at once, and makes new ones elsewhere', async () => {
    const database = await postgres.server.newDatabase();
    const [one, two] = [await start(database), await start(database)];
    const [alice, bob] = [await client(one, 'alice'), await client(one, 'bob')];
    const [busy, idle] = [await rawSession([alice]), await rawSession([bob])];
    await bob.act(message(idle, 't', 'hello'));
    await bob.nextAction(idle, 'session/turnComplete');
    const answer = await askedTurn(alice, busy);
    const ended = once(one.process, 'exit');
    one.process.kill('SIGTERM');
    // Bob's session is at rest: the other host has it now, and he stays where he is.
    await expect.poll(() => ownerOf(database, idle), { timeout: 20_000 }).toBe(two.url.href);
    expect(await health(one)).toBe('503 draining');
    expect(await health(two)).toBe('200 ok');
    bob.dispatch(message(idle, 'after', 'hello'));
    await bob.nextAction(idle, 'session/turnComplete', ({ turnId }) => turnId === 'after');
    // Through the host that stops, all that it gives away is reached as well.
    const late = await client(one, 'late');
    expect((await late.stateOf(idle)).turns.map(({ id }) => id)).toEqual(['t', 'after']);
    const made = `mock:/${crypto.randomUUID()}`;
    await late.request('createSession', { session: made });
    expect(await late.stateOf(made)).toMatchObject({ turns: [] });
    // Alice's turn goes on, her next message waits for it.
    const queued = { type: 'session/pendingMessageSet', session: busy, kind: 'queued', id: 'next' };
    await alice.act({ ...queued, userMessage: { text: 'hello' } });
    answer();
    await alice.nextAction(busy, 'session/turnComplete');
    for (const one of [alice, bob, late]) expect(await one.closed).toMatchObject({ code: 1001 });
    expect(await ended).toEqual([0, null]);
    const back = await client(two, 'alice');
    await expect
      .poll(async () => (await back.stateOf(busy)).turns.map(({ id, state }) => `${id} ${state}`), { timeout: 10_000 })
      .toEqual(['asked complete', 'next complete']);
  });

  it('ends turns that take longer than the drain, and keeps what they said', async () => {
    const database = await postgres.server.newDatabase();
    const [one, two] = [await start(database, '--drain', '1'), await start(database)];
    const alice = await client(one, 'alice');
    const session = await rawSession([alice]);
    await askedTurn(alice, session);
    const ended = once(one.process, 'exit');
    one.process.kill('SIGTERM');
    expect(await alice.closed).toMatchObject({ code: 1001 });
    expect(await ended).toEqual([0, null]);
    const again = await client(two, 'alice');
    expect((await again.stateOf(session)).turns).toMatchObject([{ id: 'asked', error: { errorType: 'interrupted' } }]);
  });

  it('ends at once at a second signal', async () => {
    const database = await postgres.server.newDatabase();
    const [one] = [await start(database), await start(database)];
    const [alice, bob] = [await client(one, 'alice'), await client(one, 'bob')];
    const session = await rawSession([alice]);
    await rawSession([bob]);
    await askedTurn(alice, session);
    const ended = once(one.process, 'exit');
    one.process.kill('SIGTERM');
    await expect.poll(() => health(one)).toBe('503 draining');
    one.process.kill('SIGTERM');
    expect(await ended).toEqual([1, null]);
  });

  it('refuses new sessions where no other host can take them, and still waits for its turn', async () => {
    const one = await start(await postgres.server.newDatabase());
    const [alice, bob] = [await client(one, 'alice'), await client(one, 'bob')];
    const session = await rawSession([alice]);
    const answer = await askedTurn(alice, session);
    const ended = once(one.process, 'exit');
    one.process.kill('SIGTERM');
    await expect.poll(() => health(one)).toBe('503 draining');
    const made = bob.request('createSession', { session: `mock:/${crypto.randomUUID()}` });
    await expect(made).rejects.toThrow('this host is about to stop: connect to another one and try again');
    answer();
    await alice.nextAction(session, 'session/turnComplete');
    expect(await ended).toEqual([0, null]);
  });

  it('by the database gives its sessions away and goes on without them', async () => {
    const url = await postgres.server.newDatabase();
    const [one, two] = [await start(url), await start(url)];
    const alice = await client(one, 'alice');
    const session = await rawSession([alice]);
    await alice.act(message(session, 't', 'hello'));
    await alice.nextAction(session, 'session/turnComplete');
    const database = await Database.open({ url, log: silentLog });
    cleanups.push(() => database.close());
    expect(await drainHost(database, 'no such host')).toEqual([]);
    // Both run on this machine: nobody is told.
    expect(await drainHost(database, hostname())).toHaveLength(2);
    expect(await health(one)).toBe('200 ok');
    expect(await drainHost(database, one.url.origin)).toMatchObject([{ sessions: 1 }]);
    // It still serves, from the other host.
    await expect.poll(() => ownerOf(url, session), { timeout: 20_000 }).toBe(two.url.href);
    expect([await health(one), await health(two)]).toEqual(['503 draining', '200 ok']);
    alice.dispatch(message(session, 'after', 'hello'));
    await alice.nextAction(session, 'session/turnComplete', ({ turnId }) => turnId === 'after');
    expect(await ownerOf(url, session)).toBe(two.url.href);
    expect(await one.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  });
});
