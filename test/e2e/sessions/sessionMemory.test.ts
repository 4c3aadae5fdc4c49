import { ERROR_CODE } from '@agenthost/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import type { RawClient } from '../../support/rawClient.js';
import { endedTurn } from '../../support/samples.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';

const MIB = 1024 * 1024;

/** Issue 17, point 22: what loaded sessions take of the memory is bounded. */
describe('sessions in memory', () => {
  let host: TestHost;
  afterEach(() => host.dispose());

  /** About a mebibyte each. */
  async function makeSessions(client: RawClient, count: number): Promise<string[]> {
    const sessions = Array.from({ length: count }, () => `mock:/${crypto.randomUUID()}`);
    for (const session of sessions) {
      const turns = Array.from({ length: 4 }, (_, n) => endedTurn(n, 'x'.repeat(MIB / 4)));
      await client.request('importSession', { session, turns });
    }
    return sessions;
  }

  it('[MEM1] are unloaded when others need room, and are the same when they are loaded again', async () => {
    host = await startTestHost({ maxSessionBytes: 12 * MIB });
    const client = await host.raw('client');
    const sessions = await makeSessions(client, 24);
    for (const session of [...sessions, ...sessions.toReversed()]) {
      const { turns } = await client.stateOf(session);
      expect(turns.map(({ id }) => id)).toEqual(['t0', 't1', 't2', 't3'].slice(-turns.length));
      client.notify('unsubscribe', { resource: session });
    }
  });

  it('[MEM2] are refused with a reason when all loaded ones are in use; later they are loaded', async () => {
    host = await startTestHost({ maxSessionBytes: 5 * MIB });
    const client = await host.raw('client');
    const sessions = await makeSessions(client, 12);
    const refused: string[] = [];
    for (const resource of sessions) {
      const { error } = await client.ask('subscribe', { resource });
      if (!error) continue;
      refused.push(resource);
      expect(error.code).toBe(ERROR_CODE.tooManyRequests);
      expect(error.message).toMatch(/^the sessions in memory take all of the 5 MiB that they may/);
    }
    expect(refused.length).toBeGreaterThan(1);
    expect(refused.length).toBeLessThan(10);
    // Loaded sessions continue, and a list needs nothing in memory.
    const [used = '', other = ''] = sessions;
    await client.act({ type: 'session/titleChanged', session: used, title: 'Still here' });
    expect(await client.request('listSessions', {})).toMatchObject({ total: 12 });
    const made = await client.refusal('createSession', { session: `mock:/${crypto.randomUUID()}` });
    expect(made.code).toBe(ERROR_CODE.tooManyRequests);
    for (const resource of [used, other]) client.notify('unsubscribe', { resource });
    const { turns } = await client.stateOf(refused[0] ?? '');
    expect(turns.at(-1)?.id).toBe('t3');
  });

  it('[MEM1] stay for a handshake that names too many: those without room are missing, and no client is disconnected', async () => {
    host = await startTestHost({ maxSessionBytes: 5 * MIB });
    const sessions = await makeSessions(await host.raw('maker'), 20);
    const client = await host.connect({ clientId: 'many' });
    const opened = await Promise.allSettled(sessions.map((uri) => client.openSession(uri)));
    const isOpen = opened.filter(({ status }) => status === 'fulfilled').length;
    // How many depends on how many are being loaded at the same time: those count as well.
    expect(isOpen).toBeGreaterThan(1);
    expect(isOpen).toBeLessThan(12);
    await client.ping();
    expect(client.connection.value.state).toBe('connected');
  });

  it('[MEM1] count running turns, and a single one is always possible', async () => {
    host = await startTestHost({ maxSessionBytes: 1 });
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock' });
    await session.send('hello');
    await expect(client.createSession({ provider: 'mock' })).rejects.toThrow('take all of the 0 MiB');
    session.close();
  });
});
