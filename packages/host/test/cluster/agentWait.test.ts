import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../../test/support/cleanups.js';
import type { RawClient } from '../../../../test/support/rawClient.js';
import { postgresOfFile } from '../../../../test/support/storage/postgresOfFile.js';
import { rawSession, startTestHost, type TestHost } from '../../../../test/support/testHost.js';
import { AGENT_END_MS } from '../../src/cluster/observedHosts.js';

const postgres = postgresOfFile();
const cleanups = cleanupsOfTests();

async function start(database: string, stateDir?: string): Promise<TestHost> {
  const host = await startTestHost({ database, leaseMs: 2_000, ...(stateDir !== undefined && { stateDir }) });
  cleanups.push(() => host.dispose());
  return host;
}

const message = (session: string, turnId: string) => ({
  type: 'session/turnStarted',
  session,
  turnId,
  userMessage: { text: 'hello' },
});

/** A session whose owner is a host that died before anybody here saw it. */
async function orphan(database: string): Promise<string> {
  const host = await start(database);
  const session = await rawSession([await host.raw('alice')]);
  await host.host.close();
  await postgres.server.query(database, "update agenthost.session set owner = 'dead'");
  return session;
}

async function waits(client: RawClient, session: string): Promise<string> {
  const { activity = '' } = await client.nextAction(session, 'session/activityChanged');
  return activity;
}

describe('a session that was taken from a dead host', () => {
  it('[FEN7] starts its turn when no agent of that host can be at work, and refuses nothing meanwhile', async () => {
    const database = await postgres.server.newDatabase();
    const session = await orphan(database);
    const bob = await (await start(database)).raw('bob');
    const began = performance.now();
    await bob.stateOf(session);
    expect((await bob.act(message(session, 'first'))).rejectionReason).toBeUndefined();
    expect(await waits(bob, session)).toBe(
      'Waiting up to 5 s: the agent of the host that had this session may still run',
    );
    const queued = { type: 'session/pendingMessageSet', session, kind: 'queued', id: 'second' };
    expect((await bob.act({ ...queued, userMessage: { text: 'hello' } })).rejectionReason).toBeUndefined();
    expect(await waits(bob, session)).toBe('');
    expect(performance.now() - began).toBeGreaterThan(AGENT_END_MS - 10);
    for (const turn of ['first', 'second']) {
      await bob.nextAction(session, 'session/turnComplete', ({ turnId }) => turnId === turn);
    }
    expect((await bob.stateOf(session)).turns.map(({ id, state }) => `${id} ${state}`)).toEqual([
      'first complete',
      'second complete',
    ]);
  });

  it('[FEN7] lets a turn be cancelled while it waits', async () => {
    const database = await postgres.server.newDatabase();
    const session = await orphan(database);
    const bob = await (await start(database)).raw('bob');
    const began = performance.now();
    await bob.stateOf(session);
    await bob.act(message(session, 'first'));
    await waits(bob, session);
    await bob.act({ type: 'session/turnCancelled', session, turnId: 'first' });
    expect((await bob.stateOf(session)).summary.activity).toBeUndefined();
    await bob.act(message(session, 'second'));
    await bob.nextAction(session, 'session/turnComplete');
    expect(performance.now() - began).toBeGreaterThan(AGENT_END_MS - 10);
    expect((await bob.stateOf(session)).turns.map(({ state }) => state)).toEqual(['cancelled', 'complete']);
  });

  it('[FEN7] is not given back before that: who takes it next waits as well', async () => {
    const database = await postgres.server.newDatabase();
    const session = await orphan(database);
    const first = await start(database);
    await (await first.raw('alice')).stateOf(session);
    await first.host.close();
    const bob = await (await start(database)).raw('bob');
    await bob.stateOf(session);
    await bob.act(message(session, 'first'));
    expect(await waits(bob, session)).toMatch(/^Waiting up to/);
  });
});

describe('a session that nobody can be at work in', () => {
  it('[FEN7] starts its turn at once: its host gave it back', async () => {
    const database = await postgres.server.newDatabase();
    const first = await start(database);
    const session = await rawSession([await first.raw('alice')]);
    await first.host.close();
    const bob = await (await start(database)).raw('bob');
    await bob.stateOf(session);
    await bob.act(message(session, 'first'));
    await bob.nextAction(session, 'session/turnComplete');
    expect(bob.envelopes.some(({ action }) => action.type === 'session/activityChanged')).toBe(false);
  });

  it('[FEN7] starts its turn at once: its host had the same folder, and its agents were ended here', async () => {
    const database = await postgres.server.newDatabase();
    const stateDir = await cleanups.folder();
    const first = await start(database, stateDir);
    const session = await rawSession([await first.raw('alice')]);
    await first.host.close();
    // As if it was killed.
    await postgres.server.query(
      database,
      `insert into agenthost.host (id, place, machine, state_dir, version, link_key)
       values ('killed', 'here', '${hostname()}', '${stateDir}', '0', 'key')`,
    );
    await postgres.server.query(database, "update agenthost.session set owner = 'killed'");
    const bob = await (await start(database, stateDir)).raw('bob');
    await bob.stateOf(session);
    await bob.act(message(session, 'first'));
    await bob.nextAction(session, 'session/turnComplete');
    expect(bob.envelopes.some(({ action }) => action.type === 'session/activityChanged')).toBe(false);
  });
});
