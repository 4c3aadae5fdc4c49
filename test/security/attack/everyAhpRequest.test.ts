import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AHP_REQUESTS } from '../../../packages/ahp/src/gateway/connection.js';
import { AhpTestClient } from '../../support/ahpClient.js';
import { RawClient } from '../../support/rawClient.js';
import { AttackedHost } from './attackedHost.js';
import { type HostileSessions, makeHostileSessions, newSession } from './hostileSessions.js';
import { HostStalls, tooLong } from './hostStalls.js';

const VERSION = '0.9.0';
const MUCH = 'x'.repeat(3_900_000);

const furtherChat = (session: string, id: string) => `ahp-chat://${id}/${Buffer.from(session).toString('base64url')}`;

type Requests = Readonly<Record<string, (data: HostileSessions) => readonly object[]>>;

const chatOf = (session: string) => `ahp-chat:/mock~${session.slice('mock:/'.length)}`;

/** Of every request that the gateway takes: what costs most. */
const HOSTILE_REQUESTS: Requests = {
  ping: () => [{ much: MUCH }, { many: Array(60_000).fill(0) }],
  initialize: ({ heavy }) => [
    { protocolVersions: Array(60_000).fill('9.9.9'), clientId: 'x' },
    { protocolVersions: [VERSION], clientId: 'x', clientInfo: { name: MUCH } },
    { protocolVersions: [VERSION], clientId: 'y', initialSubscriptions: heavy },
  ],
  reconnect: ({ heavy }) => [
    { clientId: 'x', lastSeenServerSeq: 0, subscriptions: Array(60_000).fill('mock:/x') },
    { clientId: 'x', lastSeenServerSeq: 0, subscriptions: heavy },
  ],
  subscribe: ({ long, wide }) => [
    { channel: long },
    { channel: chatOf(long), view: { turns: 1_000 } },
    { channel: chatOf(wide) },
    { channel: 'x'.repeat(4_096) },
  ],
  listSessions: () => [{ limit: 1e9 }, { cursor: MUCH }],
  createSession: ({ folders }) => [
    { channel: newSession(), config: Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`k${n}`, n])) },
    { channel: newSession(), workingDirectories: [folders.skills] },
    { channel: newSession(), activeClient: { clientId: 'x', tools: Array(30_000).fill({}) } },
  ],
  disposeSession: ({ long }) => [{ channel: `${long}x` }],
  fetchTurns: ({ long }) => [{ channel: chatOf(long) }, { channel: chatOf(long), cursor: MUCH }],
  createChat: ({ long }) => [
    { channel: long, chat: furtherChat(long, crypto.randomUUID()) },
    { channel: long, chat: furtherChat(MUCH.slice(0, 4_000), 'x') },
    { channel: long, chat: furtherChat(long, 'x'), initialMessage: { text: MUCH } },
    { channel: long, chat: furtherChat(long, 'y'), source: { kind: 'fork', chat: chatOf(long), turnId: MUCH } },
  ],
  disposeChat: ({ long }) => [{ channel: furtherChat(long, 'x') }],
  resolveSessionConfig: ({ folders }) => [{ config: MUCH }, { provider: 'mock', workingDirectory: folders.files }],
  sessionConfigCompletions: ({ folders }) => [
    { query: MUCH },
    { property: 'agenthost.branch', workingDirectory: folders.deep, query: MUCH },
  ],
  completions: ({ long }) => [
    { query: MUCH },
    { channel: long, text: `/${MUCH}` },
    { channel: long, text: `@${'a'.repeat(90_000)}` },
  ],
  resourceRead: ({ long }) => [
    { uri: 'mock://x/content/agent-1' },
    { uri: `file:///${'x'.repeat(4_000)}` },
    { uri: `agenthost-version:${long}?side=old&revision=x&path=${'..%2f'.repeat(500)}` },
  ],
  resourceList: ({ folders }) => [{ uri: folders.files }, { uri: folders.folders }, { uri: folders.deep }],
  resourceResolve: ({ folders }) => [{ uri: `${folders.files}/none` }, { uri: `${folders.deep}/none` }],
};

/** Issue 17, point 7, for clients of the public Agent Host Protocol. */
describe('every request of an AHP client', { timeout: 300_000 }, () => {
  let stalls: HostStalls;
  let attacked: AttackedHost;
  let data: HostileSessions;

  beforeAll(async () => {
    stalls = await HostStalls.create();
    attacked = await AttackedHost.start(['--ahp'], stalls.env);
    const client = await RawClient.open(attacked.host);
    await client.request('initialize', { protocolVersion: 2, clientId: 'maker' });
    data = await makeHostileSessions(client, attacked.stateDir);
    await client.end();
  }, 300_000);
  afterAll(async () => {
    await attacked.dispose();
    await stalls.dispose();
  });

  it('has hostile data here, and does not block the event loop', async () => {
    expect(Object.keys(HOSTILE_REQUESTS).toSorted()).toEqual(AHP_REQUESTS.toSorted());
    const { url } = JSON.parse(attacked.host.firstLine).ahp as { url: string };
    const measured = new Map<string, number>();
    await attacked.during('every request of an AHP client with hostile data', async () => {
      for (const [method, paramsOf] of Object.entries(HOSTILE_REQUESTS)) {
        for (const [n, params] of paramsOf(data).entries()) {
          const shakesHands = method === 'initialize' || method === 'reconnect';
          let client: AhpTestClient | undefined;
          const prepare = async () => {
            await client?.end();
            client = await AhpTestClient.open(url);
            if (!shakesHands) await client.initialize(crypto.randomUUID(), [VERSION]);
          };
          const settle = async () => client?.ask('ping');
          measured.set(`${method} ${n}`, await stalls.of(async () => client?.ask(method, params), settle, prepare));
          await client?.end();
        }
      }
    });
    const worst = [...measured].toSorted(([, a], [, b]) => b - a).slice(0, 5);
    console.log(`longest stalls: ${worst.map(([what, ms]) => `${what} ${ms.toFixed(0)} ms`).join(', ')}`);
    expect(tooLong(measured)).toEqual([]);
  });
});
