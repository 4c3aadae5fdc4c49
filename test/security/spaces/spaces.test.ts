import type { ListSessionsResult, Notification } from '@agenthost/protocol';
import { COMMAND_INTRODUCED_IN } from '@agenthost/protocol/internal';
import { afterEach, describe, expect, it } from 'vitest';
import type { RawClient } from '../../support/rawClient.js';
import { postgresOfFile } from '../../support/storage/postgresOfFile.js';
import { makeSession, SpaceWorld, WORLDS } from './spaceWorlds.js';

const TREE = '0'.repeat(40);

// Each command, action and notification with a session of another space and with one that does not exist: the answers are equal.

const postgres = postgresOfFile();
let world: SpaceWorld | undefined;
afterEach(async () => {
  await world?.dispose();
  world = undefined;
});

const NOBODY = `mock:/${crypto.randomUUID()}`;
const idOf = (uri: string) => uri.slice(uri.indexOf(':/') + 2);

type Ask = (world: SpaceWorld, client: RawClient, uri: string) => Promise<unknown>;

/** What a client is answered, of a session that it names. */
const ask =
  (method: string, params: (uri: string) => object): Ask =>
  async (_world, client, uri) => {
    const { result, error } = await client.ask(method, params(uri));
    return { result, error };
  };

/** A new connection that names the session in its handshake. */
const shakeHands =
  (method: string, params: (uri: string) => object): Ask =>
  async (at, _client, uri) => {
    const client = await at.connect('default');
    const { result, error } = await client.ask(method, params(uri));
    const { serverSeq: _, ...answer } = (result ?? {}) as { serverSeq?: number };
    return { answer, error };
  };

const SAME = 'a-client-that-comes-back';

/** By command. Those without a row are about no session that exists. */
const COMMANDS: Readonly<Record<string, readonly Ask[]>> = {
  initialize: [
    shakeHands('initialize', (uri) => ({ protocolVersion: 2, clientId: SAME, initialSubscriptions: [uri] })),
    shakeHands('initialize', (uri) => ({ protocolVersion: 1, clientId: SAME, initialSubscriptions: [uri] })),
  ],
  reconnect: [
    shakeHands('reconnect', (uri) => ({
      protocolVersion: 2,
      clientId: SAME,
      lastSeenServerSeq: 0,
      subscriptions: [uri],
    })),
    shakeHands('reconnect', (uri) => ({ clientId: SAME, lastSeenServerSeq: 0, subscriptions: [uri] })),
  ],
  subscribe: [ask('subscribe', (resource) => ({ resource }))],
  disposeSession: [ask('disposeSession', (session) => ({ session }))],
  fetchTurns: [ask('fetchTurns', (session) => ({ session, range: { limit: 5 } }))],
  fetchParts: [ask('fetchParts', (session) => ({ session, turnId: 'first', limit: 5 }))],
  fetchEvents: [ask('fetchEvents', (session) => ({ session, limit: 5 }))],
  listChanges: [ask('listChanges', (session) => ({ session, since: 'base' }))],
  fetchDiff: [ask('fetchDiff', (session) => ({ session, path: 'a', since: 'base' }))],
  fetchVersion: [ask('fetchVersion', (session) => ({ session, path: 'a', from: TREE, to: TREE, side: 'old' }))],
  restoreFiles: [ask('restoreFiles', (session) => ({ session, toTurnId: 'first' }))],
  commitChanges: [ask('commitChanges', (session) => ({ session, message: 'a change' }))],
  previewMerge: [ask('previewMerge', (session) => ({ session, into: 'main' }))],
  mergeChanges: [ask('mergeChanges', (session) => ({ session, into: 'main' }))],
  pushChanges: [ask('pushChanges', (session) => ({ session }))],
  pullRequest: [ask('pullRequest', (session) => ({ session }))],
  fetchChanges: [ask('fetchChanges', (session) => ({ session }))],
  revertChanges: [ask('revertChanges', (session) => ({ session, path: 'a', from: TREE, to: TREE }))],
  rewindSession: [ask('rewindSession', (session) => ({ session, turnId: 'first' }))],
  fetchTestCommand: [ask('fetchTestCommand', (session) => ({ session }))],
  runTests: [ask('runTests', (session) => ({ session, command: 'true' }))],
  stopTests: [ask('stopTests', (session) => ({ session }))],
  noteExport: [ask('noteExport', (session) => ({ session, format: 'md' }))],
  fetchAudit: [ask('fetchAudit', (session) => ({ session, limit: 5 }))],
  listFolder: [ask('listFolder', (session) => ({ session }))],
  readFile: [ask('readFile', (session) => ({ session, path: 'package.json' }))],
  findFiles: [ask('findFiles', (session) => ({ session, query: '' }))],
  checkFiles: [ask('checkFiles', (session) => ({ session, paths: ['package.json'] }))],
  listArtifacts: [ask('listArtifacts', (session) => ({ session }))],
  fetchContent: [
    ask('fetchContent', (uri) => ({ uri: `mock://${idOf(uri)}/some-content` })),
    ask('fetchContent', (uri) => ({ uri: `mock://${idOf(uri)}/files/notes.md` })),
  ],
  forkSession: [
    ask('forkSession', (source) => ({ source, session: `mock:/fork-${Math.random().toString(36).slice(2)}` })),
    ask('forkSession', (source) => ({
      source,
      session: `mock:/fork-${Math.random().toString(36).slice(2)}`,
      toTurnId: 'first',
    })),
  ],
  createTerminal: [ask('createTerminal', (session) => ({ session, columns: 80, rows: 24 }))],
  listTerminals: [ask('listTerminals', (session) => ({ session }))],
  shareSession: [ask('shareSession', (session) => ({ session, validMs: 60_000 }))],
  setClientTools: [
    ask('setClientTools', (session) => ({
      session,
      tools: [{ name: 'ring', description: '', inputSchema: { type: 'object' } }],
    })),
  ],
  lookAt: [ask('lookAt', (session) => ({ session }))],
  listSessions: [
    ask('listSessions', () => ({})),
    ask('listSessions', () => ({ filter: { text: 'secret' } })),
    ask('listSessions', () => ({ filter: { text: 'sec' } })),
    ask('listSessions', () => ({ filter: { provider: 'mock', isArchived: false } })),
    ask('listSessions', () => ({ filter: { modifiedSince: 0 } })),
  ],
};
/** `createSession`, `importSession` and the target of a fork say that an id is taken; the others name no session. */
const OTHERS = [
  'createSession',
  'importSession',
  'browseDirectory',
  'installAgent',
  'removeAgent',
  'sessionFs.setProvider',
  'ping',
  ...['fetchPushKey', 'setPushSubscription', 'removePushSubscription'],
  ...[
    'updateAgent',
    'cancelInstall',
    'beginLogin',
    'sendToLogin',
    'endLogin',
    'checkLogin',
    'setAgentKey',
    'logOutAgent',
  ],
  // Sessions of terminals: test/e2e/agents/nativeSessions.
  ...['listNativeSessions', 'fetchNativeTurns', 'continueNativeSession'],
  // Terminals of other spaces: test/e2e/terminals/sharedTerminals.
  ...['attachTerminal', 'confirmTerminal', 'detachTerminal', 'sendToTerminal', 'closeTerminal'],
  // Devices of other spaces: test/e2e/connections/devices.
  ...['listDevices', 'addDevice', 'updateDevice', 'removeDevice', 'createPairing', 'fetchPairing', 'removePairing'],
  // test/e2e/webhooks.
  ...['listWebhooks', 'addWebhook', 'removeWebhook', 'enableWebhook', 'testWebhook'],
];

/** Dispatched actions are answered with an envelope. */
const ACTIONS: readonly ((uri: string) => object)[] = [
  (session) => ({ type: 'session/titleChanged', session, title: 'mine' }),
  (session) => ({ type: 'session/turnStarted', session, turnId: 't', userMessage: { text: 'mine' } }),
  (session) => ({ type: 'session/turnCancelled', session, turnId: 'first' }),
  (session) => ({ type: 'session/isArchivedChanged', session, isArchived: true }),
];

/** The same text for both sessions. Of the audit trail, the user's own tries are answered: they were made at different times. */
const without = (answer: unknown, uri: string, method = '') => {
  const isTime = (key: string) => method === 'fetchAudit' && (key === 'at' || key === 'nextCursor');
  const text = JSON.stringify(answer, (key, value) => (isTime(key) ? 'a time' : value));
  return JSON.parse(text.replaceAll(idOf(uri), 'ID'));
};

async function expectNothing(at: SpaceWorld, client: RawClient, uri: string, what: string): Promise<void> {
  for (const [method, asks] of Object.entries(COMMANDS)) {
    for (const [n, one] of asks.entries()) {
      const [theirs, none] = [await one(at, client, uri), await one(at, client, NOBODY)];
      expect([what, method, n, without(theirs, uri, method)]).toEqual([what, method, n, without(none, NOBODY, method)]);
      expect(JSON.stringify(theirs)).not.toContain('secret');
    }
  }
  for (const action of ACTIONS) {
    const envelopes = [await client.act(action(uri)), await client.act(action(NOBODY))];
    const [theirs, none] = envelopes.map(({ serverSeq: _, origin: __, ...envelope }, n) =>
      without(envelope, n === 0 ? uri : NOBODY),
    );
    expect(theirs).toEqual(none);
    expect(theirs).toMatchObject({ rejection: { code: 'unknownSession' } });
  }
}

it('[SPACE1] every command has a row', () => {
  expect([...Object.keys(COMMANDS), ...OTHERS].toSorted()).toEqual(Object.keys(COMMAND_INTRODUCED_IN).toSorted());
});

describe.each(WORLDS)('sessions of another space, %s', (kind) => {
  const start = async () => {
    world = await SpaceWorld.start(kind, postgres.server);
    return world;
  };

  it('[SPACE1] are answered like sessions that do not exist: loaded, provisional and stored', async () => {
    const at = await start();
    const maker = await at.open('design', at.owner);
    const theirs = await makeSession(maker, 'secret plans');
    const client = await at.open('default');
    await expectNothing(at, client, theirs, 'loaded');
    const provisional = `mock:/${crypto.randomUUID()}`;
    await maker.request('createSession', { session: provisional, provisional: true });
    await expectNothing(at, client, provisional, 'provisional');
    // Nothing of all that has reached it.
    const state = await maker.stateOf(theirs);
    expect(state).toMatchObject({ summary: { title: 'secret plans', isArchived: false }, turns: [{ id: 'first' }] });
    expect(state.activeTurn).toBeUndefined();
    await at.restart();
    await expectNothing(at, await at.open('default'), theirs, 'stored');
    expect((await (await at.open('design')).stateOf(theirs)).summary.title).toBe('secret plans');
  });

  it('[SPACE1] are not told of: added, changed, removed, in windows or as progress', async () => {
    const at = await start();
    const maker = await at.open('design', at.owner);
    const colleague = await at.open('design');
    const strangers = [await at.open('default'), await at.open('default', at.other, { watch: { limit: 5 } })];
    strangers.push(await at.open('sales'), await at.open('sales', at.other, { watch: { limit: 5 } }));
    const theirs = await makeSession(maker, 'secret plans');
    await maker.request('forkSession', { source: theirs, session: 'mock:/their-fork' });
    await maker.request('disposeSession', { session: theirs });
    const hears = (type: Notification['type']) =>
      colleague.next(({ params }) => params?.notification?.type === type, type);
    for (const type of ['notify/sessionAdded', 'notify/sessionRemoved'] as const) await hears(type);
    for (const stranger of strangers) {
      await stranger.fence();
      expect(stranger.notifications.filter(({ type }) => type.startsWith('notify/session'))).toEqual([]);
    }
    const list = () => colleague.request<ListSessionsResult>('listSessions', {});
    await expect.poll(list).toMatchObject({ items: [{ resource: 'mock:/their-fork' }], total: 1 });
  });

  it('[SPACE2] are made where their creator is, forked where their source is, and imported where the importer is', async () => {
    const at = await start();
    const [design, sales] = [await at.open('design', at.owner), await at.open('sales', at.owner)];
    const mine = await makeSession(design, 'a design');
    const theirs = await makeSession(sales, 'a sale');
    await design.request('forkSession', { source: mine, session: 'mock:/fork' });
    const { turns } = await design.request<{ turns: object[] }>('fetchTurns', { session: mine, range: { limit: 5 } });
    await sales.request('importSession', { session: 'mock:/import', turns, title: 'an import' });
    // Another host's index may be a moment behind.
    const expectList = async (space: string, filter: object, expected: readonly string[]) => {
      const client = await at.open(space);
      const list = async () => {
        const { items, total } = await client.request<ListSessionsResult>('listSessions', { filter });
        return { total, items: items.map(({ resource }) => resource).toSorted() };
      };
      await expect.poll(list, { timeout: 10_000 }).toEqual({ total: expected.length, items: expected.toSorted() });
    };
    await expectList('design', {}, [mine, 'mock:/fork']);
    await expectList('sales', {}, [theirs, 'mock:/import']);
    await expectList('default', {}, []);
    await expectList('sales', { text: 'about' }, [theirs, 'mock:/import']);
    await expectList('design', { text: 'sale' }, []);
    await expectList('design', { provider: 'mock', modifiedSince: 0 }, [mine, 'mock:/fork']);
  });

  it('[SPACE3] only tell that their id is taken, and are not opened or kept from their own space by that', async () => {
    const at = await start();
    const design = await at.open('design', at.owner);
    const theirs = await makeSession(design, 'secret plans');
    const client = await at.open('default');
    const taken = await client.refusal('createSession', { session: theirs });
    expect(taken.message).toContain('already exists');
    expect(await client.refusal('importSession', { session: theirs, turns: [] })).toMatchObject({ code: taken.code });
    const mine = await makeSession(client, 'my own');
    expect(await client.refusal('forkSession', { source: mine, session: theirs })).toMatchObject({ code: taken.code });
    // Somebody tries to make it again and again: its own space opens it all the same.
    const colleague = await at.open('design');
    const tries = Array.from({ length: 20 }, () => client.refusal('createSession', { session: theirs }));
    for (let n = 0; n < 10; n++) {
      const opener = await at.open('design', at.other, { initialSubscriptions: [theirs] });
      expect((await opener.stateOf(theirs)).summary.title).toBe('secret plans');
    }
    await Promise.all(tries);
    expect((await colleague.stateOf(theirs)).summary.title).toBe('secret plans');
  });

  it('[SPACE2] are used by their own space as any other: actions, presence, artifacts, reconnect', async () => {
    const at = await start();
    const [one, two] = [await at.open('design', at.owner), await at.open('design')];
    const session = await makeSession(one, 'shared');
    await two.stateOf(session);
    await two.act({ type: 'session/titleChanged', session, title: 'from the other' });
    expect((await one.stateOf(session)).summary.title).toBe('from the other');
    await one.nextAction(session, 'session/clientsChanged', ({ clients }) => clients.length === 2);
    await two.request('fetchTurns', { session, range: { limit: 5 } });
    await two.request('listArtifacts', { session });
    const again = await at.connect('design');
    const params = {
      protocolVersion: 2,
      clientId: crypto.randomUUID(),
      lastSeenServerSeq: 0,
      subscriptions: [session],
    };
    expect(await again.request('reconnect', params)).toMatchObject({ missing: [] });
    // What is sent right behind its making finds it.
    const made = `mock:/${crypto.randomUUID()}`;
    const [, , snapshot] = await Promise.all([
      two.request('createSession', { session: made }),
      two.act({ type: 'session/titleChanged', session: made, title: 'at once' }),
      two.request('subscribe', { resource: made }),
    ]);
    expect(snapshot).toMatchObject({ resource: made });
    const forked = `mock:/${crypto.randomUUID()}`;
    await Promise.all([
      two.request('forkSession', { source: session, session: forked }),
      two.request('subscribe', { resource: forked }),
    ]);
    await two.request('disposeSession', { session });
    expect(await one.refusal('subscribe', { resource: session })).toMatchObject({ message: `no session ${session}` });
  });

  it('[SPACE2] take the actions of a client in order while they are being opened', async () => {
    const at = await start();
    const sessions = [];
    const maker = await at.open('design', at.owner);
    for (let n = 0; n < 5; n++) sessions.push(await makeSession(maker, `session ${n}`));
    await at.restart();
    const [sender, other] = [await at.open('design'), await at.open('design')];
    for (const session of sessions) {
      const sent = Array.from({ length: 20 }, (_, n) => {
        // Somebody else opens it in the middle.
        if (n === 10) void other.ask('subscribe', { resource: session });
        return sender.dispatch({ type: 'session/titleChanged', session, title: `title ${n}` });
      });
      const numbers = [];
      for (const clientSeq of sent) numbers.push((await sender.echo(clientSeq)).serverSeq);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      expect((await other.stateOf(session)).summary.title).toBe('title 19');
    }
  });
});
