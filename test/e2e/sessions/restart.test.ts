import type { HostClient, SessionHandle } from '@agenthost/client';
import type { SessionState } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RestartableHost, startRestartableHost } from '../../support/restartableHost.js';
import { until } from '../../support/until.js';

describe('a host that is killed and started again', () => {
  let host: RestartableHost;
  let alice: HostClient;

  beforeEach(async () => {
    host = await startRestartableHost();
    alice = await host.connect({ clientInfo: { name: 'Alice' } });
  });
  afterEach(() => host.dispose());

  const ended = (session: SessionHandle, count: number) =>
    until(session.confirmed, ({ turns, activeTurn }) => turns.length === count && !activeTurn, `${count} ended turns`);

  const said = ({ activeTurn, turns }: SessionState) => {
    const part = (activeTurn ?? turns.at(-1))?.responseParts[0];
    return part?.kind === 'markdown' ? part.content : '';
  };

  /** A session with a finished turn, a running one and a queue of three, which another client sees too. */
  async function busySession() {
    const session = await alice.createSession({ provider: 'mock' });
    await session.send('hello');
    await ended(session, 1);
    await session.rename('A title');
    await session.send('slow');
    const queued = [await session.queue('one'), await session.queue('two'), await session.queue('three')];
    await until(session.confirmed, (state) => said(state).length > 0, 'some words');
    return { session, queued };
  }

  it('kill -9 in the middle of a turn with a queue: everything accepted is there, and the turn says what happened', async () => {
    const { session, queued } = await busySession();
    const watcher = await host.raw('watcher');
    await watcher.request('subscribe', { resource: session.uri });
    await watcher.nextAction(session.uri, 'session/delta');
    const before = session.confirmed.value;
    await host.end('SIGKILL');
    const seen = watcher.envelopes.at(-1)?.serverSeq ?? 0;
    await host.start();

    const after = await ended(session, 2);
    expect(after.turns[0]).toEqual(before.turns[0]);
    expect(after.turns[1]).toMatchObject({
      id: before.activeTurn?.id,
      userMessage: { text: 'slow' },
      by: { name: 'Alice' },
      state: 'error',
      error: { errorType: 'interrupted' },
    });
    expect(after.queuedMessages).toEqual(before.queuedMessages);
    expect(after.queuedMessages?.map(({ id }) => id)).toEqual(queued);
    expect(after.summary).toMatchObject({ title: 'A title', status: 'error' });
    expect((await alice.listSessions()).items).toEqual([after.summary]);

    const again = await host.raw('watcher');
    const { fromSeq, state } = await again.request<{ fromSeq: number; state: SessionState }>('subscribe', {
      resource: session.uri,
    });
    expect(fromSeq).toBeGreaterThan(seen);
    expect(state.turns).toEqual(after.turns);

    await session.send('go on');
    const { turns } = await ended(session, 6);
    expect(turns.slice(2).map(({ userMessage }) => userMessage.text)).toEqual(['go on', 'one', 'two', 'three']);
  });

  it('[ENV1] serverSeq never goes back over restarts', async () => {
    const session = await alice.createSession({ provider: 'mock' });
    await session.ready();
    let highest = 0;
    for (const [run, signal] of (['SIGKILL', 'SIGTERM', 'SIGKILL'] as const).entries()) {
      const client = await host.raw(`watcher ${run}`);
      const { fromSeq } = await client.request<{ fromSeq: number }>('subscribe', { resource: session.uri });
      expect(fromSeq).toBeGreaterThan(highest);
      const { serverSeq } = await client.act({ session: session.uri, type: 'session/titleChanged', title: signal });
      expect(serverSeq).toBeGreaterThan(fromSeq);
      highest = serverSeq;
      await host.end(signal);
      await host.start();
    }
  });

  it('SIGTERM in the middle of a turn: it exits with 0, and no text is lost', async () => {
    const { session, queued } = await busySession();
    const watcher = await host.raw('watcher');
    await watcher.request('subscribe', { resource: session.uri });
    await watcher.nextAction(session.uri, 'session/delta');
    expect(await host.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await watcher.closed).toMatchObject({ code: 1001 });
    const before = session.confirmed.value;
    await host.start();
    const after = await ended(session, 2);
    expect(after.queuedMessages?.map(({ id }) => id)).toEqual(queued);
    expect(said(after).startsWith(said(before))).toBe(true);
    expect(said(after).length).toBeGreaterThan(0);
    expect((await alice.listSessions()).items).toEqual([after.summary]);
  });

  it('kill -9 while a session is being created: it is listed, and becomes ready', async () => {
    const { uri } = await alice.createSession({ provider: 'mock', config: { creationDelayMs: 200 } });
    await host.end('SIGKILL');
    await host.start();
    await alice.connected();
    expect((await alice.listSessions()).items.map(({ resource }) => resource)).toEqual([uri]);
    const session = await alice.openSession(uri);
    await session.ready();
    await session.send('hello');
    await ended(session, 1);
  });

  it('kill -9 right after a turn was accepted: the list shows its outcome', async () => {
    const session = await alice.createSession({ provider: 'mock' });
    await session.ready();
    await session.send('slow');
    session.dispose();
    await host.end('SIGKILL');
    await host.start();
    await alice.connected();
    expect((await alice.listSessions()).items).toMatchObject([{ resource: session.uri, status: 'error' }]);
  });

  it('kill -9 right after a change of the title: the list has the new one', async () => {
    const session = await alice.createSession({ provider: 'mock' });
    await session.ready();
    await session.rename('Told to be stored');
    session.dispose();
    await host.end('SIGKILL');
    await host.start();
    await alice.connected();
    expect((await alice.listSessions()).items).toMatchObject([{ title: 'Told to be stored' }]);
  });

  it('kill -9 while a session is forked: the fork is complete or absent, and its id can be used', async () => {
    const source = await alice.createSession({ provider: 'mock' });
    await source.ready();
    for (let n = 1; n <= 4; n++) {
      await source.send(`${n} ${'long '.repeat(10_000)}`);
      await ended(source, n);
    }
    for (let round = 0; round < 4; round++) {
      const session = `mock:/${crypto.randomUUID()}`;
      const killer = await host.raw(`killer ${round}`);
      killer.request('forkSession', { source: source.uri, session }).catch(() => undefined);
      // A little later each time: what is before it has been answered then.
      for (let n = 0; n < round; n++) await killer.request('ping', {}).catch(() => undefined);
      await host.end('SIGKILL');
      await host.start();
      await alice.connected();
      const listed = (await alice.listSessions()).items.some(({ resource }) => resource === session);
      const fork = await alice.openSession(session).catch(() => alice.forkSession({ source: source.uri, session }));
      expect(fork.confirmed.value.turns, `listed: ${listed}`).toEqual(source.confirmed.value.turns);
    }
  });
});
