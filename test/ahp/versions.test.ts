import { AHP_VERSIONS, type AhpVersion } from '@agenthost/ahp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { foldChat, foldSession } from '../../packages/ahp/test/ahpFold.js';
import { comparable, DIALECTS } from '../../packages/ahp/test/comparable.js';
import { AhpTestClient } from '../support/ahpClient.js';
import { ahpSession, ahpSubscribe, ahpTurn } from '../support/ahpHost.js';
import { type RestartableHost, startRestartableHost } from '../support/restartableHost.js';

let host: RestartableHost;
const clients: AhpTestClient[] = [];
beforeAll(async () => {
  host = await startRestartableHost(['--ahp', '--agents', 'mock']);
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await host.dispose();
});

async function open(): Promise<AhpTestClient> {
  const client = await AhpTestClient.open(JSON.parse(host.process.firstLine).ahp.url);
  clients.push(client);
  return client;
}

describe.each(AHP_VERSIONS)('a client of %s', (version) => {
  const traits = DIALECTS[version];
  const hasFolderList = !/^0\.[56]\./.test(version);

  it('lists, opens, works and reconnects', async () => {
    const client = await open();
    const name = `client-${version}`;
    expect(await client.initialize(name, [version])).toMatchObject({ protocolVersion: version });
    const { session, chat, snapshots } = await ahpSession(client);
    expect('workingDirectories' in snapshots.session.state).toBe(hasFolderList);
    expect(snapshots.session.state.workingDirectory).toMatch(/^file:/);

    /** Sends a message; its turn has begun when this resolves. */
    const send = async (text: string) => {
      const action = ahpTurn(text);
      expect(await client.act(chat, action)).not.toHaveProperty('rejectionReason');
      return action.turnId;
    };
    const over = (turnId: string, type = 'chat/turnComplete') =>
      client.action(type, ({ action }) => action.turnId === turnId);

    await over(await send('hello'));
    await over(await send('reasoning'));

    const allowed = await send('confirm-tool');
    const asked = await client.action('chat/toolCallReady', ({ action }) => action.turnId === allowed);
    const call = { turnId: allowed, toolCallId: asked.action.toolCallId };
    expect(asked.action.options).toHaveLength(2);
    const yes = { approved: true, confirmed: 'user-action', selectedOptionId: 'once' };
    await client.act(chat, { type: 'chat/toolCallConfirmed', ...call, ...yes });
    await over(allowed);

    const denied = await send('confirm-tool');
    const again = await client.action('chat/toolCallReady', ({ action }) => action.turnId === denied);
    const no = { approved: false, reason: 'denied', reasonMessage: 'not today' };
    await client.act(chat, {
      type: 'chat/toolCallConfirmed',
      turnId: denied,
      toolCallId: again.action.toolCallId,
      ...no,
    });
    await over(denied);

    const question = await send('question');
    const { action: input } = await client.action('chat/inputRequested');
    const answers = { answer: { state: 'submitted', value: { kind: 'selected', value: 'blue' } } };
    await client.act(chat, { type: 'chat/inputCompleted', requestId: input.request.id, response: 'accept', answers });
    await over(question);

    const steered = await send('steer');
    const message = (text: string) => ({ text, origin: { kind: 'user' } });
    await client.act(chat, { type: 'chat/pendingMessageSet', kind: 'queued', id: 'next', message: message('hello') });
    await client.act(chat, { type: 'chat/pendingMessageSet', kind: 'steering', id: 'left', message: message('left') });
    await over(steered);
    const queued = await client.action('chat/turnStarted', ({ action }) => action.queuedMessageId === 'next');
    await over(queued.action.turnId);

    const failed = await send('error');
    const { action: error } = await over(failed, 'chat/error');
    expect('part' in error).toBe(traits.errorPart);
    expect(error.error.message).toBeTruthy();

    const cancelled = await send('slow');
    await client.action('chat/delta', ({ action }) => action.turnId === cancelled);
    await client.act(chat, { type: 'chat/turnCancelled', turnId: cancelled, duration: 1 });

    // What this client has folded is what one that comes now is given.
    await client.request('ping');
    const now = await fresh(version, session);
    const folded = fold(client, version, snapshots);
    expect(comparable(folded, traits)).toEqual(comparable(now, traits));
    const texts = now.chat.turns.map((turn: { responseParts: { kind: string; content: string }[] }) =>
      turn.responseParts.flatMap(({ kind, content }) => (kind === 'markdown' ? [content] : [])).join(''),
    );
    expect(texts.slice(0, 7)).toEqual([
      'Hello, world!',
      'The answer is 42.',
      'Done.',
      'Not run: not today.',
      'You answered: blue',
      'Waiting to be steered. Steered: left',
      'Hello, world!',
    ]);

    // Cut off in the middle of a turn, back again, and nothing is missing or twice.
    const running = await send('slow');
    await client.action('chat/delta', ({ action }) => action.turnId === running);
    await client.end();
    const lastSeenServerSeq = lastSeq(client);
    const back = await open();
    const subscriptions = ['ahp-root://', session, chat];
    const replay = await back.request('reconnect', { clientId: name, lastSeenServerSeq, subscriptions });
    expect(replay).toMatchObject({ type: 'replay', missing: [] });
    const late = await back.act(chat, { type: 'chat/turnCancelled', turnId: running, duration: 1 });
    expect(late).not.toHaveProperty('rejectionReason');
    await back.request('ping');
    const resumed = fold(client, version, snapshots, [...replay.actions, ...envelopes(back)]);
    expect(comparable(resumed, traits)).toEqual(comparable(await fresh(version, session), traits));

    const { items } = await back.request('listSessions', {});
    const listed = items.find(({ resource }: { resource: string }) => resource === session);
    expect(listed).toMatchObject({ provider: 'mock', title: expect.any(String), status: expect.any(Number) });
    expect('workingDirectories' in listed).toBe(hasFolderList);
  }, 60_000);
});

it('every version reconnects to a host that was killed and started again', async () => {
  const before = await Promise.all(
    AHP_VERSIONS.map(async (version) => {
      const client = await open();
      await client.initialize(`killed-${version}`, [version]);
      const { session, chat } = await ahpSession(client);
      const action = ahpTurn('hello');
      await client.act(chat, action);
      await client.action('chat/turnComplete', (envelope) => envelope.channel === chat);
      return { version, session, seq: lastSeq(client), state: await fresh(version, session) };
    }),
  );
  await host.end('SIGKILL');
  await host.start();
  for (const { version, session, seq, state } of before) {
    const client = await open();
    const refused = await client.refusal('reconnect', {
      clientId: `killed-${version}`,
      lastSeenServerSeq: seq,
      subscriptions: ['ahp-root://', session],
    });
    expect(refused.code).toBe(-32008);
    await client.initialize(`killed-${version}`, [version]);
    const { chat, snapshots } = await ahpSubscribe(client, session);
    // A client drops what has a lower number than it has seen.
    expect(snapshots.chat.fromSeq).toBeGreaterThan(seq);
    expect(snapshots.chat.state.turns).toEqual(state.chat.turns);
    expect(await client.act(chat, ahpTurn('hello'))).not.toHaveProperty('rejectionReason');
    await client.action('chat/turnComplete');
  }
}, 120_000);

/** The states as a client that was never there before is given them. */
async function fresh(version: AhpVersion, session: string) {
  const client = await open();
  await client.initialize(crypto.randomUUID(), [version]);
  const { snapshots } = await ahpSubscribe(client, session);
  await client.end();
  return { session: snapshots.session.state, chat: snapshots.chat.state };
}

// biome-ignore lint/suspicious/noExplicitAny: states of a protocol that this side does not define
function fold(client: AhpTestClient, version: AhpVersion, snapshots: any, more: readonly any[] = []) {
  let [session, chat] = [snapshots.session.state, snapshots.chat.state];
  let last = snapshots.chat.fromSeq;
  for (const { channel, action, serverSeq, rejectionReason } of [...envelopes(client), ...more]) {
    if (rejectionReason || serverSeq <= snapshots.session.fromSeq) continue;
    if (channel === snapshots.session.resource) session = foldSession(session, action, DIALECTS[version]);
    if (channel === snapshots.chat.resource && serverSeq > snapshots.chat.fromSeq) {
      expect(serverSeq).toBeGreaterThan(last);
      last = serverSeq;
      chat = foldChat(chat, action, DIALECTS[version]);
    }
  }
  return { session, chat };
}

function envelopes(client: AhpTestClient) {
  return client.received.flatMap(({ method, params }) => (method === 'action' ? [params] : []));
}

function lastSeq(client: AhpTestClient): number {
  return Math.max(0, ...envelopes(client).map(({ serverSeq }) => serverSeq));
}
