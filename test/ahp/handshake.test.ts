import { AHP_VERSIONS } from '@agenthost/ahp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type AhpTestHost, ahpSession, ahpSubscribe, ahpTurn, startAhpHost } from '../support/ahpHost.js';

let host: AhpTestHost;
beforeAll(async () => {
  host = await startAhpHost({ maxReplayEnvelopes: 40, maxConnections: 20 });
});
afterAll(() => host.dispose());

it('takes the best common version, whatever the order', async () => {
  const client = await host.open();
  const hello = await client.initialize('offers', ['0.5.1', '99.0.0', '0.9.0', '1.0.0']);
  expect(hello).toMatchObject({ protocolVersion: '1.0.0', serverInfo: { name: 'agenthost' } });
});

it.each([
  [['1.1.0', '1.0.0'], '1.1.0'],
  [['1.7.3', '0.9.0'], '1.7.3'],
  [['0.9.1'], '0.9.1'],
  [['0.9.12', '0.9.2'], '0.9.12'],
  [['0.5.9', 'latest', '^0.9.0', '01.0.0', '1.0'], '0.5.9'],
])('accepts every compatible version: of %j it takes %j', async (offers, version) => {
  const client = await host.open();
  expect(await client.initialize('newer', offers)).toMatchObject({ protocolVersion: version });
});

it.each([[['2.0.0']], [['0.11.0', '0.4.9']], [['^0.9.0', '~1.0.0', '1.x', '1.0.0-rc.1', '']], [[]]])(
  'refuses %j: a range is no version',
  async (offers) => {
    const client = await host.open();
    const refused = await client.refusal('initialize', { clientId: 'odd', protocolVersions: offers });
    expect(refused).toMatchObject({
      code: -32005,
      data: { supportedVersions: expect.arrayContaining(['1.1.0', '0.9.1']) },
    });
  },
);

it('refuses a client without a common version with the list, logs it, and lets it try again', async () => {
  const client = await host.open();
  const offer = { clientId: 'future', protocolVersions: ['2.0.0'], clientInfo: { name: 'Tomorrow' } };
  const refused = await client.refusal('initialize', offer);
  expect(refused).toMatchObject({ code: -32005, data: { supportedVersions: AHP_VERSIONS } });
  expect(host.logged.filter((line) => line.includes('"Tomorrow" offers the versions ["2.0.0"]'))).toHaveLength(1);
  expect(await client.initialize('future', ['0.9.0'])).toMatchObject({ protocolVersion: '0.9.0' });
});

it('answers ping before the handshake, and nothing else', async () => {
  const client = await host.open();
  expect(await client.request('ping')).toBeNull();
  expect(await client.refusal('listSessions')).toMatchObject({ code: -32600 });
  expect(
    await client.refusal('reconnect', { clientId: 'nobody', lastSeenServerSeq: 0, subscriptions: [] }),
  ).toMatchObject({
    code: -32008,
  });
  expect(await client.refusal('createTerminal')).toMatchObject({ code: -32601 });
});

it('[RECONNECT] sends snapshots to a client that was away for longer than the replay buffer', async () => {
  const client = await host.client('slow reader');
  const { session, chat } = await ahpSession(client);
  await client.end();
  const other = await host.client('busy');
  await ahpSubscribe(other, session);
  for (let n = 0; n < 8; n++) {
    await other.act(chat, ahpTurn('use-tool'));
    await other.action('chat/turnComplete');
  }
  const back = await host.open();
  const answer = await back.request('reconnect', {
    clientId: 'slow reader',
    lastSeenServerSeq: 1,
    subscriptions: [session, chat, 'mock:/gone'],
  });
  expect(answer.type).toBe('snapshot');
  expect(answer.snapshots.map(({ resource }: { resource: string }) => resource)).toEqual([session, chat]);
  expect(answer.snapshots[1].state.turns).toHaveLength(8);
  // From there on it is told again.
  await other.act(chat, ahpTurn('hello'));
  const first = await back.action('chat/turnStarted');
  expect(first.serverSeq).toBeGreaterThan(answer.snapshots[1].fromSeq);
});

it('[RECONNECT] answers each channel by its own cursor if the client has one for each', async () => {
  const client = await host.client('new form');
  const { session, chat } = await ahpSession(client);
  await client.act(chat, ahpTurn('hello'));
  const { serverSeq } = await client.action('chat/turnComplete');
  await client.act(session, { type: 'session/titleChanged', title: 'Seen' });
  await client.end();
  const back = await host.open();
  const cursor = (channel: string, lastSeenServerSeq: number) => ({ channel, lastSeenServerSeq });
  const answer = await back.request('reconnect', {
    clientId: 'new form',
    subscriptions: [cursor(session, serverSeq), cursor(chat, 1), cursor('mock:/gone', 1)],
  });
  expect(answer.channels).toMatchObject([
    { kind: 'replay', channel: session },
    { kind: 'snapshot', channel: chat, snapshot: { state: { turns: [{ state: 'complete' }] } } },
    { kind: 'missing', channel: 'mock:/gone' },
  ]);
  const types = answer.channels[0].actions.map(({ action }: { action: { type: string } }) => action.type);
  expect(types).toContain('session/titleChanged');
});

it('[RECONNECT] keeps the state of a socket that may still be alive', async () => {
  const one = await host.client('half open');
  const { session, chat } = await ahpSession(one);
  const two = await host.open();
  const params = { clientId: 'half open', lastSeenServerSeq: 0, subscriptions: [session, chat] };
  expect(await two.request('reconnect', params)).toMatchObject({ type: 'snapshot' });
  await two.act(chat, ahpTurn('hello'));
  await one.action('chat/turnComplete');
});

it('limits the number of sockets', async () => {
  const others = await Promise.all(Array.from({ length: 21 }, () => host.open()));
  const ended = await Promise.race(others.map((client) => client.closed));
  expect(ended).toEqual({ code: 1013, reason: expect.stringContaining('too many connections') });
  await Promise.all(others.map((client) => client.end()));
});

it('accepts a token in the query only here, and never the owner’s', async () => {
  const tried = (path: string, headers = {}) =>
    new Promise<number>((resolve) => {
      const socket = new WebSocket(new URL(path, host.url).href.replace(/^http/, 'ws'), { headers });
      socket.on('error', () => undefined);
      socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      socket.on('open', () => {
        socket.terminate();
        resolve(101);
      });
    });
  expect(await tried(`/ws?tkn=${host.token}`)).toBe(401);
  expect(await tried(`/ahp?tkn=${host.token}`)).toBe(401);
  expect(await tried('/ahp?tkn=wrong')).toBe(401);
  expect(await tried('/ahp')).toBe(401);
  expect(await tried('/ahp', { authorization: `Bearer ${host.token}` })).toBe(101);
  expect(await tried('/ahp', { authorization: `Bearer ${host.token}`, origin: 'https://evil.example' })).toBe(403);
  const client = await host.open();
  const url = new URL(client.socket.url);
  expect(await tried(`${url.pathname}${url.search}`, { origin: 'https://evil.example' })).toBe(403);
  expect(await tried(`/elsewhere${url.search}`)).toBe(401);
  expect(JSON.stringify(host.logged)).not.toContain(url.searchParams.get('tkn'));
});

it('enforces roles, and a revoked token ends the connection', async () => {
  const driver = await host.client('drives');
  const { session, chat } = await ahpSession(driver);
  const viewer = await host.open('viewer');
  await viewer.initialize('watches', ['0.9.0']);
  await ahpSubscribe(viewer, session);
  expect(await viewer.refusal('createSession', { channel: `mock:/${crypto.randomUUID()}` })).toMatchObject({
    code: -32009,
  });
  expect(await viewer.act(chat, ahpTurn('hello'))).toMatchObject({
    rejectionReason: expect.stringContaining('viewer'),
  });
  await driver.act(chat, ahpTurn('hello'));
  await viewer.action('chat/turnComplete');
  await host.revoke('viewer');
  expect(await viewer.closed).toMatchObject({ code: 4401 });
});
