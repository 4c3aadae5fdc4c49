import { REJECTION, type Snapshot } from '@agenthost/protocol';
import { INLINE_MESSAGE_LIMIT, type InitializeResult } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WatchedAgent } from '../../support/agents/watchedAgent.js';
import { RawClient } from '../../support/rawClient.js';
import { rawSession, startTestHost, type TestHost } from '../../support/testHost.js';

let host: TestHost;
let agent: WatchedAgent;
let alice: RawClient;
let bob: RawClient;
const earlier: TestHost[] = [];

beforeEach(async () => {
  agent = new WatchedAgent();
  host = await startTestHost({ agents: [agent], sessionIdleMs: 20 });
  alice = await host.raw('alice');
  bob = await host.raw('bob');
});
afterEach(async () => {
  await host.host.close();
  for (const before of [...earlier.splice(0), host]) await before.dispose();
});

const rename = (session: string, title: string) => ({ session, type: 'session/titleChanged', title });
const titlesOf = (client: RawClient) =>
  client.envelopes.flatMap(({ action }) => (action.type === 'session/titleChanged' ? [action.title] : []));

/** The same folder, in a host that knows of it what is on disk. */
async function restart(): Promise<void> {
  const { stateDir } = host;
  await host.host.close();
  earlier.push(host);
  host = await startTestHost({ stateDir });
}

describe('a used clientSeq', () => {
  it('[ONCE3] is answered as accepted for the same action, and changes nothing', async () => {
    const session = await rawSession([alice, bob]);
    const first = await alice.act(rename(session, 'one'));
    await alice.act(rename(session, 'two'));
    alice.dispatch({ ...rename(session, 'one'), at: 99 }, first.origin?.clientSeq);
    const again = await alice.echo(first.origin?.clientSeq ?? 0);
    expect(again).toMatchObject({ origin: first.origin, serverSeq: first.serverSeq, repeated: true });
    expect(again).not.toHaveProperty('rejectionReason');
    await Promise.all([alice.fence(), bob.fence()]);
    expect(titlesOf(bob)).toEqual(['one', 'two']);
    expect((await bob.stateOf(session)).summary.title).toBe('two');
  });

  it('[ONCE3] is refused for another action', async () => {
    const session = await rawSession([alice, bob]);
    const { origin } = await alice.act(rename(session, 'one'));
    const clientSeq = origin?.clientSeq ?? 0;
    alice.dispatch(rename(session, 'other'), clientSeq);
    const refused = await alice.echo(clientSeq);
    expect(refused.rejectionReason).toBe(`${REJECTION.clientSeqUsed}: continue above ${clientSeq}`);
    expect(refused.action).toMatchObject({ title: 'other' });
    await bob.fence();
    expect(titlesOf(bob)).toEqual(['one']);
  });

  it('[ONCE3] is refused below the last accepted one, even if nothing was accepted under it', async () => {
    const session = await rawSession([alice]);
    alice.dispatch(rename(session, 'first'), 10);
    await alice.echo(10);
    alice.dispatch({ session, type: 'session/turnCancelled', turnId: 'none' }, 11);
    expect((await alice.echo(11)).rejectionReason).toBe(REJECTION.noActiveTurn);
    alice.dispatch(rename(session, 'last'), 12);
    await alice.echo(12);
    for (const clientSeq of [11, 5]) {
      alice.dispatch(rename(session, 'late'), clientSeq);
      const { rejectionReason } = await alice.echo(clientSeq);
      expect(rejectionReason).toContain(clientSeq === 11 ? REJECTION.clientSeqUsed : REJECTION.clientSeqForgotten);
      expect(rejectionReason).toContain('continue above 12');
    }
    expect((await alice.stateOf(session)).summary.title).toBe('last');
  });

  it('[ONCE3] is answered as accepted also after the session was unloaded, and after a restart', async () => {
    const session = await rawSession([alice]);
    const { origin, serverSeq } = await alice.act(rename(session, 'one'));
    const clientSeq = origin?.clientSeq ?? 0;
    alice.notify('unsubscribe', { resource: session });
    await alice.fence();
    // It has no subscriber any more, so it is unloaded.
    await agent.ended(session);
    alice.dispatch(rename(session, 'one'), clientSeq);
    expect(await alice.echo(clientSeq)).toMatchObject({ serverSeq, repeated: true });
    await restart();
    const again = await host.raw('alice');
    again.dispatch(rename(session, 'one'), clientSeq);
    expect(await again.echo(clientSeq)).toMatchObject({ serverSeq, repeated: true });
    again.dispatch(rename(session, 'other'), clientSeq);
    expect((await again.echo(clientSeq)).rejectionReason).toContain(REJECTION.clientSeqUsed);
  });

  it('[ONCE3] is recognised by what was sent, also when the host has stored a large part of it elsewhere', async () => {
    const session = await rawSession([alice]);
    const text = 'x'.repeat(INLINE_MESSAGE_LIMIT + 10);
    const image = {
      kind: 'image',
      label: 'i',
      mimeType: 'image/png',
      data: Buffer.alloc(50_000, 7).toString('base64'),
    };
    const queue = (message: string, data = image.data) => ({
      session,
      type: 'session/pendingMessageSet',
      kind: 'queued',
      id: 'large',
      userMessage: {
        text: message,
        attachments: [
          { ...image, data },
          { kind: 'text', label: 't', data: 'small' },
        ],
      },
    });
    // A turn that waits, so that the message stays in the queue.
    await alice.act({ session, type: 'session/turnStarted', turnId: 't', userMessage: { text: 'permission' } });
    const { origin, serverSeq, action } = await alice.act(queue(text));
    const clientSeq = origin?.clientSeq ?? 0;
    expect(action).toHaveProperty('userMessage.textRef');
    await restart();
    const again = await host.raw('alice');
    again.dispatch(queue(text), clientSeq);
    expect(await again.echo(clientSeq)).toMatchObject({ serverSeq, repeated: true });
    for (const other of [queue(`${text.slice(1)}y`), queue(text, Buffer.alloc(50_000, 8).toString('base64'))]) {
      again.dispatch(other, clientSeq);
      expect((await again.echo(clientSeq)).rejectionReason).toContain(REJECTION.clientSeqUsed);
    }
  });

  it('[ONCE3] is refused as unknown when it is older than the remembered ones', async () => {
    const session = await rawSession([alice]);
    for (let n = 0; n < 300; n++) alice.dispatch(rename(session, `title ${n}`));
    await alice.nextAction(session, 'session/titleChanged', ({ title }) => title === 'title 299');
    alice.dispatch(rename(session, 'title 0'), 1);
    const refused = await alice.nextEnvelope(({ rejectionReason }) => rejectionReason !== undefined);
    expect(refused.rejectionReason).toBe(`${REJECTION.clientSeqForgotten}: continue above 300`);
    alice.dispatch(rename(session, 'title 299'), 300);
    expect(await alice.nextEnvelope(({ repeated }) => repeated === true)).toMatchObject({ origin: { clientSeq: 300 } });
  });
});

describe('a client that counts from 1 again', () => {
  it('[ONCE4] learns the accepted numbers from every snapshot', async () => {
    const session = await rawSession([alice]);
    const { origin } = await alice.act(rename(session, 'one'));
    await alice.end();
    const again = await RawClient.open(host);
    const initialSubscriptions = ['agenthost:root', session];
    const params = { protocolVersion: 1, clientId: 'alice', initialSubscriptions };
    const { snapshots } = await again.request<InitializeResult>('initialize', params);
    expect(snapshots.map(({ recentlyAccepted }) => recentlyAccepted)).toEqual([undefined, [origin?.clientSeq]]);
    const opened = await again.request<Snapshot>('subscribe', { resource: session });
    expect(opened.recentlyAccepted).toEqual([origin?.clientSeq]);
    expect(await bob.request<Snapshot>('subscribe', { resource: session })).not.toHaveProperty('recentlyAccepted');
    await again.end();
  });

  it.each(['', ' after a restart of the host'])('[ONCE4] of the SDK continues above them%s', async (when) => {
    const first = await host.connect({ clientId: 'program' });
    const created = await first.createSession({ provider: 'mock' });
    await created.ready();
    await created.rename('by the first');
    await created.queue('hello');
    first.close();
    if (when !== '') await restart();
    const second = await host.connect({ clientId: 'program' });
    const session = await second.openSession(created.uri);
    await session.rename('by the second');
    await session.queue('hello again');
    expect(session.confirmed.value.summary.title).toBe('by the second');
    // Numbers of one session are nothing to another, but the client has one counter for all of them.
    const other = await second.createSession({ provider: 'mock' });
    await other.ready();
    await other.rename('another');
    await session.rename('at last');
    const observer = await host.raw('observer');
    expect((await observer.stateOf(created.uri)).summary.title).toBe('at last');
  });
});
