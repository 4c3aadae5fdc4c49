import type { HostClient } from '@agenthost/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AhpTestHost, ahpSession, ahpSubscribe, ahpTurn, startAhpHost } from '../support/ahpHost.js';

let host: AhpTestHost;

/** Resolves when this client, which is subscribed to the session, is told that it is gone. */
function removalOf(client: HostClient, session: string): Promise<void> {
  return new Promise((resolve) => {
    client.onNotification((event) => {
      if (event.type === 'notify/sessionRemoved' && event.session === session) resolve();
    });
  });
}

beforeAll(async () => {
  host = await startAhpHost({ awayMs: 50 });
});
afterAll(() => host.dispose());

it('[trap 1] repeated numbers are no repetition', async () => {
  const client = await host.client('repeats');
  const other = await host.client('looks on');
  for (let n = 0; n < 7; n++) {
    client.dispatch('ahp-root://', { type: 'root/configChanged', config: { [`key${n}`]: n } }, 0);
  }
  for (let n = 0; n < 7; n++) {
    const echo = await client.action('root/configChanged', ({ action }) => `key${n}` in action.config);
    expect(echo.origin).toEqual({ clientId: 'repeats', clientSeq: 0 });
    expect(await other.action('root/configChanged')).not.toHaveProperty('origin');
  }
  const { session, chat } = await ahpSession(client);
  client.dispatch(session, { type: 'session/titleChanged', title: 'first' }, 1);
  client.dispatch(session, { type: 'session/titleChanged', title: 'second' }, 1);
  client.dispatch(chat, ahpTurn('hello'), 1);
  await client.action('session/titleChanged', ({ action, origin }) => action.title === 'first' && origin);
  await client.action('session/titleChanged', ({ action, origin }) => action.title === 'second' && origin);
  await client.action('chat/turnComplete');
  const { snapshot } = await (await host.client('later')).request('subscribe', { channel: 'ahp-root://' });
  expect(Object.keys(snapshot.state.config.values)).toHaveLength(7);
});

it('[trap 2] an unused session is announced to no client', async () => {
  const client = await host.client('picks');
  const other = await host.client('sees');
  const listed = async () =>
    (await other.request('listSessions')).items.map(({ resource }: { resource: string }) => resource);
  const dropped = await ahpSession(client);
  const used = await ahpSession(client);
  expect(await listed()).not.toContain(dropped.session);
  await client.request('disposeSession', { channel: dropped.session });
  await client.act(used.chat, ahpTurn('hello'));
  for (const each of [client, other]) {
    const { summary } = await each.notification('root/sessionAdded', (told) => told.summary.resource === used.session);
    expect(summary).toMatchObject({ provider: 'mock', createdAt: expect.stringMatching(/Z$/) });
  }
  expect(await listed()).toContain(used.session);
  const told = (frames: typeof other.received) =>
    JSON.stringify(frames.filter(({ method }) => method?.startsWith('root/')));
  expect(told(other.received)).not.toContain(dropped.session);
  await client.request('disposeSession', { channel: used.session });
  await other.notification('root/sessionRemoved', ({ session }) => session === used.session);
});

it('[trap 2] unused sessions of a client are removed with it', async () => {
  const ours = await host.connect();
  const client = await host.client('leaves');
  const { session } = await ahpSession(client);
  const gone = removalOf(ours, session);
  await ours.openSession(session);
  await client.end();
  await gone;
});

it('[trap 2] a session that another of its sockets watches is removed with that one', async () => {
  const ours = await host.connect();
  const [broken, back] = [await host.client('comes back twice'), await host.client('comes back twice')];
  const { session, chat } = await ahpSession(broken);
  const left = await ahpSession(broken);
  await ahpSubscribe(back, session);
  await ours.openSession(session);
  await ours.openSession(left.session);
  const [gone, leftGone] = [removalOf(ours, session), removalOf(ours, left.session)];
  await broken.end();
  await leftGone;
  expect(await back.act(chat, { type: 'session/titleChanged', title: 'Still here' })).not.toHaveProperty(
    'rejectionReason',
  );
  await back.end();
  await gone;
});

it("[trap 3] a missing resource has AHP's error code", async () => {
  const client = await host.client('reads');
  const { session } = await ahpSession(client);
  const id = session.slice('mock:/'.length);
  expect(await client.refusal('resourceRead', { uri: `mock://${id}/nothing` })).toMatchObject({ code: -32008 });
  expect(await client.refusal('subscribe', { channel: 'mock:/nobody' })).toMatchObject({ code: -32001 });
});

it('[trap 4] a client may have several sockets', async () => {
  const one = await host.client('twice');
  const { session, chat } = await ahpSession(one);
  const two = await host.client('twice');
  await ahpSubscribe(two, session);
  const action = ahpTurn('hello');
  await one.act(chat, action);
  await one.action('chat/turnComplete');
  await two.action('chat/turnComplete', (envelope) => envelope.action.turnId === action.turnId);
  await two.act(chat, ahpTurn('hello'));
  await one.action('chat/turnComplete');
});

it('[trap 5] several actions from one of ours have rising numbers', async () => {
  const client = await host.client('counts');
  const { chat } = await ahpSession(client);
  await client.act(chat, ahpTurn('use-tool'));
  await client.action('chat/turnComplete');
  const numbers = client.received.flatMap(({ method, params }) => (method === 'action' ? [params.serverSeq] : []));
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  const types = client.received.flatMap(({ method, params }) => (method === 'action' ? [params.action.type] : []));
  const start = types.indexOf('chat/toolCallStart');
  expect(types[start + 1]).toBe('chat/toolCallReady');
});
