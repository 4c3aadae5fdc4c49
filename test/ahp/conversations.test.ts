import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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

/** One turn, to its end. */
async function say(client: AhpTestClient, chat: string, text: string, more: object = {}): Promise<string> {
  const action = ahpTurn(text);
  const answer = await client.act(chat, { ...action, message: { ...action.message, ...more } });
  expect(answer).not.toHaveProperty('rejectionReason');
  await client.action('chat/turnComplete', (envelope) => envelope.action.turnId === action.turnId);
  return action.turnId;
}

it('a session is also renamed on its chat’s channel, as VS Code does it', async () => {
  const [client, other] = [await host.client('renames'), await host.client('reads the title')];
  const { session, chat } = await ahpSession(client);
  await ahpSubscribe(other, session);
  for (const title of ['Renamed', 'Renamed']) {
    const answer = await client.act(chat, { type: 'session/titleChanged', title });
    expect(answer).toMatchObject({ channel: session, action: { type: 'session/titleChanged', title } });
    expect(answer).not.toHaveProperty('rejectionReason');
  }
  expect(await other.action('session/titleChanged')).toMatchObject({ channel: session, action: { title: 'Renamed' } });
  const { title } = (await ahpSubscribe(other, session)).snapshots.session.state;
  expect(title).toBe('Renamed');
  const other2 = await client.act(chat, { type: 'session/isArchivedChanged', isArchived: 'perhaps' });
  expect(other2).toHaveProperty('rejectionReason');
});

describe('the model', () => {
  it('is in the messages of turns, as it was then, and in the draft, as it is now', async () => {
    const client = await host.client('chooses models');
    const { session, chat } = await ahpSession(client);
    await say(client, chat, 'model', { model: { id: 'mock-large' } });
    await say(client, chat, 'model', { model: { id: 'mock-small' } });
    await client.act(chat, { ...ahpTurn('slow', 'running') });
    const { chat: state } = (await ahpSubscribe(await host.client('opens it'), session)).snapshots;
    const models = state.state.turns.map((turn: { message: { model?: { id: string } } }) => turn.message.model?.id);
    expect(models).toEqual(['mock-large', 'mock-small']);
    expect(state.state.activeTurn.message.model).toEqual({ id: 'mock-small' });
    expect(state.state.draft).toMatchObject({ text: '', model: { id: 'mock-small' } });
    await client.act(chat, { type: 'chat/turnCancelled', turnId: 'running', duration: 1 });
  });

  it('of a session that has no turn yet is in its draft', async () => {
    const ours = await host.connect();
    const { uri } = await ours.createSession({ provider: 'mock', model: 'mock-large' });
    const { snapshots } = await ahpSubscribe(await host.client('opens a new one'), uri);
    expect(snapshots.chat.state.draft).toEqual({ text: '', origin: { kind: 'user' }, model: { id: 'mock-large' } });
  });

  it('of a session without one is the agent’s own choice, and stays so', async () => {
    const client = await host.client('has no choice');
    const { session, chat, snapshots } = await ahpSession(client);
    expect(snapshots.chat.state.draft.model).toEqual({ id: 'default' });
    const root = (await client.request('subscribe', { channel: 'ahp-root://' })).snapshot.state;
    const mock = root.agents.find(({ provider }: { provider: string }) => provider === 'mock');
    expect(mock.models.map(({ id }: { id: string }) => id)).toContain('default');
    await say(client, chat, 'model', { model: { id: 'default' } });
    const ours = await (await host.connect()).openSession(session);
    expect(ours.confirmed.value.summary).not.toHaveProperty('model');
  });

  it('chosen by another client replaces the one in the draft, and nothing else of it', async () => {
    const ours = await host.connect();
    const session = await ours.createSession({ provider: 'mock', model: 'mock-large' });
    const [one, two] = [await host.client('writes a draft'), await host.client('reads the draft')];
    const { chat } = await ahpSubscribe(one, session.uri);
    await ahpSubscribe(two, session.uri);
    const draft = { text: 'half a', origin: { kind: 'user' }, model: { id: 'mock-large' } };
    await one.act(chat, { type: 'chat/draftChanged', draft });
    await session.dispatch({ type: 'session/modelChanged', model: 'mock-small' });
    const changed = { ...draft, model: { id: 'mock-small' } };
    const isChange = ({ action }: { action: { draft?: { model?: { id: string } } } }) =>
      action.draft?.model?.id === 'mock-small';
    for (const client of [one, two]) {
      expect((await client.action('chat/draftChanged', isChange)).action.draft).toEqual(changed);
    }
    const { snapshots } = await ahpSubscribe(await host.client('opens later'), session.uri);
    expect(snapshots.chat.state.draft).toEqual(changed);
  });
});

describe('a truncation', () => {
  it('is refused, and so is everything that follows it, until the chat is opened again', async () => {
    const [client, other] = [await host.client('restores'), await host.client('stays')];
    const { session, chat } = await ahpSession(client);
    await ahpSubscribe(other, session);
    const first = await say(client, chat, 'hello');
    await say(client, chat, 'hello');
    // Both at once, as VS Code sends them.
    const truncated = client.act(chat, { type: 'chat/truncated', turnId: first });
    const started = client.act(chat, ahpTurn('hello'));
    expect(await truncated).toHaveProperty('rejectionReason');
    expect(await started).toHaveProperty('rejectionReason');
    // VS Code shows the error, and takes the turn that it has begun by itself out again.
    const turnId = (await started).action.turnId;
    expect((await client.action('chat/error')).action).toMatchObject({ turnId, part: { kind: 'error' } });
    expect((await client.action('chat/truncated')).action.turnId).not.toBe(turnId);
    const message = { text: 'hello', origin: { kind: 'user' } };
    const queued = { type: 'chat/pendingMessageSet', kind: 'queued', id: 'q', message };
    expect(await client.act(chat, queued)).toHaveProperty('rejectionReason');
    // No other client is affected, and no other action.
    expect(await client.act(chat, { type: 'session/titleChanged', title: 'x' })).not.toHaveProperty('rejectionReason');
    await say(other, chat, 'hello');
    client.notify('unsubscribe', { channel: chat });
    const { snapshots } = await ahpSubscribe(client, session);
    expect(snapshots.chat.state.turns).toHaveLength(3);
    await say(client, chat, 'hello');
  });

  it('stays refused for a client that reconnects without opening the chat again', async () => {
    const client = await host.client('restores and leaves');
    const { session, chat } = await ahpSession(client);
    await say(client, chat, 'hello');
    await client.act(chat, { type: 'chat/truncated' });
    await client.end();
    const back = await host.open();
    const subscriptions = ['ahp-root://', session, chat];
    await back.request('reconnect', { clientId: 'restores and leaves', lastSeenServerSeq: 0, subscriptions });
    expect(await back.act(chat, ahpTurn('hello'))).toHaveProperty('rejectionReason');
  });
});

it('files attached in VS Code’s web workbench are files of the machine', async () => {
  const client = await host.client('attaches');
  const { session, chat } = await ahpSession(client, 'plain');
  const file = join(host.stateDir, 'naïve file #1.txt');
  const { pathname } = pathToFileURL(file);
  const uri = `vscode-remote://127.0.0.1%3A8080${pathname}`;
  const range = { start: { line: 1, character: 0 }, end: { line: 2, character: 4 } };
  const attachments = [
    { type: 'resource', label: 'file', uri, displayKind: 'document' },
    { type: 'resource', label: 'folder', uri: uri.replace('naïve', ''), displayKind: 'directory' },
    { type: 'resource', label: 'selection', uri, selection: { range } },
    { type: 'resource', label: 'elsewhere', uri: 'https://example.org/x' },
  ];
  await say(client, chat, 'blocks', { attachments });
  const ours = await (await host.connect()).openSession(session);
  const kept = ours.confirmed.value.turns[0]?.userMessage.attachments ?? [];
  expect(kept.map((attachment) => attachment.uri)).toEqual([
    pathToFileURL(file).href,
    `file://${pathname.replace('naïve', '')}`,
    pathToFileURL(file).href,
    'https://example.org/x',
  ]);
  const { turns } = (await ahpSubscribe(client, session)).snapshots.chat.state;
  expect(turns[0].responseParts[0].content).toContain(pathToFileURL(file).href);
});

it('a chat is read-only only for a viewer', async () => {
  const driver = await host.client('drives');
  const { session, chat } = await ahpSession(driver);
  await say(driver, chat, 'hello');
  const viewer = await host.open('viewer');
  await viewer.initialize('views', ['0.9.0']);
  const seen = (await ahpSubscribe(viewer, session)).snapshots;
  expect(seen.chat.state.interactivity).toBe('read-only');
  expect(seen.session.state.chats).toMatchObject([{ interactivity: 'read-only' }]);
  const approver = await host.open('approver');
  await approver.initialize('approves', ['0.9.0']);
  for (const client of [driver, approver]) {
    const { snapshots } = await ahpSubscribe(client, session);
    expect(snapshots.chat.state).not.toHaveProperty('interactivity');
  }
});

describe('a terminal call', () => {
  it('is marked as one only when it was confirmed: before, VS Code would offer its own answers', async () => {
    const client = await host.client('confirms');
    const { session, chat } = await ahpSession(client, 'moded');
    await client.act(chat, ahpTurn('unannounced echo hello', 'turn'));
    const { action: asked } = await client.action('chat/toolCallReady');
    expect(asked.options.map(({ label }: { label: string }) => label)).toContain('Always allow');
    const started = client.received.find(({ params }) => params?.action?.type === 'chat/toolCallStart');
    for (const { _meta } of [started?.params.action, asked]) expect(_meta).not.toHaveProperty('toolKind');
    const late = await ahpSubscribe(await host.client('comes to confirm'), session);
    const [part] = late.snapshots.chat.state.activeTurn.responseParts;
    expect(part.toolCall._meta).toEqual({ language: 'shellscript' });
    const answer = await client.act(chat, {
      type: 'chat/toolCallConfirmed',
      turnId: 'turn',
      toolCallId: asked.toolCallId,
      approved: true,
      confirmed: 'user-action',
      selectedOptionId: 'forever',
    });
    expect(answer.action._meta).toMatchObject({ toolKind: 'terminal' });
    await client.action('chat/turnComplete');
    const { turns } = (await ahpSubscribe(client, session)).snapshots.chat.state;
    expect(turns[0].responseParts[0].toolCall._meta).toMatchObject({ toolKind: 'terminal' });
    expect(turns[0].responseParts.at(-1).content).toBe('Done (forever).');
  });
});
