import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AhpTestClient } from '../support/ahpClient.js';
import {
  type AhpTestHost,
  ahpSession,
  ahpSubscribe,
  ahpTurn,
  startAhpHost,
  withStubAgents,
} from '../support/ahpHost.js';

let host: AhpTestHost;
beforeAll(async () => {
  host = await startAhpHost({}, await withStubAgents());
});
afterAll(() => host.dispose());

/** What VS Code 1.139 sends for every agent, although the schema that it was given is empty. */
const VSCODE_CONFIG = { isolation: 'folder', autoApprove: 'default', mode: 'interactive' };

async function listed(client: AhpTestClient): Promise<string[]> {
  const { items } = await client.request('listSessions', {});
  return items.map(({ resource }: { resource: string }) => resource);
}

describe('createSession', () => {
  it.each(['moded', 'plain', 'mock'])(
    'ignores options that the schema does not offer, for the agent %j',
    async (provider) => {
      const client = await host.client(`adds to ${provider}`);
      const { session, chat } = await ahpSession(client, provider, { config: VSCODE_CONFIG });
      await client.act(chat, ahpTurn('model'));
      await client.action('chat/turnComplete');
      const { snapshots } = await ahpSubscribe(client, session);
      expect(snapshots.session.state).toMatchObject({ lifecycle: 'ready' });
      expect(snapshots.chat.state.turns).toMatchObject([{ state: 'complete' }]);
    },
  );

  it.each([null, 'text', 7, [], { mode: { deep: true } }, { __proto__: 1 }])(
    'treats %j as no config',
    async (config) => {
      const client = await host.client('odd config');
      const { snapshots } = await ahpSession(client, 'mock', { config });
      expect(snapshots.session.state.lifecycle).toMatch(/creating|ready/);
    },
  );
});

describe('the form ahp-session:/<id>', () => {
  const create = async (client: AhpTestClient, provider = 'mock') => {
    const channel = `ahp-session:/${crypto.randomUUID()}`;
    await client.request('createSession', { channel, provider });
    return { channel, ...(await ahpSubscribe(client, channel)) };
  };

  it("is the session's name in everything that its client gets", async () => {
    const client = await host.client('speaks as specified');
    const { channel, chat, snapshots } = await create(client);
    expect(snapshots.session.resource).toBe(channel);
    expect(snapshots.session.state).toMatchObject({ provider: 'mock', defaultChat: chat });
    for (const { uriTemplate } of snapshots.session.state.changesets) expect(uriTemplate).toContain(channel);
    await client.act(chat, ahpTurn('hello'));
    const added = await client.notification('root/sessionAdded');
    expect(added.summary).toMatchObject({ resource: channel, provider: 'mock' });
    const told = await client.action('session/chatUpdated');
    expect(told).toMatchObject({ channel, action: { chat } });
    await client.action('chat/turnComplete');
    expect(await listed(client)).toContain(channel);
    const renamed = await client.act(channel, { type: 'session/titleChanged', title: 'Named' });
    expect(renamed).toMatchObject({ channel, action: { title: 'Named' } });
    const changed = await client.notification('root/sessionSummaryChanged', ({ changes }) => changes.title === 'Named');
    expect(changed.session).toBe(channel);
    expect(await client.request('fetchTurns', { channel: chat })).toEqual({});
    await client.request('subscribe', { channel: `${channel}/changeset/session` });
    await client.request('disposeSession', { channel });
    expect((await client.notification('root/sessionRemoved')).session).toBe(channel);
    const frames = JSON.stringify(client.received);
    expect(frames).not.toContain(channel.replace('ahp-session:/', 'mock:/'));
  });

  it('is the same session as <provider>:/<id> for other clients', async () => {
    const [one, other] = [await host.client('specified'), await host.client('by provider')];
    const { channel, chat } = await create(one);
    await one.act(chat, ahpTurn('hello'));
    await one.action('chat/turnComplete');
    const uri = channel.replace('ahp-session:', 'mock:');
    expect(await listed(other)).toContain(uri);
    const { snapshots } = await ahpSubscribe(other, uri);
    expect(snapshots.chat.state.turns).toHaveLength(1);
    const ours = await (await host.connect()).openSession(uri);
    expect(ours.confirmed.value.turns).toHaveLength(1);
  });

  it('is found by a client that does not know it, and after a reconnect', async () => {
    const maker = await host.client('makes');
    const { channel, chat } = await create(maker, 'plain');
    await maker.act(chat, ahpTurn('hello'));
    await maker.action('chat/turnComplete');
    const later = await host.client('finds');
    const found = await ahpSubscribe(later, channel);
    expect(found.snapshots.session).toMatchObject({ resource: channel, state: { provider: 'plain' } });
    await later.end();
    const back = await host.open();
    const subscriptions = [channel, found.chat];
    const answer = await back.request('reconnect', { clientId: 'finds', lastSeenServerSeq: 0, subscriptions });
    expect(answer).toMatchObject({ type: 'snapshot', missing: [] });
    expect(answer.snapshots.map(({ resource }: { resource: string }) => resource)).toEqual(subscriptions);
    expect(await back.act(channel, { type: 'session/titleChanged', title: 'Back' })).toMatchObject({ channel });
    expect(await listed(back)).toContain(channel);
  });

  it('names all sessions for a client that asks for it in the handshake', async () => {
    const ours = await host.connect();
    const session = await ours.createSession({ provider: 'mock' });
    const client = await host.open();
    await client.request('initialize', {
      clientId: 'newest',
      protocolVersions: ['1.0.0', '0.9.0'],
      _meta: { 'vscode.ahpSessionUris': true },
    });
    const uri = session.uri.replace('mock:', 'ahp-session:');
    expect(await listed(client)).toContain(uri);
    expect((await ahpSubscribe(client, uri)).snapshots.session.state.provider).toBe('mock');
  });

  it('needs an existing provider, and a free id', async () => {
    const client = await host.client('misses');
    const channel = `ahp-session:/${crypto.randomUUID()}`;
    expect(await client.refusal('createSession', { channel })).toMatchObject({ code: -32602 });
    expect(await client.refusal('createSession', { channel, provider: 'nobody' })).toMatchObject({ code: -32002 });
    expect(await client.refusal('subscribe', { channel })).toMatchObject({ code: -32001 });
    expect(await client.refusal('disposeSession', { channel })).toMatchObject({ code: -32001 });
    expect(await client.act(channel, { type: 'session/titleChanged', title: 'x' })).toHaveProperty('rejectionReason');
    await client.request('createSession', { channel, provider: 'mock' });
    expect(await client.refusal('createSession', { channel, provider: 'mock' })).toMatchObject({ code: -32003 });
  });
});

describe('a session without a message', () => {
  it('is in none of our lists or notifications, and hidden from other AHP clients', async () => {
    const ours = await host.connect();
    const heard: unknown[] = [];
    ours.onNotification((event) => heard.push(event));
    const [maker, other] = [await host.client('picks an agent'), await host.client('looks at the list')];
    const before = (await ours.listSessions()).total;
    const { session, chat } = await ahpSession(maker);
    await maker.act(session, { type: 'session/titleChanged', title: 'Not yet' });
    expect((await ours.listSessions({ limit: 500 })).items.map(({ resource }) => resource)).not.toContain(session);
    expect((await ours.listSessions()).total).toBe(before);
    expect(await listed(other)).not.toContain(session);
    expect(await listed(maker)).not.toContain(session);
    expect(JSON.stringify([heard, other.received])).not.toContain(session);
    await maker.act(chat, ahpTurn('hello'));
    await other.notification('root/sessionAdded', ({ summary }) => summary.resource === session);
    expect((await ours.listSessions({ limit: 500 })).items.map(({ resource }) => resource)).toContain(session);
    expect(heard).toContainEqual(expect.objectContaining({ type: 'notify/sessionAdded' }));
  });

  it('never leaves a page with a cursor empty', async () => {
    const client = await host.client('pages');
    const ours = await host.connect();
    for (let n = 0; n < 3; n++) {
      await ours.createSession({ provider: 'mock' });
      await ahpSession(client);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.request('listSessions', { limit: 1, ...(cursor !== undefined && { cursor }) });
      expect(page.items).toHaveLength(1);
      seen.push(page.items[0].resource);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe((await ours.listSessions()).total);
  });
});
