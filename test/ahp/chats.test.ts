import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AhpTestClient } from '../support/ahpClient.js';
import { type AhpTestHost, ahpSession, ahpSubscribe, ahpTurn, startAhpHost } from '../support/ahpHost.js';

let host: AhpTestHost;
beforeAll(async () => {
  host = await startAhpHost();
});
afterAll(() => host.dispose());

async function say(client: AhpTestClient, chat: string, text: string): Promise<string> {
  const started = ahpTurn(text);
  expect(await client.act(chat, started)).not.toHaveProperty('rejectionReason');
  await client.action('chat/turnComplete', ({ action }) => action.turnId === started.turnId);
  return started.turnId;
}

/** As VS Code names it. */
const named = (session: string, id: string = crypto.randomUUID()) =>
  `ahp-chat://${id}/${Buffer.from(session).toString('base64url')}`;

it('[FORK3] a fork is a chat of the session, with the turns up to one, and a session of its own for everybody else', async () => {
  const [client, other] = [await host.client('forks'), await host.client('sees forks')];
  const { agents } = (await client.request('subscribe', { channel: 'ahp-root://' })).snapshot.state;
  expect(agents[0].capabilities).toEqual({ multipleChats: { fork: {} } });
  const { session, chat } = await ahpSession(client);
  const turns = [await say(client, chat, 'hello'), await say(client, chat, 'reasoning')];
  await other.request('listSessions', {});
  await ahpSubscribe(other, session);
  const id = crypto.randomUUID();
  const fork = named(session, id);
  const source = { kind: 'fork', chat, turnId: turns[0] };
  expect(await client.request('createChat', { channel: session, chat: fork, source })).toBeNull();
  for (const one of [client, other]) {
    const added = await one.action('session/chatAdded', ({ action }) => action.summary.resource === fork);
    expect(added).toMatchObject({ channel: session, action: { summary: { status: 1 } } });
  }
  const { state } = (await client.request('subscribe', { channel: fork })).snapshot;
  expect(state.resource).toBe(fork);
  expect(state.turns.map((turn: { message: { text: string } }) => turn.message.text)).toEqual(['hello']);
  await say(client, fork, 'hello');
  await other.action('session/chatUpdated', ({ action }) => action.chat === fork);
  const first = (await ahpSubscribe(await host.client('comes later'), session)).snapshots.chat.state;
  expect(first.turns).toHaveLength(2);
  const ours = await host.connect();
  const found = (await ours.listSessions()).items.find(({ resource }) => resource === `mock:/${id}`);
  expect(found?.metadata).toMatchObject({ group: session });
  const later = await host.client('comes last');
  await later.request('listSessions', {});
  const { chats, defaultChat } = (await ahpSubscribe(later, session)).snapshots.session.state;
  expect(chats.map(({ resource }: { resource: string }) => resource)).toEqual([defaultChat, fork]);
  await client.request('disposeChat', { channel: fork });
  expect((await other.action('session/chatRemoved')).action).toMatchObject({ chat: fork });
  expect((await client.request('subscribe', { channel: chat })).snapshot.state.turns).toHaveLength(2);
});

it('a new chat is empty, works in the same folder, and is hidden from others before its first message', async () => {
  const client = await host.client('adds chats');
  const workingDirectories = [`file://${host.stateDir}`];
  const { session, chat } = await ahpSession(client, 'mock', { workingDirectories });
  await say(client, chat, 'hello');
  const second = named(session);
  await client.request('createChat', { channel: session, chat: second });
  await client.action('session/chatAdded', ({ action }) => action.summary.resource === second);
  const other = await host.client('does not see them yet');
  const listed = async () => (await other.request('listSessions', {})).items.length;
  const before = await listed();
  await client.request('subscribe', { channel: second });
  await say(client, second, 'hello');
  expect(await listed()).toBe(before + 1);
  const third = named(session);
  const initialMessage = { text: 'hello', origin: { kind: 'user' } };
  await client.request('createChat', { channel: session, chat: third, initialMessage });
  await expect
    .poll(async () => (await client.request('subscribe', { channel: third })).snapshot.state.turns.length)
    .toBe(1);
  const folders = (await (await host.connect()).listSessions()).items.filter(
    ({ metadata }) => metadata?.['group'] === session,
  );
  expect(folders.map(({ workingDirectory }) => workingDirectory)).toEqual(
    workingDirectories.concat(workingDirectories),
  );
});

it.each([
  ['a side chat', { source: { kind: 'sideChat', chat: 'CHAT', turnId: 'x' } }],
  ['a source of another session', { source: { kind: 'fork', chat: 'OTHER', turnId: 'x' } }],
  ['no turn', { source: { kind: 'fork', chat: 'CHAT' } }],
  ['an unknown turn', { source: { kind: 'fork', chat: 'CHAT', turnId: 'x' } }],
  ['a name that is no chat', { chat: 'ahp-chat://x' }],
  ['a name with a path', { chat: `ahp-chat://../${btoa('mock:/x')}` }],
  ['the first chat itself', { chat: 'CHAT' }],
  ['a message that is none', { initialMessage: 7 }],
])('refuses %s', async (_, odd) => {
  const client = await host.client('asks for odd chats');
  const [{ session, chat }, other] = [await ahpSession(client), await ahpSession(client)];
  const text = JSON.stringify({ channel: session, chat: named(session), ...odd });
  const params = JSON.parse(text.replaceAll('CHAT', chat).replaceAll('OTHER', other.chat));
  expect(await client.refusal('createChat', params)).toMatchObject({ code: expect.any(Number) });
  expect(await client.refusal('disposeChat', { channel: chat })).toMatchObject({ code: -32602 });
  const viewer = await host.open('viewer');
  await viewer.initialize('only looks', ['0.9.0']);
  expect(await viewer.refusal('createChat', { channel: session, chat: named(session) })).toMatchObject({
    code: -32009,
  });
});
