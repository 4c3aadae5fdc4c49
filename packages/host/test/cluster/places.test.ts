import type { SessionSummary } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import type { RawClient } from '../../../../test/support/rawClient.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { startTestHost, type TestHost } from '../../../../test/support/testHost.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

async function start(database: string, place: string): Promise<TestHost> {
  const host = await startTestHost({ database, place, leaseMs: 1_000 });
  cleanups.push(() => host.dispose());
  return host;
}

const message = (session: string, turnId: string, text = 'hello') => ({
  type: 'session/turnStarted',
  session,
  turnId,
  userMessage: { text },
});

/** A session with one turn, made by that client. */
async function made(client: RawClient): Promise<string> {
  const session = `mock:/${crypto.randomUUID()}`;
  await client.request('createSession', { session });
  if ((await client.stateOf(session)).lifecycle === 'creating') await client.nextAction(session, 'session/ready');
  client.dispatch(message(session, 'first'));
  await client.nextAction(session, 'session/turnComplete');
  return session;
}

const turnsOf = async (client: RawClient, session: string) => (await client.stateOf(session)).turns.map(({ id }) => id);

async function summaryOf(client: RawClient, session: string): Promise<SessionSummary | undefined> {
  const { items } = await client.request<{ items: SessionSummary[] }>('listSessions', {});
  return items.find(({ resource }) => resource === session);
}

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
    expect(await bob.closed).toMatchObject({ code: 4409 });
    const again = await south.raw('bob');
    expect(await turnsOf(again, session)).toEqual(['first']);
    again.dispatch(message(session, 'second'), 10);
    await again.nextAction(session, 'session/turnComplete');
    const alice = await back.raw('alice');
    const { turns, summary } = await alice.stateOf(session);
    expect(turns.map(({ id }) => id)).toEqual(['first', 'second']);
    await expect.poll(async () => (await alice.stateOf(session)).summary.metadata).not.toHaveProperty('away');
    expect(summary.metadata).toMatchObject({ remoteAgentHost: 'north' });
  });
});
