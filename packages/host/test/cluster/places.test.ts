import { hostname } from 'node:os';
import type { SessionSummary } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import type { RawClient } from '../../../../test/support/rawClient.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { message, startAt, summaryOf, usedBy } from './support/placedHosts.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

const start = (database: string, place: string) => startAt(cleanups, database, place);
const made = usedBy;

const turnsOf = async (client: RawClient, session: string) => (await client.stateOf(session)).turns.map(({ id }) => id);

describe('a session and its place', () => {
  it('is opened by a host of its place, whoever asks', async () => {
    const database = await postgres.server.newDatabase();
    const [north, other] = [await start(database, 'north'), await start(database, 'north')];
    const south = await start(database, 'south');
    const session = await made(await north.raw('alice'));
    await north.host.close();
    // Nobody has it now; the host in the south does not take it from the one in the north.
    const bob = await south.raw('bob');
    expect(await turnsOf(bob, session)).toEqual(['first']);
    bob.dispatch(message(session, 'second'));
    await bob.nextAction(session, 'session/turnComplete');
    const carol = await other.raw('carol');
    expect(await turnsOf(carol, session)).toEqual(['first', 'second']);
    await south.host.close();
    await carol.act(message(session, 'third'));
    await carol.nextAction(session, 'session/turnComplete');
  });

  it('is shown in lists, and its host says its own', async () => {
    const database = await postgres.server.newDatabase();
    const [north, south] = [await start(database, 'north'), await start(database, 'south')];
    const session = await made(await north.raw('alice'));
    const bob = await south.raw('bob');
    await expect
      .poll(async () => (await summaryOf(bob, session))?.metadata, { timeout: 10_000 })
      .toMatchObject({ remoteAgentHost: 'north' });
    const welcome = bob.received.find(({ result }) => (result as { serverInfo?: object })?.serverInfo)?.result;
    expect(welcome).toMatchObject({ serverInfo: { place: 'south' } });
  });

  it('[PLACE1] is shown with the host that has it, and all hosts name the same cluster', async () => {
    const database = await postgres.server.newDatabase();
    const [north, south] = [await start(database, 'north'), await start(database, 'south')];
    const clients = [await north.connect(), await south.connect()];
    const [one, two] = clients.map(({ serverInfo }) => serverInfo?.cluster);
    expect(one).toMatch(/^[\w-]{36}$/);
    expect(two).toBe(one);
    const session = await made(await north.raw('alice'));
    const bob = await south.raw('bob');
    await expect
      .poll(async () => (await summaryOf(bob, session))?.metadata?.['host'], { timeout: 10_000 })
      .toBe(`${hostname()} ${north.host.instanceId.slice(0, 8)}`);
  });

  it('[PLACE3] is marked in lists as soon as its place is away, opened or not, and not when it is back', async () => {
    const database = await postgres.server.newDatabase();
    const north = await start(database, 'north');
    const south = await start(database, 'south');
    const alice = await north.raw('alice');
    const [opened, closed] = [await made(alice), await made(alice)];
    // A name that a client gave says nothing about who is alive.
    const named = `mock:/${crypto.randomUUID()}`;
    const bob = await south.raw('bob');
    await bob.request('createSession', { session: named, metadata: { remoteAgentHost: 'nowhere' } });
    const away = async (client: RawClient, session: string) =>
      (await summaryOf(client, session))?.metadata?.['away'] ?? null;
    expect(await Promise.all([opened, closed, named].map((one) => away(bob, one)))).toEqual([null, null, null]);
    await north.host.close();
    const told = (session: string, isAway: boolean) =>
      bob.next(({ params }) => {
        const { notification } = params ?? {};
        if (notification?.type !== 'notify/sessionSummaryChanged' || notification.session !== session) return false;
        return (
          notification.changes.metadata?.['away'] === (isAway ? true : undefined) && !!notification.changes.metadata
        );
      });
    await Promise.all([told(opened, true), told(closed, true)]);
    await bob.stateOf(opened);
    await expect.poll(async () => (await bob.stateOf(opened)).summary.metadata).toMatchObject({ away: true });
    expect(await Promise.all([opened, closed, named].map((one) => away(bob, one)))).toEqual([true, true, null]);
    const back = await start(database, 'north');
    // The session that he looks at goes back, and he stays.
    const marks = () => Promise.all([opened, closed, named].map((one) => away(bob, one)));
    await expect.poll(marks, { timeout: 20_000 }).toEqual([null, null, null]);
    const carol = await back.raw('carol');
    expect(await Promise.all([opened, closed, named].map((one) => away(carol, one)))).toEqual([null, null, null]);
  });

  it('reads, searches and forks while its place is away; a message is refused with why', async () => {
    const database = await postgres.server.newDatabase();
    const north = await start(database, 'north');
    const south = await start(database, 'south');
    const session = await made(await north.raw('alice'));
    await north.host.close();
    const bob = await south.raw('bob');
    expect(await turnsOf(bob, session)).toEqual(['first']);
    const refused = await bob.act(message(session, 'second'));
    expect(refused).toMatchObject({
      rejectionReason: 'its machine is away: north; read on, or fork the session to go on elsewhere',
      rejection: { code: 'machineAway' },
    });
    const queued = {
      type: 'session/pendingMessageSet',
      session,
      kind: 'queued',
      id: 'q',
      userMessage: { text: 'hello' },
    };
    expect((await bob.act(queued)).rejection?.code).toBe('machineAway');
    // What needs no agent is accepted.
    const renamed = await bob.act({ type: 'session/titleChanged', session, title: 'North' });
    expect(renamed.rejectionReason).toBeUndefined();
    await expect.poll(async () => (await bob.stateOf(session)).summary.metadata).toMatchObject({ away: true });
    const found = await bob.request<{ items: SessionSummary[] }>('listSessions', { query: 'world' });
    expect(found.items.map(({ resource }) => resource)).toEqual([session]);
    const fork = `mock:/${crypto.randomUUID()}`;
    await bob.request('forkSession', { source: session, session: fork });
    expect(await turnsOf(bob, fork)).toEqual(['first']);
    bob.dispatch(message(fork, 'here'));
    await bob.nextAction(fork, 'session/turnComplete');
    await expect
      .poll(async () => (await bob.stateOf(fork)).summary.metadata, { timeout: 10_000 })
      .toMatchObject({ remoteAgentHost: 'south' });
    expect((await bob.stateOf(fork)).summary.metadata).not.toHaveProperty('away');
  });

  it('goes back to its place when a host of it appears', async () => {
    const database = await postgres.server.newDatabase();
    const north = await start(database, 'north');
    const south = await start(database, 'south');
    const session = await made(await north.raw('alice'));
    await north.host.close();
    const bob = await south.raw('bob');
    expect((await bob.act(message(session, 'second'))).rejection?.code).toBe('machineAway');
    await bob.stateOf(session);
    const back = await start(database, 'north');
    // He stays connected, and is told when it is there.
    await bob.nextAction(session, 'session/metadataChanged', ({ metadata }) => metadata['away'] === null);
    bob.dispatch(message(session, 'third'));
    await bob.nextAction(session, 'session/turnComplete');
    const alice = await back.raw('alice');
    const { turns, summary } = await alice.stateOf(session);
    expect(turns.map(({ id }) => id)).toEqual(['first', 'third']);
    await expect.poll(async () => (await alice.stateOf(session)).summary.metadata).not.toHaveProperty('away');
    expect(summary.metadata).toMatchObject({ remoteAgentHost: 'north' });
  });
});
