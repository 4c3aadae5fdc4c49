import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ActionEnvelope } from '@agenthost/protocol';
import { ROOT_URI } from '@agenthost/protocol';
import type { ReconnectResult } from '@agenthost/protocol/internal';
import { createMemoryTransportPair, RpcPeer } from '@agenthost/rpc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawClient } from '../../support/rawClient.js';
import { rawSession, startTestHost, type TestHost } from '../../support/testHost.js';

describe('a client that reconnects', () => {
  let host: TestHost;
  let alice: RawClient;
  let bob: RawClient;
  const opened: RawClient[] = [];

  async function start(options?: Parameters<typeof startTestHost>[0]): Promise<void> {
    host = await startTestHost(options);
    alice = await host.raw('alice');
    bob = await host.raw('bob');
  }

  beforeEach(() => start());
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((client) => client.end()));
    await host.dispose();
  });

  async function comeBack(params: object): Promise<{ client: RawClient; result: ReconnectResult }> {
    const client = await RawClient.open(host);
    opened.push(client);
    const full = { clientId: 'alice', instanceId: host.host.instanceId, ...params };
    return { client, result: await client.request<ReconnectResult>('reconnect', full) };
  }

  const of = (envelopes: readonly ActionEnvelope[], session: string) =>
    envelopes.filter(({ action }) => 'session' in action && action.session === session);

  const turn = (session: string, text: string, turnId = 't') => ({
    session,
    type: 'session/turnStarted',
    turnId,
    userMessage: { text },
  });

  it('[ENV1] mid-turn: sees, with the replay, the same envelopes as others, once and in order', async () => {
    const session = await rawSession([alice, bob]);
    await bob.act(turn(session, 'slow'));
    await alice.nextAction(session, 'session/delta');
    await alice.end();
    const seen = alice.envelopes;
    const lastSeenServerSeq = seen.at(-1)?.serverSeq ?? 0;
    await bob.nextEnvelope(({ action, serverSeq }) => action.type === 'session/delta' && serverSeq > lastSeenServerSeq);
    const { client, result } = await comeBack({ lastSeenServerSeq, subscriptions: [session] });
    expect(result).toMatchObject({ type: 'replay', missing: [], acceptedClientSeq: { [session]: 0 } });
    const replayed = result.type === 'replay' ? result.actions : [];
    await client.nextAction(session, 'session/delta');
    bob.dispatch({ session, type: 'session/turnCancelled', turnId: 't' });
    await Promise.all([client, bob].map((each) => each.nextAction(session, 'session/turnCancelled')));
    const mine = of([...seen, ...replayed, ...client.envelopes], session);
    const theirs = of(bob.envelopes, session);
    // They subscribed one after the other, and were told of the end one after the other.
    const first = Math.max(mine[0]?.serverSeq ?? 0, theirs[0]?.serverSeq ?? 0);
    const last = Math.min(mine.at(-1)?.serverSeq ?? 0, theirs.at(-1)?.serverSeq ?? 0);
    const both = (envelopes: ActionEnvelope[]) =>
      envelopes.filter(({ serverSeq }) => serverSeq >= first && serverSeq <= last);
    expect(replayed.length).toBeGreaterThan(0);
    expect(both(mine)).toEqual(both(theirs));
  });

  it('[ONCE2] learns which of its actions were accepted, and repeating them changes nothing', async () => {
    const session = await rawSession([alice]);
    const rename = (title: string) => ({ session, type: 'session/titleChanged', title });
    await alice.act(rename('one'));
    const accepted = alice.dispatch(rename('two'));
    await alice.echo(accepted);
    const lastSeenServerSeq = alice.envelopes.at(-1)?.serverSeq ?? 0;
    await alice.end();
    const { client, result } = await comeBack({ lastSeenServerSeq, subscriptions: [session] });
    expect(result.acceptedClientSeq).toEqual({ [session]: accepted });

    client.dispatch(rename('again'), accepted);
    client.dispatch(rename('older'), 1);
    const echo = await client.echo(client.dispatch(rename('three'), accepted + 1));
    await client.fence();
    expect(echo.action).toMatchObject({ title: 'three' });
    const taken = client.envelopes.filter(({ rejectionReason }) => rejectionReason === undefined);
    expect(taken.filter(({ action }) => action.type === 'session/titleChanged')).toEqual([echo]);
  });

  it('[ONCE1] a repeated clientSeq is not applied again, also after a restart of the host', async () => {
    const session = await rawSession([alice]);
    const accepted = alice.dispatch({ session, type: 'session/titleChanged', title: 'kept' });
    const { serverSeq } = await alice.echo(accepted);
    const { stateDir } = host;
    await host.host.close();
    const before = host;
    host = await startTestHost({ stateDir });
    const { client, result } = await comeBack({ lastSeenServerSeq: serverSeq, subscriptions: [session] });
    expect(result).toMatchObject({ type: 'snapshot', acceptedClientSeq: { [session]: accepted } });
    expect(result.serverSeq).toBeGreaterThan(serverSeq);
    client.dispatch({ session, type: 'session/titleChanged', title: 'doubled' }, accepted);
    await client.fence();
    expect((await client.stateOf(session)).summary.title).toBe('kept');
    await host.dispose();
    await before.dispose();
  });

  it('[ONCE2] learns of each of its actions whether it was accepted, also after a restart of the host', async () => {
    const session = await rawSession([alice]);
    const rename = (title: string) => alice.act({ session, type: 'session/titleChanged', title });
    const first = await rename('first');
    const refused = await alice.act({ session, type: 'session/turnCancelled', turnId: 'no such turn' });
    const last = await rename('last');
    expect(refused.rejectionReason).toBe('no active turn to cancel');
    const { stateDir } = host;
    await host.host.close();
    const before = host;
    host = await startTestHost({ stateDir });
    const { result } = await comeBack({ lastSeenServerSeq: 0, subscriptions: [session] });
    expect(result.recentlyAccepted).toEqual({ [session]: [first.origin?.clientSeq, last.origin?.clientSeq] });
    await host.dispose();
    await before.dispose();
  });

  describe('takes a snapshot', () => {
    it('when more was missed than the host keeps', async () => {
      await host.dispose();
      await start({ replayLimits: { maxEnvelopes: 50, maxBytes: 1024 * 1024 } });
      const session = await rawSession([alice, bob]);
      const lastSeenServerSeq = alice.envelopes.at(-1)?.serverSeq ?? 0;
      await alice.end();
      for (let n = 0; n < 60; n++) bob.dispatch({ session, type: 'session/titleChanged', title: `title ${n}` });
      await bob.nextAction(session, 'session/titleChanged', ({ title }) => title === 'title 59');
      const { result } = await comeBack({ lastSeenServerSeq, subscriptions: [session] });
      expect(result).toMatchObject({ type: 'snapshot', snapshots: [{ state: { summary: { title: 'title 59' } } }] });
      expect(result).not.toHaveProperty('actions');
    });

    it('when more bytes were missed than the host keeps', async () => {
      await host.dispose();
      await start({ replayLimits: { maxEnvelopes: 10_000, maxBytes: 1_000 } });
      const session = await rawSession([alice, bob]);
      const lastSeenServerSeq = alice.envelopes.at(-1)?.serverSeq ?? 0;
      await bob.act({ session, type: 'session/titleChanged', title: 'x'.repeat(900) });
      const { result } = await comeBack({ lastSeenServerSeq, subscriptions: [session] });
      expect(result.type).toBe('snapshot');
    });

    it('when it remembers another instance of the host', async () => {
      const session = await rawSession([alice]);
      const lastSeenServerSeq = alice.envelopes.at(-1)?.serverSeq ?? 0;
      const subscriptions = [session, ROOT_URI];
      const { result } = await comeBack({ lastSeenServerSeq, subscriptions, instanceId: 'another' });
      expect(result).toMatchObject({ type: 'snapshot', snapshots: [{ resource: session }, { resource: ROOT_URI }] });
    });

    it('when it is ahead of the host', async () => {
      const session = await rawSession([alice]);
      const { result } = await comeBack({ lastSeenServerSeq: 1e9, subscriptions: [session] });
      expect(result.type).toBe('snapshot');
      expect(result.serverSeq).toBeLessThan(1e9);
    });
  });

  describe('[REC1] without an instanceId', () => {
    /** The frame of the source document: no version, no instance. */
    async function plainly(lastSeenServerSeq: number, subscriptions: readonly string[]): Promise<ReconnectResult> {
      const client = await RawClient.open(host);
      opened.push(client);
      const params = { clientId: 'alice', lastSeenServerSeq, subscriptions };
      return client.request<ReconnectResult>('reconnect', params);
    }

    async function restart(): Promise<void> {
      const { stateDir } = host;
      await host.host.close();
      before.push(host);
      host = await startTestHost({ stateDir });
    }

    const before: TestHost[] = [];
    afterEach(async () => {
      await host.host.close();
      await Promise.all(before.splice(0).map((earlier) => earlier.dispose()));
    });

    it('gets what it missed, and what follows', async () => {
      const session = await rawSession([alice, bob]);
      const lastSeenServerSeq = alice.envelopes.at(-1)?.serverSeq ?? 0;
      await alice.end();
      const missed = await bob.act({ session, type: 'session/titleChanged', title: 'missed' });
      const result = await plainly(lastSeenServerSeq, [ROOT_URI, session]);
      expect(result).toMatchObject({ type: 'replay', missing: [] });
      expect(result.type === 'replay' && result.actions).toContainEqual(missed);
      const follows = await bob.act({ session, type: 'session/titleChanged', title: 'follows' });
      expect(await opened.at(-1)?.nextAction(session, 'session/titleChanged')).toEqual(follows.action);
    });

    it('gets an empty replay when nothing was missed', async () => {
      const session = await rawSession([alice]);
      await alice.end();
      const { serverSeq } = await bob.act({ session, type: 'session/titleChanged', title: 'last' });
      expect(await plainly(serverSeq, [ROOT_URI])).toMatchObject({ type: 'replay', actions: [] });
    });

    it('takes a snapshot when its numbers are those of an earlier run of the host', async () => {
      const session = await rawSession([alice]);
      const { serverSeq } = await alice.act({ session, type: 'session/titleChanged', title: 'kept' });
      await restart();
      const result = await plainly(serverSeq, [session]);
      expect(result).toMatchObject({ type: 'snapshot', snapshots: [{ state: { summary: { title: 'kept' } } }] });
    });

    it('takes a snapshot when it has seen the very last number that an earlier run could give out', async () => {
      const session = await rawSession([alice]);
      await restart();
      const bound = Number.parseInt(await readFile(join(host.stateDir, 'sequence'), 'utf8'), 10);
      await restart();
      // The block that the run before this one had reserved ends here.
      const result = await plainly(bound, [session, ROOT_URI]);
      expect(result.serverSeq).toBeGreaterThan(bound);
      expect(result.type).toBe('snapshot');
    });

    it('takes a snapshot when more was missed than the host keeps, and when it is ahead of the host', async () => {
      await host.dispose();
      await start({ replayLimits: { maxEnvelopes: 5, maxBytes: 1024 * 1024 } });
      const session = await rawSession([alice, bob]);
      const lastSeenServerSeq = alice.envelopes.at(-1)?.serverSeq ?? 0;
      for (let n = 0; n < 6; n++) await bob.act({ session, type: 'session/titleChanged', title: `title ${n}` });
      expect((await plainly(lastSeenServerSeq, [session])).type).toBe('snapshot');
      expect((await plainly(1e9, [session])).type).toBe('snapshot');
    });
  });

  it('learns which sessions are gone, and gets the others', async () => {
    const [kept, gone] = [await rawSession([alice]), await rawSession([alice])];
    const lastSeenServerSeq = alice.envelopes.at(-1)?.serverSeq ?? 0;
    await bob.request('disposeSession', { session: gone });
    const subscriptions = [gone, kept, 'nobody:/none', kept];
    const { client, result } = await comeBack({ lastSeenServerSeq, subscriptions });
    expect(result).toMatchObject({ type: 'replay', missing: [gone, 'nobody:/none'] });
    expect((await client.act({ session: kept, type: 'session/titleChanged', title: 'x' })).rejectionReason).toBe(
      undefined,
    );
  });

  it('ends its older connection, by initialize or reconnect', async () => {
    const session = await rawSession([alice]);
    const { client } = await comeBack({ lastSeenServerSeq: 0, subscriptions: [session] });
    expect(await alice.closed).toEqual({ code: 4402, reason: 'another connection took over this client' });
    await host.raw('alice');
    expect((await client.closed).code).toBe(4402);
    await bob.fence();
  });

  it('but not that of a client with another credential', async () => {
    const { a, b } = createMemoryTransportPair();
    host.host.attach(a);
    const peer = new RpcPeer(b);
    const refused = peer.request('initialize', { protocolVersion: 1, clientId: 'alice' });
    await expect(refused).rejects.toThrow('this clientId belongs to somebody else: choose another');
    await expect(peer.request('initialize', { protocolVersion: 1, clientId: 'carol' })).resolves.toMatchObject({
      protocolVersion: 1,
    });
    await alice.fence();
    const taken = await RawClient.open(host);
    opened.push(taken);
    expect(await taken.refusal('initialize', { protocolVersion: 1, clientId: 'carol' })).toMatchObject({
      code: -32009,
    });
    peer.dispose();
  });
});
