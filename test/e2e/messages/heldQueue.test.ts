import type { HostClient, SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRestartableHost } from '../../support/restartableHost.js';
import { startWithTwo, type TestHost } from '../../support/testHost.js';
import { until } from '../../support/until.js';

describe('a queue that is held back', () => {
  let host: TestHost;
  let alice: HostClient;
  let bob: HostClient;

  beforeEach(async () => {
    ({ host, alice, bob } = await startWithTwo());
  });
  afterEach(() => host.dispose());

  const ended = (session: SessionHandle, count: number) =>
    until(session.confirmed, ({ turns, activeTurn }) => turns.length === count && !activeTurn, `${count} ended turns`);
  const texts = (session: SessionHandle) => session.confirmed.value.turns.map(({ userMessage }) => userMessage.text);

  /** Stopped with two messages in the queue. */
  async function stopped(): Promise<{ hers: SessionHandle; his: SessionHandle; ids: readonly string[] }> {
    const hers = await alice.createSession({ provider: 'mock' });
    await hers.ready();
    const his = await bob.openSession(hers.uri);
    await hers.send('slow');
    const ids = [await hers.queue('one'), await his.queue('two')];
    await his.cancel({ holdQueue: true });
    await ended(hers, 1);
    return { hers, his, ids };
  }

  /** Whatever would start by itself would have done so before a whole round trip is over. */
  async function expectWaiting(session: SessionHandle, ids: readonly string[]): Promise<void> {
    await alice.ping();
    expect(session.confirmed.value.activeTurn).toBeUndefined();
    expect(session.confirmed.value.queuedMessages?.map(({ id }) => id)).toEqual(ids);
  }

  it('[TURN16] waits, and is sent in order when a client says so', async () => {
    const { hers, his, ids } = await stopped();
    await expectWaiting(hers, ids);
    expect(hers.confirmed.value.turns[0]).toMatchObject({ state: 'cancelled', holdsQueue: true });
    await his.resumeQueue();
    const { turns } = await ended(hers, 3);
    expect(turns.map(({ id }) => id).slice(1)).toEqual(ids);
    await expect(hers.resumeQueue()).rejects.toThrow('unknown pending message');
  });

  it('[TURN16] waits while its messages are edited, reordered and removed', async () => {
    const { hers, ids } = await stopped();
    const [one = '', two = ''] = ids;
    await hers.editPending(one, 'one, edited');
    await expectWaiting(hers, [one, two]);
    await hers.reorderQueue([two, one]);
    await expectWaiting(hers, [two, one]);
    await hers.removePending(two);
    await expectWaiting(hers, [one]);
    await hers.resumeQueue();
    await ended(hers, 2);
    expect(texts(hers)).toEqual(['slow', 'one, edited']);
  });

  it('[TURN16] follows a message that is sent', async () => {
    const { hers } = await stopped();
    await hers.send('first of all');
    await ended(hers, 4);
    expect(texts(hers)).toEqual(['slow', 'first of all', 'one', 'two']);
  });

  it('[TURN16] goes on with another message in the queue, as clients of version 1 send it', async () => {
    const { hers, his } = await stopped();
    await his.queue('three');
    await ended(hers, 4);
    expect(texts(hers)).toEqual(['slow', 'one', 'two', 'three']);
  });
});

it('[TURN16] a queue that is held back waits after a restart of the host', async () => {
  const host = await startRestartableHost();
  try {
    const session = await (await host.connect()).createSession({ provider: 'mock' });
    await session.ready();
    await session.send('slow');
    const id = await session.queue('one');
    await session.cancel({ holdQueue: true });
    await host.end('SIGTERM');
    await host.start();
    const other = await host.connect();
    const again = await other.openSession(session.uri);
    await other.ping();
    const { activeTurn, queuedMessages } = again.confirmed.value;
    expect({ activeTurn, queued: queuedMessages?.map((message) => message.id) }).toEqual({
      activeTurn: undefined,
      queued: [id],
    });
    await again.resumeQueue();
    await until(again.confirmed, ({ turns }) => turns.length === 2, 'the message as a turn');
  } finally {
    await host.dispose();
  }
});
