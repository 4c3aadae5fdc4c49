import type { HostClient, SessionHandle } from '@agenthost/client';
import { ROOT_URI, type SessionState, type Snapshot, type Turn } from '@agenthost/protocol';
import type { ReconnectResult } from '@agenthost/protocol/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WatchedAgent } from '../../support/agents/watchedAgent.js';
import { RawClient } from '../../support/rawClient.js';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy.js';
import { rawSession, startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const rename = (session: string, title: string) => ({ session, type: 'session/titleChanged', title });
const turn = (id: string): Turn => ({
  id,
  userMessage: { text: id },
  responseParts: [],
  toolCalls: [],
  state: 'complete',
  startedAt: 1,
  endedAt: 2,
});

describe('a session that was disposed and created again while a client was away', () => {
  let host: TestHost;
  let agent: WatchedAgent;
  let alice: RawClient;
  let bob: RawClient;

  beforeEach(async () => {
    agent = new WatchedAgent();
    host = await startTestHost({ agents: [agent], sessionIdleMs: 40 });
    alice = await host.raw('alice');
    bob = await host.raw('bob');
  });
  afterEach(() => host.dispose());

  /** As Alice saw it last, before her connection ends. */
  async function leave(): Promise<number> {
    await alice.fence();
    const lastSeenServerSeq = alice.envelopes.at(-1)?.serverSeq ?? 0;
    await alice.end();
    return lastSeenServerSeq;
  }

  async function comeBack(lastSeenServerSeq: number, subscriptions: readonly string[], more: object = {}) {
    const client = await RawClient.open(host);
    const params = { clientId: 'alice', lastSeenServerSeq, subscriptions, ...more };
    const result = await client.request<ReconnectResult>('reconnect', params);
    return { client, result };
  }

  const snapshotOf = (result: ReconnectResult, uri: string): Snapshot | undefined =>
    result.type === 'snapshot' ? result.snapshots.find(({ resource }) => resource === uri) : undefined;
  const stateOf = (result: ReconnectResult, uri: string) => snapshotOf(result, uri)?.state as SessionState | undefined;

  const remake: Readonly<Record<string, (session: string) => Promise<unknown>>> = {
    created: (session) => bob.request('createSession', { session }),
    forked: async (session) => {
      const source = await rawSession([bob]);
      await bob.act({ session: source, type: 'session/turnStarted', turnId: 'f', userMessage: { text: 'hello' } });
      await bob.nextAction(source, 'session/turnComplete');
      return bob.request('forkSession', { source, session });
    },
    imported: (session) => bob.request('importSession', { session, turns: [turn('i')] }),
  };

  it.each(Object.entries(remake))('[REC2] is sent as a snapshot, never a replay: %s', async (how, again) => {
    const session = await rawSession([alice, bob]);
    const other = await rawSession([alice, bob]);
    await alice.act(rename(session, 'the old one'));
    await bob.act({
      session,
      type: 'session/pendingMessageSet',
      kind: 'queued',
      id: 'q',
      userMessage: { text: 'hello' },
    });
    await alice.nextAction(session, 'session/turnComplete');
    const before = (await bob.request<Snapshot>('subscribe', { resource: session })).incarnation;
    const lastSeen = await leave();
    await bob.request('disposeSession', { session });
    await again(session);
    await bob.request('subscribe', { resource: session });
    await bob.act(rename(session, 'the new one'));
    for (const more of [{}, { instanceId: host.host.instanceId }]) {
      const { client, result } = await comeBack(lastSeen, [ROOT_URI, other, session], more);
      expect(result).toMatchObject({ type: 'snapshot', missing: [], acceptedClientSeq: { [session]: 0 } });
      expect(stateOf(result, session)).toMatchObject({ summary: { title: 'the new one' } });
      const turns = { created: [], forked: ['f'], imported: ['i'] }[how];
      expect(stateOf(result, session)?.turns.map(({ id }) => id)).toEqual(turns);
      expect(stateOf(result, other)?.lifecycle).toBe('ready');
      expect(snapshotOf(result, session)?.incarnation).toEqual(expect.any(String));
      expect(snapshotOf(result, session)?.incarnation).not.toBe(before);
      await bob.act(rename(session, 'the new one'));
      await client.nextAction(session, 'session/titleChanged');
      await client.end();
    }
    // Who saw it after it was made again is sent what it missed.
    const { result } = await comeBack(bob.envelopes.at(-1)?.serverSeq ?? 0, [session, other]);
    expect(result.type).toBe('replay');
  });

  it('[REC2] is missing when it was not created again, without affecting the others', async () => {
    const [gone, kept] = [await rawSession([alice]), await rawSession([alice, bob])];
    const lastSeen = await leave();
    await bob.request('disposeSession', { session: gone });
    const told = await bob.act(rename(kept, 'told'));
    const { result } = await comeBack(lastSeen, [gone, kept]);
    expect(result).toMatchObject({ type: 'replay', missing: [gone] });
    expect(result.type === 'replay' && result.actions).toContainEqual(told);
  });

  it('[REC2] has no effect without a subscription: the others are replayed', async () => {
    const [remade, kept] = [await rawSession([alice]), await rawSession([alice])];
    const lastSeen = await leave();
    await bob.request('disposeSession', { session: remade });
    await bob.request('createSession', { session: remade });
    expect((await comeBack(lastSeen, [kept])).result.type).toBe('replay');
  });

  it('[REC2] is not one that was only unloaded', async () => {
    const session = await rawSession([alice, bob]);
    await alice.act(rename(session, 'kept'));
    const first = (await bob.request<Snapshot>('subscribe', { resource: session })).incarnation;
    const lastSeen = await leave();
    bob.dispatch(rename(session, 'missed'));
    const missed = await bob.nextEnvelope(({ action }) => 'title' in action && action.title === 'missed');
    bob.notify('unsubscribe', { resource: session });
    await bob.fence();
    await agent.ended(session);
    const { result } = await comeBack(lastSeen, [session]);
    expect(result.type === 'replay' && result.actions).toContainEqual(missed);
    expect((await bob.request<Snapshot>('subscribe', { resource: session })).incarnation).toBe(first);
  });
});

describe('the SDK, whose session was disposed and created again while it was away', () => {
  let proxy: TcpProxy;
  let host: TestHost;
  let alice: HostClient;
  let bob: HostClient;
  const earlier: TestHost[] = [];

  beforeEach(async () => {
    proxy = await startTcpProxy();
    host = await startTestHost({}, { publicUrl: proxy.url });
    proxy.forwardTo(host.url);
    alice = await host.connect({ url: proxy.url, random: () => 0.01 });
    bob = await host.connect();
  });
  afterEach(async () => {
    await host.host.close();
    for (const one of [...earlier.splice(0), host]) await one.dispose();
    await proxy.close();
  });

  async function restart(): Promise<void> {
    const { stateDir } = host;
    await host.host.close();
    earlier.push(host);
    host = await startTestHost({ stateDir }, { publicUrl: proxy.url });
    proxy.forwardTo(host.url);
    bob = await host.connect();
  }

  const ended = (session: SessionHandle, count: number) =>
    until(session.confirmed, ({ turns, activeTurn }) => turns.length === count && !activeTurn, `${count} ended turns`);

  it.each(['created', 'imported', 'created before the host was restarted'])(
    '[REC2] shows the new one, and rejects what it sent to the old one: %s',
    async (how) => {
      const session = await alice.createSession({ provider: 'mock' });
      await session.ready();
      const kept = await alice.createSession({ provider: 'mock' });
      await kept.ready();
      await session.send('hello');
      const { turns } = await ended(session, 1);
      proxy.allow(false);
      const lost = until(alice.connection, ({ state }) => state === 'reconnecting', 'the loss');
      proxy.cut();
      await lost;
      const sent = [session.rename('for the old one'), session.queue('hello to the old one')];
      const outcomes = Promise.allSettled(sent);
      const renamed = kept.rename('still there');
      await bob.disposeSession(session.uri);
      // The very same turns, as after an export: only that it was made again tells the two apart.
      if (how === 'imported') await bob.importSession({ provider: 'mock', session: session.uri, turns });
      else await bob.createSession({ provider: 'mock', session: session.uri });
      if (how.endsWith('restarted')) await restart();
      const his = await bob.openSession(session.uri);
      await his.rename('the new one');
      proxy.allow(true);
      alice.retryNow();
      await until(session.confirmed, ({ summary }) => summary.title === 'the new one', 'the new one');
      for (const outcome of await outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'SessionRemadeError' } });
      }
      await renamed;
      expect(session.gone.value).toBeUndefined();
      expect(session.state.value).toBe(session.confirmed.value);
      const ids = (state: SessionState['turns']) => state.map(({ id }) => id);
      expect(ids(session.state.value.turns)).toEqual(how === 'imported' ? ids(turns) : []);
      await session.rename('by Alice');
      await until(his.confirmed, ({ summary }) => summary.title === 'by Alice', 'what Alice does then');
      expect(his.confirmed.value).toEqual(session.confirmed.value);
      expect(his.confirmed.value.queuedMessages).toBeUndefined();
    },
  );
});
