import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentSource } from '@agenthost/host';
import { ROOT_URI, type RootState, type ShareSessionResult } from '@agenthost/protocol';
import {
  CLIENT_ACTION_TYPES,
  COMMAND_INTRODUCED_IN,
  type InitializeResult,
  isAllowedByLink,
  type ReconnectResult,
} from '@agenthost/protocol/internal';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type RawAddress, RawClient } from '../../support/rawClient.js';
import { postgresOfFile } from '../../support/storage/postgresOfFile.js';
import { startTestHost } from '../../support/testHost.js';
import { makeSession, SpaceWorld, WORLDS } from '../spaces/spaceWorlds.js';

// Whoever has a read-only link to a session sees that session until the link ends, and nothing else.

const postgres = postgresOfFile();
let world: SpaceWorld | undefined;
const clients: RawClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.end();
  await world?.dispose();
  world = undefined;
});

const HOUR = 3_600_000;
const idOf = (uri: string) => uri.slice(uri.indexOf(':/') + 2);

/** Other spellings of a session's URI, and what lies around it. */
const disguised = (uri: string): readonly string[] => [
  uri.toUpperCase(),
  `MOCK:/${idOf(uri)}`,
  `${uri}/`,
  `${uri}//`,
  `${uri}#x`,
  `${uri}?x`,
  ` ${uri}`,
  `${uri}\u0000`,
  `mock:/%${idOf(uri).charCodeAt(0).toString(16)}${idOf(uri).slice(1)}`,
  `mock:/./${idOf(uri)}`,
  `mock://${idOf(uri)}`,
  `shell:/${idOf(uri)}`,
];

describe.each(WORLDS)('a read-only link, %s', (kind) => {
  const start = async () => {
    world = await SpaceWorld.start(kind, postgres.server);
    const owner = await world.open('default', world.owner);
    const session = await makeSession(owner, 'the shown one');
    const secret = await makeSession(owner, 'secret plans');
    return { at: world, owner, session, secret };
  };
  /** Waits until the host has noticed the token. */
  const connect = async (at: SpaceWorld, token: string): Promise<RawClient> => {
    for (;;) {
      const client = await RawClient.open({ url: at.other.url, token }).catch(() => undefined);
      if (!client) continue;
      clients.push(client);
      return client;
    }
  };
  const open = async (at: SpaceWorld, token: string, more: object = {}) => {
    const client = await connect(at, token);
    const params = { protocolVersion: 2, clientId: crypto.randomUUID(), ...more };
    return { client, welcome: await client.request<InitializeResult>('initialize', params) };
  };
  const share = (owner: RawClient, session: string, validMs = HOUR) =>
    owner.request<ShareSessionResult>('shareSession', { session, validMs, name: 'Fix “the” login!' });

  it('[SHARE1] shows its session: state, turns, what follows, a reconnect; also after a restart', async () => {
    const { at, owner, session } = await start();
    const { token, endsAt, device } = await share(owner, session);
    expect(device).toMatchObject({ name: 'Link to Fix the login', role: 'viewer', shared: { session, endsAt } });
    const { client, welcome } = await open(at, token, { initialSubscriptions: [session] });
    expect(welcome).toMatchObject({ role: 'viewer', shared: { session, endsAt } });
    expect(welcome.snapshots).toMatchObject([{ resource: session, state: { summary: { title: 'the shown one' } } }]);
    expect(await client.request('fetchTurns', { session, range: { limit: 5 } })).toMatchObject({
      turns: [{ id: 'first' }],
    });
    await client.request('fetchParts', { session, turnId: 'first', limit: 5 });
    await client.request('fetchEvents', { session, limit: 5 });
    await client.request('listArtifacts', { session });
    await owner.act({ type: 'session/titleChanged', session, title: 'renamed' });
    await client.nextAction(session, 'session/titleChanged', ({ title }) => title === 'renamed');

    const again = await connect(at, token);
    const params = {
      protocolVersion: 2,
      clientId: crypto.randomUUID(),
      lastSeenServerSeq: 0,
      subscriptions: [session],
    };
    expect(await again.request('reconnect', params)).toMatchObject({ missing: [], shared: { session } });

    await at.restart();
    const { client: later } = await open(at, token);
    expect((await later.stateOf(session)).summary.title).toBe('renamed');
  });

  it('[SHARE2] has no way to another session, by any command, name or handshake', async () => {
    const { at, owner, session, secret } = await start();
    await owner.request('forkSession', { source: session, session: 'mock:/its-fork' });
    const { token } = await share(owner, session);
    const { client, welcome } = await open(at, token, { initialSubscriptions: [secret, 'mock:/its-fork', session] });
    expect(welcome.snapshots.map(({ resource }) => resource)).toEqual([session]);
    for (const uri of [secret, 'mock:/its-fork', ...disguised(secret), ...disguised(session)]) {
      const asks: readonly (readonly [string, object])[] = [
        ['subscribe', { resource: uri }],
        ['fetchTurns', { session: uri, range: { limit: 5 } }],
        ['fetchParts', { session: uri, turnId: 'first', limit: 5 }],
        ['fetchEvents', { session: uri, limit: 5 }],
        ['listArtifacts', { session: uri }],
        ['fetchContent', { uri: `mock://${idOf(uri)}/some-content` }],
      ];
      for (const [method, params] of asks) {
        const { result, error } = await client.ask(method, params);
        expect([uri, method, result]).toEqual([uri, method, undefined]);
        expect(error?.message).not.toContain('secret plans');
      }
      const again = await connect(at, token);
      const params = { protocolVersion: 2, clientId: crypto.randomUUID(), lastSeenServerSeq: 0, subscriptions: [uri] };
      const resumed = await again.request<ReconnectResult>('reconnect', params);
      expect(resumed.missing).toEqual([uri]);
      expect(JSON.stringify(resumed)).not.toContain('secret plans');
      await again.end();
    }
  });

  it('[SHARE2] lists, searches, writes, pairs and subscribes to nothing', async () => {
    const { at, owner, session, secret } = await start();
    const { token } = await share(owner, session);
    const { client } = await open(at, token, { initialSubscriptions: [session] });
    const forbidden = Object.keys(COMMAND_INTRODUCED_IN).filter((method) => !isAllowedByLink(method));
    expect(forbidden.length).toBeGreaterThan(20);
    for (const method of forbidden) {
      for (const params of [{}, { session }, { session: secret, filter: { text: 'secret' }, validMs: HOUR }]) {
        const { error, result } = await client.ask(method, params);
        expect([method, result, error?.code]).toEqual([method, undefined, -32009]);
      }
    }
    for (const type of CLIENT_ACTION_TYPES) {
      for (const uri of [session, secret]) {
        const envelope = await client.act({ type, session: uri, turnId: 'first', title: 'mine', isArchived: true });
        expect(envelope.rejection).toMatchObject({ code: 'roleNotAllowed' });
      }
    }
    const page = await fetch(new URL('/pair', at.other.url), { headers: { authorization: `Pair ${token}` } });
    expect(page.status).toBe(401);
  });

  it('[SHARE2] hears of its own session only, and gets no root of the host, also by replay', async () => {
    const { at, owner, session, secret } = await start();
    const { token } = await share(owner, session);
    const { client, welcome } = await open(at, token, { initialSubscriptions: [ROOT_URI, session] });
    const root = welcome.snapshots.find(({ resource }) => resource === ROOT_URI)?.state as RootState;
    expect(root.agents).toMatchObject([{ provider: 'mock', models: [] }]);
    expect(welcome.defaultDirectory).toBeUndefined();
    expect(Object.keys(welcome.serverInfo).toSorted()).toEqual(['instanceId', 'name', 'version']);
    await owner.act({ type: 'session/titleChanged', session: secret, title: 'secret title' });
    await makeSession(owner, 'another secret');
    await owner.request('disposeSession', { session: secret });
    await owner.act({ type: 'session/titleChanged', session, title: 'told' });
    await client.next(({ params }) => params?.notification?.type === 'notify/sessionSummaryChanged', 'the title');
    await client.fence();
    const about = new Set(client.notifications.map((one) => ('session' in one ? one.session : one.type)));
    expect([...about]).toEqual([session]);
    expect(client.envelopes.every(({ action }) => 'session' in action && action.session === session)).toBe(true);
  });

  it('[SHARE3] ends at once when it is revoked, and when its time is over', async () => {
    const { at, owner, session } = await start();
    const { token, device } = await share(owner, session);
    const { client } = await open(at, token);
    const { client: of2 } = await open(at, (await share(owner, session)).token);
    await owner.request('removeDevice', { device: device.id });
    expect(await client.closed).toMatchObject({ code: 4401, reason: 'the token was revoked' });
    await of2.stateOf(session);

    const short = await share(owner, session, 2_000);
    const { client: brief } = await open(at, short.token);
    expect(await brief.closed).toMatchObject({ code: 4401, reason: 'the link has ended' });
    expect(Date.now()).toBeGreaterThanOrEqual(short.endsAt);
    const late = await RawClient.open({ url: at.other.url, token: short.token }).then(() => 'open', String);
    expect(late).toContain('401');
    const { items } = await owner.request<{ items: { id: string }[] }>('listDevices');
    expect(items.some(({ id }) => id === short.device.id)).toBe(false);
  });
});

describe('a read-only link', () => {
  it('[SHARE2] reads the content of its session, of a fork its copy, and of no other session', async () => {
    world = await SpaceWorld.start('in a folder', postgres.server);
    const owner = await world.open('default');
    const paste = async (title: string) => {
      const session = await makeSession(owner, title);
      const userMessage = { text: 'pasted '.repeat(50_000) };
      owner.dispatch({ type: 'session/turnStarted', session, turnId: 'second', userMessage });
      await owner.nextAction(session, 'session/turnComplete', ({ turnId }) => turnId === 'second');
      return session;
    };
    const contentOf = async (session: string) =>
      /mock:\/\/[^"\\]+/.exec(JSON.stringify(await owner.stateOf(session)))?.[0] ?? '';
    const [shown, secret] = [await paste('shown'), await paste('secret')];
    const fork = 'mock:/a-fork';
    await owner.request('forkSession', { source: shown, session: fork });
    for (const session of [shown, fork]) {
      const { token } = await owner.request<ShareSessionResult>('shareSession', { session, validMs: HOUR });
      const client = await RawClient.open({ url: world.other.url, token });
      clients.push(client);
      await client.request('initialize', { protocolVersion: 2, clientId: crypto.randomUUID() });
      const own = await contentOf(session);
      expect(await client.request('fetchContent', { uri: own })).toMatchObject({ size: expect.any(Number) });
      for (const other of [shown, fork, secret].filter((one) => one !== session)) {
        const uri = await contentOf(other);
        expect(uri).toContain(idOf(other));
        for (const one of [
          uri,
          uri.replace('mock://', 'MOCK://'),
          uri.replace(idOf(other), `${idOf(session)}/../${idOf(other)}`),
        ])
          expect(await client.refusal('fetchContent', { uri: one })).toMatchObject({
            message: expect.stringContaining('no content'),
          });
      }
    }
  });

  it('[SHARE2] is not sent what changes in the root of the host, also not by replay', async () => {
    let registry: Parameters<AgentSource['start']>[0]['registry'] | undefined;
    const source: AgentSource = {
      start: async (context) => {
        registry = context.registry;
        return { dispose: () => {} };
      },
    };
    const host = await startTestHost({ agentSources: [source] });
    try {
      const owner = await RawClient.open(host);
      await owner.request('initialize', { protocolVersion: 2, clientId: 'owner', initialSubscriptions: [ROOT_URI] });
      const session = await makeSession(owner, 'mine');
      const { token } = await owner.request<ShareSessionResult>('shareSession', { session, validMs: HOUR });
      const client = await RawClient.open({ url: host.url, token });
      const { serverSeq, serverInfo } = await client.request<InitializeResult>('initialize', {
        protocolVersion: 2,
        clientId: 'reader',
        initialSubscriptions: [ROOT_URI, session],
      });
      await registry?.remove('shell');
      await owner.nextEnvelope(({ action }) => action.type === 'root/agentsChanged');
      await client.fence();
      expect(client.envelopes.filter(({ action }) => action.type.startsWith('root/'))).toEqual([]);
      const resume = (address: RawAddress, clientId: string) =>
        RawClient.open(address).then((one) =>
          one.request<ReconnectResult>('reconnect', {
            protocolVersion: 2,
            clientId,
            instanceId: serverInfo.instanceId,
            lastSeenServerSeq: serverSeq,
            subscriptions: [ROOT_URI, session],
          }),
        );
      expect(JSON.stringify(await resume(host, 'owner'))).toContain('root/agentsChanged');
      const resumed = await resume({ url: host.url, token }, 'reader');
      expect(resumed.type).toBe('replay');
      expect(JSON.stringify(resumed)).not.toContain('root/agentsChanged');
    } finally {
      await host.dispose();
    }
  });

  it('[SHARE2] does not open the gateway of AHP clients', async () => {
    const reached: string[] = [];
    const route = { path: '/ahp', tokenParameter: 'token', onConnection: () => reached.push('in') };
    const host = await startTestHost({}, { socketRoutes: [route] });
    try {
      const owner = await host.raw('owner');
      const session = await makeSession(owner, 'mine');
      const { token } = await owner.request<ShareSessionResult>('shareSession', { session, validMs: HOUR });
      for (const [address, headers] of [
        [`/ahp?token=${token}`, {}],
        ['/ahp', { authorization: `Bearer ${token}` }],
      ] as const) {
        const socket = new WebSocket(new URL(address, host.url).href.replace(/^http/, 'ws'), { headers });
        expect(await once(socket, 'open').then(() => 'open', String)).toContain('401');
      }
      expect(reached).toEqual([]);
    } finally {
      await host.dispose();
    }
  });

  it('[SHARE2] is made by an owner only, of a session that the owner sees', async () => {
    world = await SpaceWorld.start('in a folder', postgres.server);
    const owner = await world.open('default');
    const session = await makeSession(owner, 'mine');
    for (const role of ['viewer', 'approver', 'driver'] as const) {
      const token = await world.tokenOf('default', role);
      await expect
        .poll(() => RawClient.open({ url: world?.other.url as URL, token }).then((one) => one.end(), String))
        .toBe(undefined);
      const client = await RawClient.open({ url: world.other.url, token });
      clients.push(client);
      await client.request('initialize', { protocolVersion: 2, clientId: crypto.randomUUID() });
      expect(await client.refusal('shareSession', { session, validMs: HOUR })).toMatchObject({ code: -32009 });
    }
    const stranger = await world.open('design');
    expect(await stranger.refusal('shareSession', { session, validMs: HOUR })).toMatchObject({
      message: `no session ${session}`,
    });
    expect(await owner.refusal('shareSession', { session: 'mock:/none', validMs: HOUR })).toMatchObject({
      message: 'no session mock:/none',
    });
  });

  it('[SHARE4] is kept where hosts that know no links do not look, as a hash', async () => {
    world = await SpaceWorld.start('in a folder', postgres.server);
    const owner = await world.open('default');
    const session = await makeSession(owner, 'mine');
    const { token } = await owner.request<ShareSessionResult>('shareSession', { session, validMs: HOUR });
    const file = (name: string) => readFile(join((world as SpaceWorld).owner.stateDir, name), 'utf8');
    expect(await file('link-tokens.json')).toContain(session);
    expect(await file('link-tokens.json')).not.toContain(token);
    expect(await file('tokens.json')).not.toContain(session);
  });

  it('[SHARE2] serves a client of version 1, takes no id of another client, and ends with its session', async () => {
    world = await SpaceWorld.start('in a folder', postgres.server);
    const owner = await world.open('default', world.owner, { clientId: 'the-owner' });
    const session = await makeSession(owner, 'mine');
    const { token } = await owner.request<ShareSessionResult>('shareSession', { session, validMs: HOUR });
    const client = await RawClient.open({ url: world.other.url, token });
    clients.push(client);
    const taken = await client.refusal('initialize', { protocolVersion: 2, clientId: 'the-owner' });
    expect(taken.message).toContain('belongs to somebody else');
    const welcome = await client.request<InitializeResult>('initialize', { protocolVersion: 1, clientId: 'old' });
    expect(welcome.shared).toBeUndefined();
    expect((await client.stateOf(session)).summary.title).toBe('mine');
    await owner.request('disposeSession', { session });
    expect(await client.closed).toMatchObject({ code: 4401 });
    // Another session under the same name is not shown by the old link.
    await owner.request('createSession', { session });
    expect(await RawClient.open({ url: world.other.url, token }).then(() => 'open', String)).toContain('401');
  });

  it('[SHARE2] keeps its role, and there are at most 100 of them', async () => {
    world = await SpaceWorld.start('in a folder', postgres.server);
    const owner = await world.open('default');
    const session = await makeSession(owner, 'mine');
    const share = (validMs: number) => owner.ask('shareSession', { session, validMs });
    const made = (await share(HOUR)).result as ShareSessionResult;
    expect(await owner.refusal('updateDevice', { device: made.device.id, role: 'owner' })).toMatchObject({
      message: 'Link to a session is a read-only link: it has no other role.',
    });
    for (let n = 1; n < 100; n++) expect((await share(HOUR)).error).toBeUndefined();
    expect((await share(HOUR)).error?.message).toBe('There are 100 links already.');
    await owner.request('removeDevice', { device: made.device.id });
    expect((await share(HOUR)).error).toBeUndefined();
  });
});
