import type { SessionState, Snapshot } from '@agenthost/protocol';
import type { ReconnectResult } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { rawSession, startTestHost, type TestHost } from '../../support/testHost.js';

/** Clients of version 1 and 2 on one host: `session/modeChanged` and `notify/storageChanged` came with version 2. */
describe('clients of an older version', () => {
  let host: TestHost;
  const opened: RawClient[] = [];

  beforeEach(async () => {
    host = await startTestHost();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((client) => client.end()));
    await host.dispose();
  });

  async function open(): Promise<RawClient> {
    const client = await RawClient.open(host);
    opened.push(client);
    return client;
  }

  async function ofVersion(protocolVersion: number, clientId = `client of version ${protocolVersion}`) {
    const client = await open();
    const { protocolVersion: agreed } = await client.request<{ protocolVersion: number }>('initialize', {
      protocolVersion,
      clientId,
    });
    expect(agreed).toBe(protocolVersion);
    return client;
  }

  /** Puts the mock agent into a mode; resolves when the turn has ended for all clients. */
  async function changeMode(session: string, sender: RawClient, others: readonly RawClient[], mode: string) {
    const turnId = crypto.randomUUID();
    await sender.act({ session, type: 'session/turnStarted', turnId, userMessage: { text: `mode ${mode}` } });
    for (const client of [sender, ...others]) {
      await client.nextAction(session, 'session/turnComplete', (action) => action.turnId === turnId);
    }
  }

  const typesOf = (client: RawClient) => client.envelopes.map(({ action }) => action.type);

  it('[VER6] get no actions of a newer one, and see their effect in a snapshot', async () => {
    const [older, newer] = [await ofVersion(1), await ofVersion(2)];
    const session = await rawSession([older, newer]);
    await changeMode(session, newer, [older], 'plan Planning');

    expect(newer.envelopes.map(({ action }) => action)).toContainEqual(
      expect.objectContaining({ type: 'session/modeChanged', mode: { id: 'plan', name: 'Planning' } }),
    );
    expect(typesOf(older)).not.toContain('session/modeChanged');
    const late = await ofVersion(1, 'a late client');
    const { state } = await late.request<Snapshot>('subscribe', { resource: session });
    expect((state as SessionState).summary.mode).toEqual({ id: 'plan', name: 'Planning' });
  });

  it.each([
    ['that it names', 1],
    ['that it agreed on before', undefined],
  ])('[VER6] get only what the version %s knows in a replay', async (_, protocolVersion) => {
    const [older, newer] = [await ofVersion(1), await ofVersion(2)];
    const session = await rawSession([older, newer]);
    await older.fence();
    const lastSeenServerSeq = Math.max(...older.envelopes.map(({ serverSeq }) => serverSeq));
    await older.end();
    await changeMode(session, newer, [], 'plan');

    const reconnect = async (clientId: string) =>
      (await open()).request<ReconnectResult>('reconnect', {
        clientId,
        instanceId: host.host.instanceId,
        lastSeenServerSeq,
        subscriptions: [session],
        ...(protocolVersion !== undefined && clientId === 'client of version 1' && { protocolVersion }),
      });
    const replayed = await reconnect('client of version 1');
    expect(replayed).toMatchObject({ type: 'replay', protocolVersion: 1 });
    const types = replayed.type === 'replay' ? replayed.actions.map(({ action }) => action.type) : [];
    expect(types).toContain('session/turnComplete');
    expect(types).not.toContain('session/modeChanged');

    const toNewer = await reconnect('client of version 2');
    expect(toNewer.type === 'replay' && toNewer.actions.map(({ action }) => action.type)).toContain(
      'session/modeChanged',
    );
  });

  it('[VER6] count as the oldest version when they reconnect without having named one', async () => {
    const result = await (await open()).request<ReconnectResult>('reconnect', {
      clientId: 'a stranger',
      lastSeenServerSeq: 0,
      subscriptions: [],
    });
    expect(result.protocolVersion).toBe(1);
  });

  it('[VER6] get no notifications of a newer one', async () => {
    const [older, newer] = [await ofVersion(1), await ofVersion(2)];
    const keeper = await ofVersion(2, 'the client that keeps the files');
    await keeper.request('sessionFs.setProvider', {
      initialCwd: host.stateDir,
      sessionStatePath: '/state',
      conventions: 'posix',
    });
    await keeper.end();
    for (const storage of ['client', 'gone']) {
      await newer.next(
        ({ params }) =>
          params?.notification?.type === 'notify/storageChanged' && params.notification.storage === storage,
        `storage is ${storage}`,
      );
    }
    await older.fence();
    expect(older.notifications.map(({ type }) => type)).not.toContain('notify/storageChanged');
  });
});
