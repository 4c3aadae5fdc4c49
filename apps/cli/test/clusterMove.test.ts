import { Database } from '@agenthost/host/maintenance';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cleanupsOfTests } from '../../../test/support/cleanups.js';
import type { RawClient } from '../../../test/support/rawClient.js';
import { postgresOfFile } from '../../../test/support/storage/postgresOfFile.js';
import { rawSession, startTestHost, type TestHost } from '../../../test/support/testHost.js';
import { move } from '../src/cluster/move.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

let url: string;
let database: Database;
let said: string;
beforeEach(async () => {
  url = await postgres.server.newDatabase();
  said = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function start(place: string): Promise<TestHost> {
  const host = await startTestHost({ database: url, place, leaseMs: 1_000 });
  cleanups.push(() => host.dispose());
  return host;
}

async function open(): Promise<void> {
  database = await Database.open({ url, log });
  cleanups.push(() => database.close());
}

const message = (session: string, turnId: string, text: string) => ({
  type: 'session/turnStarted',
  session,
  turnId,
  userMessage: { text },
});

async function turn(client: RawClient, session: string, turnId: string): Promise<void> {
  client.dispatch(message(session, turnId, 'hello'));
  await client.nextAction(session, 'session/turnComplete', (ended) => ended.turnId === turnId);
}

const ownerOf = async () =>
  (await database.query<{ owner: string | null }>('select owner from session')).map(({ owner }) => owner);

describe('agenthost cluster move', () => {
  it('gives a session to another host of its place, and those who look on find it there', async () => {
    const [one, two] = [await start('office'), await start('office')];
    await open();
    const [alice, bob] = [await one.raw('alice'), await two.raw('bob')];
    const session = await rawSession([alice, bob]);
    await turn(alice, session, 'first');
    expect(await move(database, [session, two.url.href])).toBe(0);
    expect(said).toBe(`${session} is at ${two.url.href} now.\n`);
    expect(await ownerOf()).toEqual([two.host.instanceId]);
    // She stays at the host that she was at: it does not take the session back.
    expect((await alice.stateOf(session)).turns.map(({ id }) => id)).toEqual(['first']);
    await turn(alice, session, 'second');
    await bob.nextAction(session, 'session/turnComplete', ({ turnId }) => turnId === 'second');
    expect(await ownerOf()).toEqual([two.host.instanceId]);
    said = '';
    expect(await move(database, [session, two.url.href])).toBe(0);
    expect(said).toContain('already');
    // And back, by its id, while nobody looks on at its host.
    said = '';
    const id = session.slice('mock:/'.length);
    expect(await move(database, [id, one.host.instanceId.slice(0, 8)], { json: true })).toBe(0);
    expect(JSON.parse(said)).toMatchObject({ session, to: { id: one.host.instanceId } });
    expect(await ownerOf()).toEqual([one.host.instanceId]);
  });

  it('takes a session that no host has open', async () => {
    const one = await start('office');
    await open();
    const session = await rawSession([await one.raw('alice')]);
    await one.host.close();
    const two = await start('office');
    expect(await move(database, [session, two.url.href])).toBe(0);
    expect(await ownerOf()).toEqual([two.host.instanceId]);
  });

  it('refuses what it can not do, and says what to do', async () => {
    const [one, two] = [await start('office'), await start('office')];
    const lab = await start('lab');
    await open();
    const alice = await one.raw('alice');
    const session = await rawSession([alice]);
    await turn(alice, session, 'first');
    const refused = (...rest: string[]) => expect(move(database, rest)).rejects;
    await refused().toThrow('Say which session goes to which host.');
    await refused(session).toThrow('Say which session');
    await refused(session, two.url.href, 'more').toThrow('Say which session');
    await refused('mock:/none', two.url.href).toMatchObject({
      message: 'There is no session mock:/none.',
      exitCode: 6,
    });
    await refused(session.replace('mock', 'shell'), two.url.href).toThrow('There is no session shell:/');
    await refused(session, 'nobody').toMatchObject({
      message: 'No host of this database is called nobody.',
      exitCode: 6,
    });
    await refused(session, lab.url.href).toMatchObject({
      message: `${session} belongs to the place office, and ${lab.url.href} is at lab.`,
      exitCode: 1,
    });
    // A running turn stays where it is.
    alice.dispatch(message(session, 'asked', 'permission'));
    const { request } = await alice.nextAction(session, 'session/permissionRequest');
    await refused(session, two.url.href).toMatchObject({ message: `${session} is at work.`, exitCode: 1 });
    expect(await ownerOf()).toEqual([one.host.instanceId]);
    const { requestId } = request;
    alice.dispatch({ type: 'session/permissionResolved', session, turnId: 'asked', requestId, approved: true });
    await alice.nextAction(session, 'session/turnComplete', ({ turnId }) => turnId === 'asked');
    await database.query('update host set draining = true where id = $1', [two.host.instanceId]);
    await refused(session, two.url.href).toThrow('is about to stop');
    await database.query(`update host set draining = false, url = 'http://127.0.0.1:1/' where id = $1`, [
      lab.host.instanceId,
    ]);
    await database.query(`update session set place = 'lab'`);
    await refused(session, lab.host.instanceId).toMatchObject({ exitCode: 4 });
  });
});
