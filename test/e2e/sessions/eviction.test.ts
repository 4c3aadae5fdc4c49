import type { SessionHandle } from '@agenthost/client';
import { parseSessionUri } from '@agenthost/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { WatchedAgent } from '../../support/agents/watchedAgent.js';
import { rawSession, startTestHost, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const idOf = (uri: string) => parseSessionUri(uri)?.sessionId ?? '';
const HOUR = 3_600_000;

describe('an unused session', () => {
  let host: TestHost;
  let agent: WatchedAgent;

  async function start(options: { sessionIdleMs: number; agentIdleMs: number }): Promise<void> {
    agent = new WatchedAgent();
    host = await startTestHost({ agents: [agent], ...options });
  }
  afterEach(() => host.dispose());

  const ended = (session: SessionHandle, count: number) =>
    until(session.confirmed, ({ turns, activeTurn }) => turns.length === count && !activeTurn, `${count} ended turns`);

  const said = (session: SessionHandle) => session.confirmed.value.turns.at(-1)?.responseParts;

  /** A session that was used later than all others so far, and is idle: when it is gone, so would they be. */
  async function control(client: Awaited<ReturnType<TestHost['connect']>>): Promise<void> {
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    session.dispose();
    await agent.ended(session.uri);
  }

  it('is unloaded: reopened it is the same, and its agent continues', async () => {
    await start({ sessionIdleMs: 40, agentIdleMs: HOUR });
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock', metadata: { kept: true } });
    await session.send('hello');
    const before = await ended(session, 1);
    session.dispose();
    await agent.ended(session.uri);

    const again = await client.openSession(session.uri);
    const { clients: _now, ...after } = again.confirmed.value;
    const { clients: _then, ...expected } = before;
    expect(after).toEqual(expected);
    expect((await client.listSessions()).items).toEqual([after.summary]);
    await again.send('resumed?');
    await ended(again, 2);
    expect(said(again)).toMatchObject([{ content: `Yes, from mock-${idOf(session.uri)}.` }]);
  });

  it('[PROV1] stays provisional when it is unloaded and loaded', async () => {
    await start({ sessionIdleMs: 40, agentIdleMs: HOUR });
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock', provisional: true });
    await session.ready();
    session.dispose();
    await agent.ended(session.uri);
    const again = await client.openSession(session.uri);
    expect((await client.listSessions()).total).toBe(0);
    await again.send('hello');
    expect((await client.listSessions()).items).toMatchObject([{ resource: session.uri }]);
  });

  it('is unloaded again and again, and accepts messages meanwhile', async () => {
    await start({ sessionIdleMs: 20, agentIdleMs: HOUR });
    const raw = await host.raw('raw');
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    session.dispose();
    for (let n = 1; n <= 5; n++) {
      await agent.ended(session.uri);
      const echo = await raw.act({
        session: session.uri,
        type: 'session/pendingMessageSet',
        kind: 'queued',
        id: `m${n}`,
        userMessage: { text: `message ${n}` },
      });
      expect(echo.rejectionReason).toBeUndefined();
    }
    const again = await client.openSession(session.uri);
    await ended(again, 5);
    expect(again.confirmed.value.turns.map(({ id }) => id)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
  });

  it('[ONCE1] is unloaded, and still knows what it accepted', async () => {
    await start({ sessionIdleMs: 40, agentIdleMs: HOUR });
    const raw = await host.raw('raw');
    const session = await rawSession([raw]);
    const clientSeq = raw.dispatch({ session, type: 'session/titleChanged', title: 'once' });
    await raw.echo(clientSeq);
    raw.notify('unsubscribe', { resource: session });
    await agent.ended(session);
    raw.dispatch({ session, type: 'session/titleChanged', title: 'twice' }, clientSeq);
    await raw.fence();
    expect((await raw.stateOf(session)).summary.title).toBe('once');
  });

  it('but not while a client is subscribed', async () => {
    await start({ sessionIdleMs: 40, agentIdleMs: HOUR });
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    await control(client);
    expect([...agent.open]).toEqual([idOf(session.uri)]);
  });

  it('but not while its turn runs, even without subscribers', async () => {
    await start({ sessionIdleMs: 40, agentIdleMs: HOUR });
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    const turnId = await session.send('slow');
    session.dispose();
    await control(client);
    const again = await client.openSession(session.uri);
    expect(again.confirmed.value.activeTurn?.id).toBe(turnId);
    const { activeTurn } = again.confirmed.value;
    await until(again.confirmed, (state) => state.activeTurn !== activeTurn, 'progress');
    await again.cancel();
    again.dispose();
    await agent.ended(session.uri);
  });

  it('ends an agent without a turn, even with subscribers; the next turn resumes it', async () => {
    await start({ sessionIdleMs: HOUR, agentIdleMs: 30 });
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    await agent.ended(session.uri);
    await session.send('resumed?');
    await ended(session, 1);
    expect(said(session)).toMatchObject([{ content: `Yes, from mock-${idOf(session.uri)}.` }]);
    await agent.ended(session.uri);
  });
});
