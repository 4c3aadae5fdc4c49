import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { MAX_SNAPSHOT_TURNS } from '@agenthost/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AhpTestHost, ahpSession, ahpSubscribe, ahpTurn, startAhpHost } from '../support/ahpHost.js';

let host: AhpTestHost;
beforeAll(async () => {
  host = await startAhpHost({
    activeClientMs: 50,
    maxSnapshotTurns: 40,
    maxSubscriptions: 20,
    maxDraftChars: 1_000,
    maxActiveClientsPerSession: 2,
    maxConfigChars: 5_000,
    // Never by time, so that a test can tell what else does it.
    toolOutputMs: 2_000_000_000,
    holdBackMs: 2_000_000_000,
  });
});
afterAll(() => host.dispose());

it('older turns come by cursor, page after page', async () => {
  const ours = await host.connect();
  const turns = Array.from({ length: 130 }, (_, n) => ({
    id: `t${n}`,
    userMessage: { text: `message ${n}` },
    responseParts: [],
    toolCalls: [],
    state: 'complete' as const,
    startedAt: n,
    endedAt: n + 1,
  }));
  const { uri } = await ours.importSession({ provider: 'mock', turns });
  const client = await host.client('scrolls');
  const { chat, snapshots } = await ahpSubscribe(client, uri);
  const ids = snapshots.chat.state.turns.map(({ id }: { id: string }) => id);
  expect(ids).toHaveLength(40);
  let cursor = snapshots.chat.state.turnsNextCursor;
  while (cursor !== undefined) {
    expect(await client.request('fetchTurns', { channel: chat, cursor })).toEqual({});
    const { action } = await client.action('chat/turnsLoaded');
    ids.unshift(...action.turns.map(({ id }: { id: string }) => id));
    cursor = action.turnsNextCursor;
  }
  expect(ids).toEqual(turns.map(({ id }) => id));
  expect(ids.length).toBeLessThan(MAX_SNAPSHOT_TURNS);
  expect(await client.refusal('fetchTurns', { channel: chat, cursor: 'made up' })).toMatchObject({ code: -32602 });
  expect(await client.refusal('fetchTurns', { channel: uri })).toMatchObject({ code: -32602 });
});

it('a draft is shared, kept, and bounded', async () => {
  const [one, two] = [await host.client('writes'), await host.client('reads along')];
  const { session, chat } = await ahpSession(one);
  await ahpSubscribe(two, session);
  const draft = { text: 'half a sent', origin: { kind: 'user' } };
  expect(await one.act(chat, { type: 'chat/draftChanged', draft })).not.toHaveProperty('rejectionReason');
  expect((await two.action('chat/draftChanged')).action.draft).toEqual(draft);
  const three = await host.client('comes later');
  expect((await ahpSubscribe(three, session)).snapshots.chat.state.draft).toEqual(draft);
  const long = { text: 'x'.repeat(2_000), origin: { kind: 'user' } };
  expect(await one.act(chat, { type: 'chat/draftChanged', draft: long })).toHaveProperty('rejectionReason');
  await one.act(chat, { type: 'chat/draftChanged' });
  expect((await ahpSubscribe(three, session)).snapshots.chat.state.draft.text).toBe('');
});

it('active clients are visible to all, change only themselves, and leave with their client', async () => {
  const [one, two, three] = await Promise.all(['first', 'second', 'third'].map((name) => host.client(name)));
  if (!one || !two || !three) throw new Error('three clients');
  const { session } = await ahpSession(one);
  await ahpSubscribe(two, session);
  const set = (clientId: string) => ({ type: 'session/activeClientSet', activeClient: { clientId, tools: [] } });
  await one.act(session, set('first'));
  expect((await two.action('session/activeClientSet')).action.activeClient.clientId).toBe('first');
  expect(await two.act(session, set('first'))).toHaveProperty('rejectionReason');
  await two.act(session, set('second'));
  expect(await three.act(session, set('third'))).toHaveProperty('rejectionReason');
  await one.end();
  expect((await two.action('session/activeClientRemoved')).action.clientId).toBe('first');
  const { snapshots } = await ahpSubscribe(three, session);
  expect(snapshots.session.state.activeClients).toEqual([{ clientId: 'second', tools: [] }]);
});

it('limits subscriptions and configuration', async () => {
  const client = await host.client('greedy');
  const { session } = await ahpSession(client);
  for (let n = 0; n < 17; n++) await client.request('subscribe', { channel: `${session}/changeset/turn/t${n}` });
  expect(await client.refusal('subscribe', { channel: `${session}/changeset/turn/more` })).toMatchObject({
    code: -32000,
  });
  const config = { key: 'x'.repeat(6_000) };
  expect(await client.act('ahp-root://', { type: 'root/configChanged', config })).toHaveProperty('rejectionReason');
});

it('applies the limits also to concurrent requests', async () => {
  const { session } = await ahpSession(await host.client('has one'));
  const channels = Array.from({ length: 50 }, (_, n) => `${session}/changeset/turn/t${n}`);
  const client = await host.open();
  const { snapshots } = await client.request('initialize', {
    protocolVersions: ['0.9.0'],
    clientId: 'greedier',
    initialSubscriptions: channels,
  });
  expect(snapshots).toHaveLength(20);
});

it('the model of a message becomes the session’s before the turn; an unknown one does not cost the turn', async () => {
  const client = await host.client('chooses');
  const { session, chat } = await ahpSession(client);
  const ours = await (await host.connect()).openSession(session);
  const ask = async (id: string) => {
    const action = ahpTurn('model');
    await client.act(chat, { ...action, message: { ...action.message, model: { id } } });
    await client.action('chat/turnComplete');
    return ours.confirmed.value.summary.model;
  };
  expect(await ask('mock-large')).toBe('mock-large');
  expect(await ask('of-somebody-else')).toBe('mock-large');
});

it('changesets show the changes of the turn and of the session, with both sides of each file', async () => {
  const client = await host.client('compares');
  const folder = join(host.stateDir, 'project');
  await mkdir(folder);
  await writeFile(join(folder, 'a.txt'), 'old\n');
  const session = `mock:/${crypto.randomUUID()}`;
  const workingDirectories = [pathToFileURL(folder).href];
  await client.request('createSession', { channel: session, provider: 'mock', workingDirectories });
  const { chat, snapshots } = await ahpSubscribe(client, session);
  const [ofSession, ofTurn] = snapshots.session.state.changesets;
  expect(ofSession).toMatchObject({ changeKind: 'session' });
  expect((await client.request('subscribe', { channel: ofSession.uriTemplate })).snapshot.state.files).toEqual([]);
  await client.act(chat, ahpTurn('write-file a.txt', 'turn-1'));
  const asked = await client.action('chat/toolCallReady');
  const call = { turnId: 'turn-1', toolCallId: asked.action.toolCallId };
  await client.act(chat, { type: 'chat/toolCallConfirmed', ...call, approved: true, confirmed: 'user-action' });
  const { action } = await client.action('changeset/fileSet', ({ channel }) => channel === ofSession.uriTemplate);
  const uri = pathToFileURL(join(folder, 'a.txt')).href;
  expect(action.file).toMatchObject({ id: uri, edit: { after: { uri }, diff: { added: 1, removed: 1 } } });
  await client.action('chat/turnComplete');
  const channel = ofTurn.uriTemplate.replace('{turnId}', 'turn-1');
  const { state } = (await client.request('subscribe', { channel })).snapshot;
  expect(state.files).toMatchObject([{ id: uri }]);
  const { before } = state.files[0].edit;
  expect(await client.request('resourceRead', { uri: before.content.uri })).toMatchObject({ encoding: 'utf-8' });
});

it('reads content that states refer to, lists folders, and resolves their entries', async () => {
  const client = await host.client('looks');
  const { session, chat } = await ahpSession(client);
  await client.act(chat, ahpTurn('big-output 60000'));
  await client.action('chat/turnComplete');
  const { snapshots } = await ahpSubscribe(client, session);
  const [{ toolCall }] = snapshots.chat.state.turns[0].responseParts;
  const ref = toolCall.content.find(({ type }: { type: string }) => type === 'resource');
  const text = await client.request('resourceRead', { uri: ref.uri });
  expect(text).toMatchObject({ encoding: 'utf-8' });
  expect(text.data).toHaveLength(60_000);
  const bytes = await client.request('resourceRead', { uri: ref.uri, encoding: 'base64' });
  expect(Buffer.from(bytes.data, 'base64').toString()).toBe(text.data);
  const folder = join(host.stateDir, 'to list');
  await mkdir(join(folder, 'inner'), { recursive: true });
  await writeFile(join(folder, 'file.txt'), '');
  const uri = pathToFileURL(folder).href;
  expect(await client.request('resourceList', { uri })).toEqual({
    entries: [
      { name: 'file.txt', type: 'file' },
      { name: 'inner', type: 'directory' },
    ],
  });
  expect(await client.request('resourceResolve', { uri: `${uri}/file.txt` })).toMatchObject({ type: 'file' });
  expect(await client.request('resourceResolve', { uri: `${uri}/inner/` })).toMatchObject({ type: 'directory' });
  expect(await client.request('resourceResolve', { uri: 'file:///' })).toMatchObject({ type: 'directory' });
  expect(await client.refusal('resourceResolve', { uri: `${uri}/nothing` })).toMatchObject({ code: -32008 });
  expect(await client.refusal('resourceList', { uri: `${uri}/nothing` })).toMatchObject({ code: -32008 });
  expect(await client.request('resourceRead', { uri: `${uri}/file.txt` })).toEqual({ data: '', encoding: 'utf-8' });
  const outside = pathToFileURL(import.meta.filename).href;
  expect(await client.refusal('resourceRead', { uri: outside })).toMatchObject({ code: -32009 });
});

it('live output is held back, and sent before anything that follows it', async () => {
  const client = await host.client('reads output');
  const { session, chat } = await ahpSession(client);
  await client.act(chat, ahpTurn('use-tool'));
  await client.action('chat/turnComplete');
  const types = client.received.flatMap(({ method, params }) => (method === 'action' ? [params.action.type] : []));
  // Two pieces of output and then the result, which has both: nothing had to be sent before it.
  expect(types).not.toContain('chat/toolCallContentChanged');
  const { turns } = (await ahpSubscribe(client, session)).snapshots.chat.state;
  const call = turns[0].responseParts.find(({ kind }: { kind: string }) => kind === 'toolCall');
  expect(call.toolCall.content).toEqual([{ type: 'text', text: 'a.txt\nb.txt\n' }]);
});

it('the root counts the sessions', async () => {
  const client = await host.client('counts');
  const { snapshot } = await client.request('subscribe', { channel: 'ahp-root://' });
  const { chat, session } = await ahpSession(client);
  await client.act(chat, ahpTurn('hello'));
  const more = await client.action('root/activeSessionsChanged');
  expect(more.action.activeSessions).toBe(snapshot.state.activeSessions + 1);
  await client.action('chat/turnComplete');
  await client.request('disposeSession', { channel: session });
  const less = await client.action('root/activeSessionsChanged');
  expect(less.action.activeSessions).toBe(snapshot.state.activeSessions);
});

it('an accepted action without a change is answered too', async () => {
  const client = await host.client('insists');
  const { session } = await ahpSession(client);
  for (const _ of [1, 2]) {
    const echo = await client.act(session, { type: 'session/titleChanged', title: 'Same' });
    expect(echo).toMatchObject({ channel: session, action: { type: 'session/titleChanged', title: 'Same' } });
    expect(echo).not.toHaveProperty('rejectionReason');
  }
});

it('envelopes after the answer to a reconnect wait until the client has processed the answer', async () => {
  const client = await host.client('comes back');
  const { session, chat } = await ahpSession(client);
  const other = await host.client('goes on');
  await ahpSubscribe(other, session);
  await client.end();
  const back = await host.open();
  const subscriptions = [session, chat];
  await back.request('reconnect', { clientId: 'comes back', lastSeenServerSeq: 0, subscriptions });
  await other.act(chat, ahpTurn('hello'));
  await other.action('chat/turnComplete');
  await back.request('ping');
  expect(back.received.filter(({ method }) => method === 'action')).toEqual([]);
  // VS Code says this first when it is back.
  back.notify('setClientManagedSettingsPermissions', {});
  await back.action('chat/turnComplete');
  const numbers = back.received.flatMap(({ method, params }) => (method === 'action' ? [params.serverSeq] : []));
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
});

it('chats of one session of ours are separate sessions, which work at once', async () => {
  const ours = await host.connect();
  const first = `mock:/${crypto.randomUUID()}`;
  const second = `mock:/${crypto.randomUUID()}`;
  for (const session of [first, second]) {
    const made = await ours.createSession({ session, provider: 'mock', metadata: { group: first } });
    await made.ready();
  }
  const client = await host.client('sees both');
  const { items } = await client.request('listSessions', { channel: 'ahp-root://' });
  const listed = items.filter(({ _meta }: { _meta?: { group?: string } }) => _meta?.group === first);
  expect(listed.map(({ resource }: { resource: string }) => resource).sort()).toEqual([first, second].sort());
  const one = await ahpSubscribe(client, first);
  const two = await ahpSubscribe(client, second);
  const [confirm, hello] = [ahpTurn('confirm-tool'), ahpTurn('hello')];
  expect(await client.act(one.chat, confirm)).not.toHaveProperty('rejectionReason');
  const asked = await client.action('chat/toolCallReady', ({ action }) => action.turnId === confirm.turnId);
  expect(await client.act(two.chat, hello)).not.toHaveProperty('rejectionReason');
  const done = (turnId: string) => client.action('chat/turnComplete', ({ action }) => action.turnId === turnId);
  expect((await done(hello.turnId)).channel).toBe(two.chat);
  const answer = { turnId: confirm.turnId, toolCallId: asked.action.toolCallId, approved: true };
  await client.act(one.chat, { type: 'chat/toolCallConfirmed', ...answer, confirmed: 'user-action' });
  expect((await done(confirm.turnId)).channel).toBe(one.chat);
  await ours.disposeSession(first);
  expect((await ahpSubscribe(client, second)).snapshots.chat.state.turns).toHaveLength(1);
});
