import type { HostClient, SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../../support/tcpProxy.js';
import { startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('the SDK over an unreliable network', () => {
  let proxy: TcpProxy;
  let host: TestHost;
  let alice: HostClient;
  let bob: HostClient;
  let hers: SessionHandle;
  let his: SessionHandle;

  async function start(options?: Parameters<typeof startTestHost>[0]): Promise<void> {
    proxy = await startTcpProxy();
    host = await startTestHost(options, { publicUrl: proxy.url });
    proxy.forwardTo(host.url);
    alice = await host.connect({ url: proxy.url, clientInfo: { name: 'Alice' }, random: () => 0.01 });
    bob = await host.connect({ clientInfo: { name: 'Bob' } });
    hers = await alice.createSession({ provider: 'mock' });
    await hers.ready();
    his = await bob.openSession(hers.uri);
  }

  beforeEach(() => start());
  afterEach(async () => {
    await host.dispose();
    await proxy.close();
  });

  const lost = () => until(alice.connection, ({ state }) => state === 'reconnecting', 'the loss');
  const back = () => until(alice.connection, ({ state }) => state === 'connected', 'the return');
  const ended = (session: SessionHandle, count: number) =>
    until(session.confirmed, ({ turns, activeTurn }) => turns.length === count && !activeTurn, `${count} ended turns`);

  async function cut(): Promise<void> {
    const gone = lost();
    proxy.cut();
    await gone;
  }

  it('sees the same turn as a client with a stable connection, however often it is cut', async () => {
    await his.send('slow');
    for (let n = 0; n < 8; n++) {
      const { activeTurn } = hers.confirmed.value;
      await until(hers.confirmed, (state) => state.activeTurn !== activeTurn, 'some progress');
      await cut();
      await back();
    }
    await hers.cancel();
    await Promise.all([ended(hers, 1), ended(his, 1)]);
    expect(hers.confirmed.value.turns).toEqual(his.confirmed.value.turns);
    expect(hers.state.value).toBe(hers.confirmed.value);
  });

  it('[ONCE2] shows offline actions at once, and sends them once', async () => {
    proxy.allow(false);
    await cut();
    const done = [hers.rename('made offline'), hers.send('hello', 'offline'), hers.queue('and then')];
    expect(hers.state.value).toMatchObject({
      summary: { title: 'made offline' },
      activeTurn: { id: 'offline' },
      queuedMessages: [{ userMessage: { text: 'and then' } }],
    });
    expect(hers.confirmed.value.summary.title).not.toBe('made offline');
    proxy.allow(true);
    await Promise.all(done);
    const { turns } = await ended(his, 2);
    expect(turns.map(({ userMessage }) => userMessage.text)).toEqual(['hello', 'and then']);
    await ended(hers, 2);
    expect(hers.state.value.turns).toEqual(turns);
  });

  it('[ONCE1] does not repeat what the host accepted before the connection broke', async () => {
    proxy.swallowAnswers();
    const sent = hers.queue('once');
    await ended(his, 1);
    await cut();
    const id = await sent;
    await back();
    await ended(hers, 1);
    await alice.ping();
    expect(his.confirmed.value.turns.map((turn) => turn.id)).toEqual([id]);
    expect(hers.state.value.turns).toEqual(his.confirmed.value.turns);
  });

  it('keeps its name for other clients', async () => {
    await cut();
    await back();
    await hers.send('hello');
    expect(await ended(his, 1)).toMatchObject({ turns: [{ by: { name: 'Alice' } }] });
    const { clients } = await until(his.confirmed, (state) => state.clients?.length === 2, 'both of them');
    expect(clients?.map(({ name }) => name).toSorted()).toEqual(['Alice', 'Bob']);
  });

  it('takes a snapshot when it missed more than the host keeps', async () => {
    await host.dispose();
    await proxy.close();
    await start({ replayLimits: { maxEnvelopes: 20, maxBytes: 100_000 } });
    proxy.allow(false);
    await cut();
    for (let n = 0; n < 30; n++) await his.rename(`title ${n}`);
    await his.send('hello');
    await ended(his, 1);
    proxy.allow(true);
    await until(hers.confirmed, ({ turns }) => turns.length === 1, 'the snapshot');
    const { clients: _hers, ...mine } = hers.confirmed.value;
    const { clients: _his, ...theirs } = his.confirmed.value;
    expect(mine).toEqual(theirs);
  });

  it('learns that its session was disposed meanwhile, and that the list is stale', async () => {
    const events: string[] = [];
    alice.onNotification(({ type }) => events.push(type));
    proxy.allow(false);
    await cut();
    const pending = hers.rename('too late');
    await bob.disposeSession(hers.uri);
    proxy.allow(true);
    await expect(pending).rejects.toMatchObject({ name: 'SessionGoneError' });
    expect(hers.gone.value).toMatchObject({ session: hers.uri });
    await back();
    expect(events).toContain('client/listsStale');
  });

  it('learns that another connection took over its id, and does not reconnect', async () => {
    await host.connect({ clientId: alice.clientId });
    const closed = await until(alice.connection, ({ state }) => state === 'closed', 'the end');
    expect(closed).toMatchObject({ reason: { name: 'ReplacedError' } });
  });
});
