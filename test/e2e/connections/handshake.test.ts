import { hostname } from 'node:os';
import { PROTOCOL_VERSION, ROOT_URI, type Snapshot } from '@agenthost/protocol';
import { type InitializeResult, supportedVersions } from '@agenthost/protocol/internal';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { rawSession, startTestHost, type TestHost } from '../../support/testHost.js';

describe('a connection', () => {
  let host: TestHost;
  const opened: RawClient[] = [];

  beforeAll(async () => {
    host = await startTestHost();
  });
  afterAll(() => host.dispose());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((client) => client.end()));
  });

  async function open(): Promise<RawClient> {
    const client = await RawClient.open(host);
    opened.push(client);
    return client;
  }

  async function greeted(clientId: string = crypto.randomUUID()): Promise<RawClient> {
    const client = await open();
    await client.request('initialize', { protocolVersion: 1, clientId });
    return client;
  }

  describe('shakes hands', () => {
    it('and gets its initial subscriptions', async () => {
      const maker = await greeted();
      const session = await rawSession([maker]);
      const client = await open();
      const result = await client.request<InitializeResult>('initialize', {
        protocolVersion: 1,
        clientId: 'curious',
        initialSubscriptions: [ROOT_URI, session, 'mock:/none', session],
      });
      expect(result).toMatchObject({
        protocolVersion: 1,
        serverInfo: { name: 'agenthost', instanceId: host.host.instanceId, machine: hostname() },
        defaultDirectory: `file://${host.stateDir}`,
        snapshots: [
          { resource: ROOT_URI, state: { agents: [{ provider: 'mock' }, { provider: 'shell' }] } },
          { resource: session, state: { lifecycle: 'ready' } },
        ],
      });
      expect(result.snapshots.every(({ fromSeq }) => fromSeq === result.serverSeq)).toBe(true);
      await maker.act({ session, type: 'session/titleChanged', title: 'told' });
      await client.nextAction(session, 'session/titleChanged');
    });

    it.each([0, -1])(
      'but not with version %d: the answer lists the versions, and the client may try again',
      async (version) => {
        const client = await open();
        expect(await client.refusal('initialize', { protocolVersion: version, clientId: 'old' })).toEqual({
          code: -32005,
          message: `protocol version ${version} is not supported`,
          data: { supportedVersions: supportedVersions() },
        });
        expect(await client.request('initialize', { protocolVersion: 1, clientId: 'old' })).toMatchObject({
          protocolVersion: 1,
        });
      },
    );

    it('with a newer version: both use the lower one', async () => {
      const client = await open();
      const result = await client.request('initialize', { protocolVersion: 99, clientId: 'new' });
      expect(result).toMatchObject({ protocolVersion: PROTOCOL_VERSION });
    });

    it.each(['initialize', 'reconnect'])('once: a later %s is refused', async (method) => {
      const client = await greeted();
      const params = { protocolVersion: 1, clientId: 'again', lastSeenServerSeq: 0, subscriptions: [] };
      expect(await client.refusal(method, params)).toEqual({
        code: -32600,
        message: 'this connection has shaken hands already',
      });
      await client.fence();
    });

    it('before anything but ping', async () => {
      const client = await open();
      expect(await client.request('ping')).toEqual({});
      for (const [method, params] of [
        ['subscribe', { resource: ROOT_URI }],
        ['createSession', { session: 'mock:/early' }],
        ['listSessions', {}],
        ['browseDirectory', { uri: 'file:///' }],
      ] as const) {
        expect(await client.refusal(method, params)).toMatchObject({ code: -32600 });
      }
      client.dispatch({ session: 'mock:/early', type: 'session/titleChanged', title: 'x' });
      client.notify('unsubscribe', { resource: ROOT_URI });
      await client.fence();
      expect(client.envelopes).toEqual([]);
      expect(await client.request('initialize', { protocolVersion: 1, clientId: 'late' })).toBeDefined();
    });
  });

  describe('survives', () => {
    it.each([
      ['text that is no JSON', '{"jsonrpc":', -32700],
      ['an empty frame', '', -32700],
      ['a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
      ['a string', '"ping"', -32600],
      ['null', 'null', -32600],
      ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600],
      ['a method that is no text', '{"jsonrpc":"2.0","id":7,"method":7}', -32600],
      ['params that are a number', '{"jsonrpc":"2.0","id":7,"method":"ping","params":7}', -32600],
      ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
      ['an unsafe key', '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"__proto__":{"x":1}}}', -32600],
      [
        'deep nesting',
        `{"jsonrpc":"2.0","id":7,"method":"ping","params":${'['.repeat(100)}${']'.repeat(100)}}`,
        -32600,
      ],
      ['an unknown method', '{"jsonrpc":"2.0","id":7,"method":"noSuchThing"}', -32601],
      ['a method that objects have', '{"jsonrpc":"2.0","id":7,"method":"toString"}', -32601],
    ])('%s', async (_what, text, code) => {
      const client = await greeted();
      client.sendText(text);
      const { error } = await client.next((frame) => frame.error !== undefined, 'the error');
      expect(error).toMatchObject({ code });
      await client.fence();
    });

    it('unknown notifications and answers without a request, which are not answered', async () => {
      const client = await greeted();
      const before = client.received.length;
      client.notify('noSuchThing', {});
      client.notify('dispatchAction', { clientSeq: 0, action: { type: 'session/titleChanged' } });
      client.sendText('{"jsonrpc":"2.0","id":99,"result":{}}');
      await client.fence();
      expect(client.received.length).toBe(before + 1);
    });

    it.each([
      ['subscribe', {}, 'params.resource: '],
      ['subscribe', { resource: 'agenthost:root', turns: 201 }, 'params.turns: '],
      ['listSessions', { limit: 501 }, 'params.limit: '],
      ['listSessions', { filter: { status: 'asleep' } }, 'params.filter.status: '],
      ['fetchTurns', { session: 'mock:/x', range: { limit: 0 } }, 'params.range.limit: '],
      ['createSession', [], 'params'],
    ])('%s with wrong params, and names them', async (method, params, start) => {
      const { code, message } = await (await greeted()).refusal(method, params);
      expect([code, message.slice(0, start.length)]).toEqual([-32602, start]);
    });
  });

  it('subscribes to existing resources', async () => {
    const client = await greeted();
    expect(await client.refusal('subscribe', { resource: 'mock:/none' })).toEqual({
      code: -32001,
      message: 'no session mock:/none',
    });
    for (const resource of ['nobody:/none', 'file:///etc', 'mock://a/b', 'x', 'mock:/../x']) {
      expect(await client.refusal('subscribe', { resource })).toMatchObject({ code: -32001 });
    }
    const { state } = await client.request<Snapshot>('subscribe', { resource: ROOT_URI });
    expect(state).toHaveProperty('agents');
  });

  it('has at most 256 subscriptions; ending one frees a slot', async () => {
    const client = await greeted();
    const sessions = Array.from({ length: 257 }, (_, n) => `mock:/many-${n}`);
    // In groups: there is a limit of requests at a time too.
    for (let n = 0; n < sessions.length; n += 32) {
      const group = sessions.slice(n, n + 32);
      await Promise.all(group.map((session) => client.request('createSession', { session })));
    }
    for (const resource of sessions.slice(0, 256)) await client.request('subscribe', { resource });
    const [last = '', first = ''] = [sessions.at(-1), sessions[0]];
    expect(await client.refusal('subscribe', { resource: last })).toEqual({
      code: -32000,
      message: 'more than 256 subscriptions on one connection',
    });
    await client.request('subscribe', { resource: first });
    client.notify('unsubscribe', { resource: first });
    await client.request('subscribe', { resource: last });
  });

  it('answers all of too many concurrent requests, some with a refusal', async () => {
    const client = await greeted();
    const asked = Array.from({ length: 300 }, () => client.ask('browseDirectory', { uri: `file://${host.stateDir}` }));
    const answers = await Promise.all(asked);
    const codes = new Set(answers.map(({ error }) => error?.code));
    expect([...codes].every((code) => code === undefined || code === -32000)).toBe(true);
    expect(answers.some(({ error }) => error === undefined)).toBe(true);
    await client.fence();
  });
});
