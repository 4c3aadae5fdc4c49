import type { Commands } from '@agenthost/protocol';
import { expect } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import type { AttackedHost } from './attackedHost.js';
import { type HostileSessions, newSession, part, turn } from './hostileSessions.js';

const ID = 'f'.repeat(40);
const PATHS = Array.from({ length: 1_000 }, (_, index) => `../${index}/${'x'.repeat(1_000)}`);

export interface CommandContext {
  readonly attacked: AttackedHost;
  readonly client: RawClient;
  readonly data: HostileSessions;
}

/** Runs several times where it takes too long, so what it makes has a new name each time. */
export type HostileCase = readonly [what: string, run: (context: CommandContext) => Promise<unknown>];

const asked =
  <M extends keyof Commands>(method: M, params: (data: HostileSessions) => object) =>
  ({ client, data }: CommandContext) =>
    client.request(method, params(data));

const refused =
  <M extends keyof Commands>(method: M, params: (data: HostileSessions) => object) =>
  ({ client, data }: CommandContext) =>
    client.refusal(method, params(data));

/** Whether it is answered depends on where the tests run. */
const tried =
  <M extends keyof Commands>(method: M, params: (data: HostileSessions) => object) =>
  ({ client, data }: CommandContext) =>
    client.ask(method, params(data));

const MUCH = 3_900_000;
const VALUES = 60_000;
const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
const cursor = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function fork({ client, data }: CommandContext, toTurnId?: string) {
  const session = newSession();
  await client.request('forkSession', { source: data.long, session, ...(toTurnId && { toTurnId }) });
  return session;
}

async function shakeHands({ attacked }: CommandContext, method: 'initialize' | 'reconnect', params: object) {
  const client = await RawClient.open(attacked.host);
  const { error } = await client.ask(method, { protocolVersion: 2, clientId: crypto.randomUUID(), ...params });
  await client.end();
  return error;
}

/** For every command: what costs most. A command without an entry does not compile, and fails the test. */
export const HOSTILE_COMMANDS: { readonly [M in keyof Commands]: readonly HostileCase[] } = {
  ping: [
    ['with much in it', asked('ping', () => ({ much: 'x'.repeat(MUCH) }))],
    ['with many values', asked('ping', () => ({ many: Array(15_000).fill({}) }))],
    ['with many keys', asked('ping', () => Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`k${n}`, n])))],
    ['with more values than a frame has', refused('ping', () => ({ many: Array(1_900_000).fill(0) }))],
  ],
  initialize: [
    ['names 256 sessions', (all) => shakeHands(all, 'initialize', { initialSubscriptions: named(all.data) })],
    ['names 60,000', (all) => shakeHands(all, 'initialize', { initialSubscriptions: Array(VALUES).fill('mock:/x') })],
    ['says much of itself', (all) => shakeHands(all, 'initialize', { clientInfo: { name: 'x'.repeat(MUCH) } })],
  ],
  reconnect: [
    [
      'names 256 sessions',
      (all) => shakeHands(all, 'reconnect', { lastSeenServerSeq: 0, subscriptions: named(all.data) }),
    ],
    [
      'names 60,000',
      (all) => shakeHands(all, 'reconnect', { lastSeenServerSeq: 0, subscriptions: Array(VALUES).fill('mock:/x') }),
    ],
  ],
  subscribe: [
    ['a long session', asked('subscribe', ({ long }) => ({ resource: long, turns: 200 }))],
    ['a wide turn', asked('subscribe', ({ wide }) => ({ resource: wide, turns: 200 }))],
    ['much metadata', asked('subscribe', ({ heavy }) => ({ resource: heavy[0] }))],
    ['a name that is none', refused('subscribe', () => ({ resource: `mock:/${'%'.repeat(4_000)}` }))],
  ],
  createSession: [
    ['much metadata', asked('createSession', () => ({ session: newSession(), metadata: { m: Array(8_000).fill(0) } }))],
    ['much config', asked('createSession', () => ({ session: newSession(), config: { c: Array(20_000).fill({}) } }))],
    ['deep metadata', asked('createSession', () => ({ session: newSession(), metadata: { m: deep(58) } }))],
    [
      'too much metadata',
      refused('createSession', () => ({ session: newSession(), metadata: { m: 'x'.repeat(MUCH) } })),
    ],
    ['too much config', refused('createSession', () => ({ session: newSession(), config: { c: 'x'.repeat(MUCH) } }))],
    [
      'very many skills',
      asked('createSession', (data) => ({ session: newSession(), workingDirectory: data.folders.skills })),
    ],
    [
      'a deep folder',
      asked('createSession', (data) => ({ session: newSession(), workingDirectory: data.folders.deep })),
    ],
  ],
  forkSession: [
    ['a long session', (all) => fork(all)],
    ['the beginning of a long session', (all) => fork(all, 't5')],
    ['a wide turn', asked('forkSession', ({ wide }) => ({ source: wide, session: newSession() }))],
    [
      'a turn that is none',
      refused('forkSession', ({ long }) => ({ source: long, session: newSession(), toTurnId: 'x' })),
    ],
  ],
  importSession: [
    [
      'many small parts',
      asked('importSession', () => ({
        session: newSession(),
        turns: [
          turn(
            't',
            'x',
            Array.from({ length: 8_000 }, (_, n) => part(n, 'a')),
          ),
        ],
      })),
    ],
    [
      'one large part',
      asked('importSession', () => ({
        session: newSession(),
        turns: [turn('t', 'x', [part(0, 'ab '.repeat(MUCH / 3))])],
      })),
    ],
    [
      '1,000 turns',
      asked('importSession', () => ({
        session: newSession(),
        turns: Array.from({ length: 1_000 }, (_, n) => turn(`t${n}`, 'word '.repeat(700))),
      })),
    ],
    [
      'parts without sense',
      refused('importSession', () => ({ session: newSession(), turns: [turn('t', 'x', Array(20_000).fill({}))] })),
    ],
    [
      'content',
      asked('importSession', () => ({
        session: newSession(),
        turns: [],
        contents: Array(100).fill({ uri: 'mock://x/content/agent-1', data: 'A'.repeat(30_000) }),
      })),
    ],
  ],
  disposeSession: [
    ['a long session', async (all) => all.client.request('disposeSession', { session: await fork(all) })],
    ['one that is not there', refused('disposeSession', () => ({ session: `mock:/${'x'.repeat(4_000)}` }))],
  ],
  listSessions: [
    ['all that fit', async ({ client, data }) => expect(await listed(client)).toBeGreaterThan(data.heavy.length)],
    ['a text in all of them', asked('listSessions', () => ({ filter: { text: 'hello there' }, limit: 500 }))],
    [
      'every filter',
      asked('listSessions', () => ({
        filter: {
          provider: 'mock',
          status: 'idle',
          isRead: true,
          isArchived: false,
          workspace: 'x'.repeat(4_000),
          modifiedSince: 1,
        },
        limit: 500,
      })),
    ],
    ['a cursor that nobody gave', asked('listSessions', () => ({ cursor: cursor([1e308, 'x']), limit: 500 }))],
    ['a cursor that is none', refused('listSessions', () => ({ cursor: cursor([[[[]]]]) }))],
  ],
  fetchTurns: [
    ['the newest', asked('fetchTurns', ({ long }) => ({ session: long, range: { limit: 200 } }))],
    ['the oldest', asked('fetchTurns', ({ long }) => ({ session: long, range: { limit: 200, before: 't150' } }))],
    ['before none', refused('fetchTurns', ({ long }) => ({ session: long, range: { limit: 200, before: 'none' } }))],
  ],
  fetchParts: [
    ['the newest', asked('fetchParts', ({ wide }) => ({ session: wide, turnId: 't', limit: 200 }))],
    ['in the middle', asked('fetchParts', ({ wide }) => ({ session: wide, turnId: 't', limit: 200, before: 9_999 }))],
    ['of an old turn', asked('fetchParts', ({ long }) => ({ session: long, turnId: 't5', limit: 200 }))],
    ['of no turn', refused('fetchParts', ({ long }) => ({ session: long, turnId: 'none', limit: 200 }))],
  ],
  fetchEvents: [
    ['from the beginning', asked('fetchEvents', ({ wide }) => ({ session: wide, limit: 500 }))],
    ['of long turns', asked('fetchEvents', ({ long }) => ({ session: long, limit: 500 }))],
    ['the end', asked('fetchEvents', ({ long }) => ({ session: long, newest: true, limit: 1 }))],
    ...['1-0-1-00000000', '0-5-9-00000000', `9-${'9'.repeat(15)}-1-0011aabb`].map(
      (after) =>
        [`after ${after}`, refused('fetchEvents', ({ long }) => ({ session: long, after, limit: 500 }))] as const,
    ),
  ],
  fetchContent: [
    ['of a name that is none', refused('fetchContent', () => ({ uri: `mock://${'../'.repeat(1_300)}` }))],
    [
      'beyond its end',
      refused('fetchContent', ({ long }) => ({
        uri: `mock://${long.slice(6)}/content/x`,
        range: { offset: Number.MAX_SAFE_INTEGER, length: 1_048_576 },
      })),
    ],
  ],
  listArtifacts: [
    ['very many', asked('listArtifacts', ({ artifacts }) => ({ session: artifacts, limit: 500 }))],
    [
      'behind no cursor',
      refused('listArtifacts', ({ artifacts }) => ({ session: artifacts, cursor: 'x'.repeat(4_000) })),
    ],
  ],
  listChanges: [
    ['of any folder', tried('listChanges', ({ long }) => ({ session: long, since: 'session' }))],
    [
      'a cursor of nobody',
      refused('listChanges', ({ long }) => ({ session: long, since: 'base', cursor: 'f'.repeat(100) })),
    ],
  ],
  fetchDiff: [
    ['outside', refused('fetchDiff', ({ long }) => ({ session: long, path: '../'.repeat(1_000), since: 'base' }))],
    ['of trees of nobody', refused('fetchDiff', ({ long }) => ({ session: long, path: 'a', from: ID, to: ID }))],
  ],
  fetchVersion: [
    [
      'outside',
      refused('fetchVersion', ({ long }) => ({ session: long, path: '../x', from: ID, to: ID, side: 'old' })),
    ],
    [
      'trees of nobody',
      refused('fetchVersion', ({ long }) => ({ session: long, path: 'a', from: ID, to: ID, side: 'new' })),
    ],
  ],
  fetchChanges: [['of any folder', tried('fetchChanges', ({ long }) => ({ session: long, watch: true }))]],
  revertChanges: [
    ['outside', refused('revertChanges', ({ long }) => ({ session: long, path: '../x', from: ID, to: ID }))],
    ['trees of nobody', refused('revertChanges', ({ long }) => ({ session: long, path: 'a', from: ID, to: ID }))],
  ],
  rewindSession: [
    ['to a turn of nobody', refused('rewindSession', ({ long }) => ({ session: long, turnId: '../x' }))],
    [
      'without a snapshot',
      refused('rewindSession', ({ long }) => ({ session: long, turnId: 'x', restoreFiles: true })),
    ],
  ],
  listFolder: [
    ['of any folder', tried('listFolder', ({ long }) => ({ session: long, limit: 500 }))],
    ['outside', refused('listFolder', ({ long }) => ({ session: long, path: '../'.repeat(1_300) }))],
    ['a long cursor', refused('listFolder', ({ long }) => ({ session: long, cursor: `${'0 '.repeat(550)}x` }))],
  ],
  readFile: [
    ['outside', refused('readFile', ({ long }) => ({ session: long, path: `/proc/self/root/${'../'.repeat(1_300)}` }))],
    ['of the host', refused('readFile', ({ long }) => ({ session: long, path: '/proc/self/environ', asBytes: true }))],
    ['beyond its end', tried('readFile', ({ long }) => ({ session: long, path: 'package.json', offset: 2 ** 53 - 1 }))],
    ['a far line', tried('readFile', ({ long }) => ({ session: long, path: 'package.json', line: 2 ** 53 - 1 }))],
    ['with a NUL', refused('readFile', ({ long }) => ({ session: long, path: 'a\0'.repeat(1_000) }))],
  ],
  findFiles: [
    ['all of any folder', tried('findFiles', ({ long }) => ({ session: long, query: '', limit: 200 }))],
    ['letters in between', tried('findFiles', ({ long }) => ({ session: long, query: 'etaoinshrdlu'.repeat(21) }))],
    ['only slashes', tried('findFiles', ({ long }) => ({ session: long, query: '/'.repeat(256), limit: 200 }))],
  ],
  fetchTestCommand: [['of any folder', tried('fetchTestCommand', ({ long }) => ({ session: long }))]],
  runTests: [
    ['a long command', refused('runTests', ({ long }) => ({ session: long, command: 'x'.repeat(MUCH) }))],
    ['of two lines', refused('runTests', ({ long }) => ({ session: long, command: 'true\nfalse' }))],
    ['that nobody gave', refused('runTests', ({ long }) => ({ session: long }))],
  ],
  stopTests: [['that do not run', tried('stopTests', ({ long }) => ({ session: long }))]],
  checkFiles: [
    ['very many', refused('checkFiles', ({ long }) => ({ session: long, paths: PATHS }))],
    ['outside', asked('checkFiles', ({ long }) => ({ session: long, paths: PATHS.slice(0, 100) }))],
  ],
  restoreFiles: [
    ['to no turn', refused('restoreFiles', ({ long }) => ({ session: long, toTurnId: 'none' }))],
    ['very many paths', refused('restoreFiles', ({ long }) => ({ session: long, undo: 'last', paths: PATHS }))],
  ],
  commitChanges: [
    ['a long message', refused('commitChanges', ({ long }) => ({ session: long, message: 'x'.repeat(MUCH) }))],
    ['very many paths', refused('commitChanges', ({ long }) => ({ session: long, message: 'x', paths: PATHS }))],
    ['outside', refused('commitChanges', ({ long }) => ({ session: long, message: 'x', paths: ['../x'] }))],
  ],
  previewMerge: [['an option', refused('previewMerge', ({ long }) => ({ session: long, into: '--all' }))]],
  mergeChanges: [
    ['no branch', refused('mergeChanges', ({ long }) => ({ session: long, into: 'main@{1}' }))],
    ['a long name', refused('mergeChanges', ({ long }) => ({ session: long, into: 'x'.repeat(4_000) }))],
  ],
  pushChanges: [
    ['an address', refused('pushChanges', ({ long }) => ({ session: long, remote: 'ext::sh -c true' }))],
    ['an option', refused('pushChanges', ({ long }) => ({ session: long, remote: '--receive-pack=true' }))],
  ],
  pullRequest: [['much text', refused('pullRequest', ({ long }) => ({ session: long, body: 'x'.repeat(MUCH) }))]],
  browseDirectory: [
    ['very many files', asked('browseDirectory', (data) => ({ uri: data.folders.files, provider: 'mock' }))],
    ['very many checkouts', asked('browseDirectory', (data) => ({ uri: data.folders.folders }))],
    ['a deep folder', asked('browseDirectory', (data) => ({ uri: data.folders.deep, provider: 'mock' }))],
    ['very many skills', asked('browseDirectory', (data) => ({ uri: data.folders.skills, provider: 'mock' }))],
    ['no folder', refused('browseDirectory', () => ({ uri: `file:///${'%20/'.repeat(1_000)}` }))],
  ],
  fetchPushKey: [['with much in it', asked('fetchPushKey', () => ({ much: 'x'.repeat(MUCH) }))]],
  setPushSubscription: [
    ['a local address', refused('setPushSubscription', () => subscription('https://127.0.0.1/x'))],
    ['a long address', refused('setPushSubscription', () => subscription(`https://8.8.8.8/${'x'.repeat(MUCH)}`))],
    ['keys that are none', refused('setPushSubscription', () => subscription('https://8.8.8.8/x'))],
  ],
  removePushSubscription: [
    [
      'one that is not there',
      asked('removePushSubscription', () => ({ endpoint: `https://8.8.8.8/${'x'.repeat(2_000)}` })),
    ],
  ],
  lookAt: [
    ['a long name', asked('lookAt', () => ({ session: 'x'.repeat(4_096), subscription: 'x'.repeat(256) }))],
    ['a long session', asked('lookAt', ({ long }) => ({ session: long }))],
  ],
  installAgent: [['none', refused('installAgent', () => ({ provider: 'x'.repeat(256) }))]],
  removeAgent: [['none', refused('removeAgent', () => ({ provider: 'x'.repeat(256) }))]],
  listDevices: [['of 200', asked('listDevices', () => ({}))]],
  fetchAudit: [
    ['a page', asked('fetchAudit', () => ({ limit: 200 }))],
    ['of no session', asked('fetchAudit', () => ({ session: `mock:/${'x'.repeat(4_000)}`, limit: 200 }))],
    ['after no place', asked('fetchAudit', () => ({ before: '99999999-9999999', limit: 200 }))],
  ],
  listWebhooks: [['of none', asked('listWebhooks', () => ({}))]],
  addWebhook: [
    ['a local address', refused('addWebhook', () => webhookTo('https://127.0.0.1/x'))],
    ['no address', refused('addWebhook', () => webhookTo('x'.repeat(2_048)))],
    ['a long address', refused('addWebhook', () => webhookTo(`https://8.8.8.8/${'x'.repeat(MUCH)}`))],
    ['again and again', ({ client }) => Promise.all(Array.from({ length: 60 }, () => tooManyWebhooks(client)))],
  ],
  removeWebhook: [['none', refused('removeWebhook', () => ({ webhook: 'x'.repeat(256) }))]],
  enableWebhook: [['none', refused('enableWebhook', () => ({ webhook: 'x'.repeat(256) }))]],
  testWebhook: [['none', refused('testWebhook', () => ({ webhook: 'x'.repeat(256) }))]],
  addDevice: [
    ['an odd name', refused('addDevice', () => ({ name: '\u202e'.repeat(64) }))],
    ['a long token', refused('addDevice', () => ({ name: 'x', known: 'x'.repeat(1_000) }))],
  ],
  updateDevice: [['none', refused('updateDevice', () => ({ device: 'x'.repeat(256), role: 'viewer' }))]],
  removeDevice: [['none', refused('removeDevice', () => ({ device: 'x'.repeat(256) }))]],
  createPairing: [
    ['again and again', ({ client }) => Promise.all(Array.from({ length: 60 }, () => newPairing(client)))],
  ],
  fetchPairing: [['none', asked('fetchPairing', () => ({ pairing: 'x'.repeat(256) }))]],
  removePairing: [['none', asked('removePairing', () => ({ pairing: 'x'.repeat(256) }))]],
  shareSession: [
    [
      'a session that is not there',
      refused('shareSession', () => ({ session: `mock:/${'x'.repeat(120)}`, validMs: 1_000 })),
    ],
    ['a long session, again and again', ({ client, data }) => shareOften(client, data.long)],
  ],
  updateAgent: [['none', refused('updateAgent', () => ({ provider: 'x'.repeat(256) }))]],
  cancelInstall: [['none', refused('cancelInstall', () => ({ provider: 'x'.repeat(256) }))]],
  beginLogin: [
    ['none', refused('beginLogin', () => ({ provider: 'x'.repeat(256), columns: 500, rows: 500 }))],
    ['one that needs none', refused('beginLogin', () => ({ provider: 'mock', columns: 500, rows: 500 }))],
  ],
  sendToLogin: [['not begun', refused('sendToLogin', () => ({ login: 'x'.repeat(256), data: '\0'.repeat(16_384) }))]],
  endLogin: [['not begun', refused('endLogin', () => ({ login: 'x'.repeat(256) }))]],
  checkLogin: [['one that needs none', refused('checkLogin', () => ({ provider: 'mock' }))]],
  setAgentKey: [['one that needs none', refused('setAgentKey', () => ({ provider: 'mock', key: 'x'.repeat(4_096) }))]],
  logOutAgent: [['one that needs none', refused('logOutAgent', () => ({ provider: 'mock' }))]],
  createTerminal: [
    ['no session', refused('createTerminal', () => ({ session: `mock:/${'x'.repeat(128)}`, columns: 500, rows: 500 }))],
    [
      'one that is watched',
      async ({ client, data }) => {
        const size = { columns: 500, rows: 500 };
        const { terminal } = await client.request<{ terminal: string }>('createTerminal', {
          session: data.long,
          ...size,
        });
        await client.request('attachTerminal', { terminal });
        await client.request('sendToTerminal', { terminal, seq: 1, data: '\0'.repeat(65_536), size });
        await client.request('closeTerminal', { terminal });
      },
    ],
  ],
  listTerminals: [['of a long session', asked('listTerminals', ({ long }) => ({ session: long }))]],
  attachTerminal: [['none', refused('attachTerminal', () => ({ terminal: 'x'.repeat(4_096) }))]],
  confirmTerminal: [['none', refused('confirmTerminal', () => ({ terminal: '../x', offset: 2 ** 53 - 1 }))]],
  detachTerminal: [['none', refused('detachTerminal', () => ({ terminal: 'x' }))]],
  sendToTerminal: [
    ['none', refused('sendToTerminal', () => ({ terminal: 'x', seq: 2 ** 53 - 1, data: '\x1b'.repeat(65_536) }))],
  ],
  closeTerminal: [['none', refused('closeTerminal', () => ({ terminal: 'x' }))]],
  listNativeSessions: [
    ['a cursor of its own', asked('listNativeSessions', () => ({ limit: 500, cursor: `NaN ${'x'.repeat(900)}` }))],
  ],
  fetchNativeTurns: [
    ['none', refused('fetchNativeTurns', () => ({ id: '../'.repeat(80), limit: 200 }))],
    ['a path', refused('fetchNativeTurns', () => ({ id: 'claude//etc/passwd', limit: 200 }))],
  ],
  continueNativeSession: [
    ['none', refused('continueNativeSession', () => ({ id: 'claude/..', session: 'claude:/x', asCopy: true }))],
  ],
  // Taken on a host without sessions only: `everyCommand` does that too.
  setClientTools: [
    ['64 of the largest', asked('setClientTools', ({ long }) => ({ session: long, tools: largeTools(64, 16_000) }))],
    ['none again', asked('setClientTools', ({ long }) => ({ session: long, tools: [] }))],
    ['a schema of 60,000 values', refused('setClientTools', ({ long }) => ({ session: long, tools: manyValues() }))],
    ['a deep schema', asked('setClientTools', ({ long }) => ({ session: long, tools: [tool(0, { a: deep(50) })] }))],
    ['10,000 tools', refused('setClientTools', ({ long }) => ({ session: long, tools: Array(10_000).fill({}) }))],
  ],
  'sessionFs.setProvider': [['of 50,000 sessions', refused('sessionFs.setProvider', () => providedSessions(50_000))]],
};

function subscription(endpoint: string): object {
  return { endpoint, keys: { p256dh: 'B'.repeat(87), auth: 'a'.repeat(22) }, notify: 'needsInput' };
}

function webhookTo(url: string): object {
  return { url, events: ['turnEnded'] };
}

/** Some of them are answered, until there are too many. */
function tooManyWebhooks(client: RawClient): Promise<unknown> {
  return client.ask('addWebhook', webhookTo('https://192.0.2.1/x'));
}

function newPairing(client: RawClient): Promise<unknown> {
  return client.request('createPairing', { role: 'viewer', replaces: 'x'.repeat(256) });
}

function shareOften(client: RawClient, session: string): Promise<unknown> {
  return Promise.all(Array.from({ length: 60 }, () => client.ask('shareSession', { session, validMs: 1_000 })));
}

export function providedSessions(count: number): object {
  const sessions = Array.from({ length: count }, (_, n) => `mock:/${n}-`.padEnd(70, 'x'));
  return { initialCwd: '/', sessionStatePath: '/state', conventions: 'posix', sessions };
}

function named({ long, wide, artifacts, heavy }: HostileSessions): string[] {
  const made = Array.from({ length: 100 }, newSession);
  return [long, wide, artifacts, ...heavy, ...made].slice(0, 256);
}

/** Through all pages; how many there were. */
async function listed(client: RawClient): Promise<number> {
  let count = 0;
  for (let next: string | undefined, isFirst = true; isFirst || next !== undefined; isFirst = false) {
    const page = await client.request<{ items: unknown[]; nextCursor?: string }>('listSessions', {
      limit: 500,
      ...(next !== undefined && { cursor: next }),
    });
    count += page.items.length;
    next = page.nextCursor;
  }
  return count;
}

function tool(number: number, properties: object) {
  return { name: `tool-${number}`, description: 'x'.repeat(4_096), inputSchema: { type: 'object', ...properties } };
}

function largeTools(count: number, length: number) {
  return Array.from({ length: count }, (_, number) => tool(number, { title: 'x'.repeat(length) }));
}

function manyValues() {
  return [tool(0, { enum: Array.from({ length: 55_000 }, (_, n) => n) })];
}
