import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonSchemaFiles } from '../../src/generate/jsonSchemas.js';
import { typeFiles } from '../../src/generate/typeFiles.js';
import {
  MAX_ATTACHMENTS,
  MAX_DISPLACED_MESSAGES,
  MAX_ID_LENGTH,
  MAX_QUEUED_MESSAGES,
  MAX_TEXT_LENGTH,
} from '../../src/limits.js';
import { COMMAND_SCHEMAS, SCHEMAS, uncheckedDispatchActionParams } from '../../src/schemas/schemas.js';
import type { Commands } from '../../src/types/methods.js';

const turnStarted = {
  type: 'session/turnStarted',
  session: 'mock:/s1',
  at: 1,
  turnId: 't1',
  userMessage: { text: 'hi' },
};

const PUSH_KEYS = { p256dh: 'B'.repeat(87), auth: 'a'.repeat(22) };

describe('schemas', () => {
  it('[SCH2] accept and drop unknown fields', () => {
    const fromNewer = { ...turnStarted, priority: 3, userMessage: { text: 'hi', mood: 'good' } };
    expect(SCHEMAS.ClientAction.parse(fromNewer)).toStrictEqual(turnStarted);
  });

  it.each([
    ['a number where a string belongs', { ...turnStarted, turnId: 5 }],
    ['a string where a number belongs', { ...turnStarted, at: 'now' }],
    ['a missing field', { ...turnStarted, userMessage: undefined }],
    ['an explicit undefined', { ...turnStarted, queuedMessageId: undefined }],
    ['null for an optional field', { ...turnStarted, queuedMessageId: null }],
    ['not a number', { ...turnStarted, at: Number.NaN }],
    ['an action of the host', { type: 'session/ready', session: 'mock:/s1', at: 1 }],
    ['no type', { ...turnStarted, type: undefined }],
    ['an array', []],
    ['nothing', null],
    ['[SCH3] an empty id', { ...turnStarted, turnId: '' }],
    ['[SCH3] a long id', { ...turnStarted, turnId: 'a'.repeat(MAX_ID_LENGTH + 1) }],
    ['[SCH3] a control character in an id', { ...turnStarted, turnId: 'a\u001b[31m' }],
    ['[SCH3] a long text', { ...turnStarted, userMessage: { text: 'a'.repeat(MAX_TEXT_LENGTH + 1) } }],
    [
      '[SCH3] many attachments',
      {
        ...turnStarted,
        userMessage: { text: '', attachments: Array(MAX_ATTACHMENTS + 1).fill({ kind: 'text', label: '' }) },
      },
    ],
    [
      '[SCH3] a long order',
      {
        type: 'session/queuedMessagesReordered',
        session: 'mock:/s1',
        at: 1,
        order: Array(MAX_QUEUED_MESSAGES + MAX_DISPLACED_MESSAGES + 1).fill('m'),
      },
    ],
    ['[SCH4] an unsafe id', { ...turnStarted, turnId: '__proto__' }],
    ['[SCH4] another unsafe id', { ...turnStarted, turnId: 'constructor' }],
  ])('refuse %s', (_, action) => {
    expect(SCHEMAS.ClientAction.safeParse(action).success).toBe(false);
  });

  it('check a dispatched action twice: whether it can be answered, then whether it is valid', () => {
    const wrong = { clientSeq: 3, action: { type: 'session/turnStarted', turnId: 5 } };
    expect(uncheckedDispatchActionParams.parse(wrong)).toStrictEqual(wrong);
    expect(SCHEMAS.DispatchActionParams.safeParse(wrong).success).toBe(false);
    for (const clientSeq of [0, -1, 1.5, '1', undefined]) {
      expect(uncheckedDispatchActionParams.safeParse({ clientSeq, action: turnStarted }).success).toBe(false);
    }
  });

  const valid: { readonly [K in keyof Commands]: Commands[K]['params'] } = {
    initialize: {
      protocolVersion: 1,
      clientId: 'c1',
      clientInfo: { name: 'test' },
      initialSubscriptions: ['agenthost:root'],
    },
    reconnect: { clientId: 'c1', lastSeenServerSeq: 7, subscriptions: ['mock:/s1'] },
    subscribe: { resource: 'mock:/s1', turns: 30 },
    createSession: {
      session: 'mock:/s1',
      provider: 'mock',
      workingDirectory: 'file:///tmp',
      config: { deep: { er: 1 } },
    },
    forkSession: { source: 'mock:/s1', session: 'mock:/s2', toTurnId: 't1' },
    importSession: {
      session: 'mock:/s1',
      title: 'Elsewhere',
      turns: [
        {
          id: 't1',
          userMessage: { text: 'hello' },
          responseParts: [],
          toolCalls: [],
          state: 'complete',
          startedAt: 1,
          endedAt: 2,
        },
      ],
      more: true,
    },
    disposeSession: { session: 'mock:/s1' },
    listSessions: { filter: { status: 'inputNeeded', text: 'words' }, limit: 50, cursor: 'c' },
    fetchTurns: { session: 'mock:/s1', range: { before: 't9', limit: 20 } },
    fetchParts: { session: 'mock:/s1', turnId: 't1', before: 300, limit: 100 },
    fetchEvents: { session: 'mock:/s1', after: '7-100-200-0011aabb', limit: 100 },
    fetchContent: { uri: 'mock://s1/c1', range: { offset: 0, length: 10 } },
    listArtifacts: { session: 'mock:/s1', kind: 'file', limit: 100, cursor: 'mock://s1/file/a.txt' },
    browseDirectory: { uri: 'file:///tmp' },
    installAgent: { provider: 'claude' },
    removeAgent: { provider: 'claude' },
    listDevices: {},
    fetchAudit: { session: 'mock:/s1', before: '3-120', limit: 50 },
    addDevice: { name: 'Firefox on Linux', known: 'a token' },
    updateDevice: { device: 'd1', role: 'viewer', name: 'Kitchen tablet' },
    removeDevice: { device: 'd1' },
    createPairing: { role: 'approver', replaces: 'p1' },
    fetchPairing: { pairing: 'p1' },
    removePairing: { pairing: 'p1' },
    listWebhooks: {},
    addWebhook: { url: 'https://example.org/in', events: ['needsInput', 'turnEnded'], content: true },
    removeWebhook: { webhook: 'wh_1' },
    enableWebhook: { webhook: 'wh_1' },
    testWebhook: { webhook: 'wh_1' },
    shareSession: { session: 'mock:/s1', validMs: 3_600_000 },
    updateAgent: { provider: 'claude' },
    cancelInstall: { provider: 'claude' },
    beginLogin: { provider: 'claude', columns: 80, rows: 24 },
    sendToLogin: { login: 'l1', data: 'y\r', size: { columns: 100, rows: 30 } },
    endLogin: { login: 'l1' },
    checkLogin: { provider: 'claude' },
    setAgentKey: { provider: 'claude', key: 'sk-1' },
    logOutAgent: { provider: 'claude' },
    createTerminal: { session: 'mock:/s1', columns: 80, rows: 24 },
    listTerminals: { session: 'mock:/s1' },
    attachTerminal: { terminal: 'agenthost:terminal/t1' },
    confirmTerminal: { terminal: 'agenthost:terminal/t1', offset: 65_536 },
    detachTerminal: { terminal: 'agenthost:terminal/t1' },
    sendToTerminal: { terminal: 'agenthost:terminal/t1', seq: 1, data: 'y\r', take: true },
    closeTerminal: { terminal: 'agenthost:terminal/t1' },
    listNativeSessions: { limit: 3, cursor: '1 claude/n1' },
    fetchNativeTurns: { id: 'claude/n1', before: 't1', limit: 30 },
    continueNativeSession: { id: 'claude/n1', session: 'claude:/s1', asCopy: true },
    setClientTools: {
      session: 'mock:/s1',
      tools: [{ name: 'open_file', description: 'Opens a file.', inputSchema: { type: 'object' } }],
    },
    listChanges: { session: 'mock:/s1', since: 'lastTurn', limit: 100, cursor: 'a.b.1' },
    fetchDiff: { session: 'mock:/s1', path: 'src/a.ts', since: 'session', cursor: 2_000 },
    fetchVersion: { session: 'mock:/s1', path: 'src/a.ts', from: 'a'.repeat(40), to: 'b'.repeat(40), side: 'old' },
    restoreFiles: { session: 'mock:/s1', toTurnId: 't1', paths: ['src'] },
    commitChanges: { session: 'mock:/s1', message: 'a change', paths: ['src'], runHooks: true },
    previewMerge: { session: 'mock:/s1', into: 'main' },
    mergeChanges: { session: 'mock:/s1', into: 'main', squash: true, message: 'all of it' },
    pushChanges: { session: 'mock:/s1', remote: 'origin' },
    pullRequest: { session: 'mock:/s1', remote: 'origin', into: 'main', title: 'A change', body: 'Why' },
    fetchChanges: { session: 'mock:/s1', watch: true },
    revertChanges: {
      session: 'mock:/s1',
      path: 'src/a.ts',
      from: '0'.repeat(40),
      to: 'f'.repeat(40),
      hunks: [{ oldStart: 1, oldLines: 2, newStart: 1, newLines: 3 }],
    },
    rewindSession: { session: 'mock:/s1', turnId: 't1', restoreFiles: true },
    listFolder: { session: 'mock:/s1', path: 'src', limit: 100, cursor: 'file a.ts' },
    readFile: { session: 'mock:/s1', path: 'src/a.ts', line: 12, length: 1_000 },
    findFiles: { session: 'mock:/s1', query: 'a.ts', limit: 20 },
    checkFiles: { session: 'mock:/s1', paths: ['src/a.ts'] },
    fetchTestCommand: { session: 'mock:/s1' },
    runTests: { session: 'mock:/s1', command: 'npm test' },
    stopTests: { session: 'mock:/s1' },
    'sessionFs.setProvider': { initialCwd: '/', sessionStatePath: '/state', conventions: 'posix' },
    fetchPushKey: {},
    setPushSubscription: {
      endpoint: 'https://push.example/abc',
      keys: PUSH_KEYS,
      notify: 'needsInput',
    },
    removePushSubscription: { endpoint: 'https://push.example/abc' },
    lookAt: { session: 'mock:/s1', subscription: 'p1' },
    ping: {},
  };

  it.each(Object.entries(valid))('accept the params of %s', (method, params) => {
    expect(COMMAND_SCHEMAS[method as keyof Commands].params.parse(params)).toStrictEqual(params);
  });

  it.each([
    ['initialize', { protocolVersion: '1', clientId: 'c1' }],
    ['initialize', { protocolVersion: 1, clientId: '__proto__' }],
    ['reconnect', { clientId: 'c1', lastSeenServerSeq: -1, subscriptions: [] }],
    ['subscribe', { resource: 'mock:/s1', turns: 201 }],
    ['subscribe', { resource: 'mock:/s1', turns: 0 }],
    ['listSessions', { limit: 501 }],
    ['listSessions', { filter: { status: 'busy' } }],
    ['listArtifacts', { session: 'mock:/s1', limit: 501 }],
    ['listArtifacts', { session: 'mock:/s1', kind: 'secret' }],
    ['importSession', { session: 'mock:/s1', turns: [{ id: 't1' }] }],
    ['importSession', { session: 'mock:/s1', turns: [], more: false }],
    ['fetchTurns', { session: 'mock:/s1', range: { limit: 0 } }],
    ['fetchContent', { uri: 'mock://s1/c1', range: { offset: -1, length: 1 } }],
    ['fetchContent', { uri: 'mock://s1/c1', range: { offset: 0, length: 1e9 } }],
    ['setClientTools', { session: 'mock:/s1', tools: [{ name: '../x', description: '', inputSchema: {} }] }],
    ['sessionFs.setProvider', { initialCwd: '/', sessionStatePath: '/', conventions: 'vms' }],
    ['setPushSubscription', { endpoint: 'not an address', keys: PUSH_KEYS, notify: 'needsInput' }],
    [
      'setPushSubscription',
      { endpoint: `https://p.example/${'x'.repeat(2_048)}`, keys: PUSH_KEYS, notify: 'needsInput' },
    ],
    ['setPushSubscription', { endpoint: 'https://p.example/', keys: PUSH_KEYS, notify: 'everything' }],
    ['setPushSubscription', { endpoint: 'https://p.example/', keys: { p256dh: 'B', auth: 'a' }, notify: 'needsInput' }],
    ['lookAt', { session: '' }],
    ['addDevice', { name: '' }],
    ['addDevice', { name: 'x'.repeat(65) }],
    ['updateDevice', { device: 'd1', role: 'king' }],
    ['createPairing', {}],
    ['addWebhook', { url: 'https://example.org/in', events: [] }],
    ['addWebhook', { url: 'https://example.org/in', events: ['everything'] }],
    ['addWebhook', { url: `https://example.org/${'x'.repeat(2_048)}`, events: ['turnEnded'] }],
    ['shareSession', { session: 'mock:/s1' }],
    ['shareSession', { session: 'mock:/s1', validMs: 0 }],
    ['shareSession', { session: 'mock:/s1', validMs: 31 * 86_400_000 }],
    ['subscribe', { resource: 5 }],
    ['runTests', { session: 'mock:/s1', command: 'true\nrm -rf .' }],
    ['runTests', { session: 'mock:/s1', command: ' ' }],
    ['runTests', { session: 'mock:/s1', command: 'x'.repeat(2_001) }],
    ['ping', 5],
  ] as const)('refuse %s %j', (method, params) => {
    expect(COMMAND_SCHEMAS[method].params.safeParse(params).success).toBe(false);
  });
});

describe('the types', () => {
  const folder = join(import.meta.dirname, '../../src/types');

  it('[SCH1] are what the schemas say; `npm run schemas` writes them', () => {
    const files = typeFiles();
    expect(readdirSync(folder).sort()).toEqual(Object.keys(files).sort());
    for (const [name, content] of Object.entries(files)) {
      expect(readFileSync(join(folder, name), 'utf8'), name).toBe(content);
    }
  });
});

describe('JSON Schema files', () => {
  const folder = join(import.meta.dirname, '../../schema');

  it('[SCH5] match the schemas; `npm run schemas` writes them', () => {
    const files = jsonSchemaFiles();
    expect(readdirSync(folder).sort()).toEqual(Object.keys(files).sort());
    for (const [name, content] of Object.entries(files)) {
      expect(JSON.parse(readFileSync(join(folder, name), 'utf8')), name).toEqual(JSON.parse(JSON.stringify(content)));
    }
  });

  it('define every wire type, and refer to nothing else', () => {
    const text = Object.keys(jsonSchemaFiles())
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    const refs = new Set([...text.matchAll(/#\/\$defs\/(\w+)"/g)].map(([, name]) => name));
    expect(refs.size).toBeGreaterThan(80);
    for (const name of refs) expect(Object.keys(SCHEMAS)).toContain(name);
  });
});
