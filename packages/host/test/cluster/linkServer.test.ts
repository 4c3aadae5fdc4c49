import { ERROR_CODE, type Notification } from '@agenthost/protocol';
import { createMemoryTransportPair, RpcPeer } from '@agenthost/rpc';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LINK_VERSION, type SummariesParams } from '../../src/cluster/links/linkMessages.js';
import { LinkServer } from '../../src/cluster/links/linkServer.js';
import { silentLog } from '../../src/hostLog.js';
import type { Session } from '../../src/sessions/session.js';
import type { SessionHub } from '../../src/sessions/sessionHub.js';
import { Delivery } from '../../src/state/delivery.js';

let delivery: Delivery;
let link: LinkServer;
/** The host at the other end. */
let other: RpcPeer;
let batches: SummariesParams[];
let notified: Notification[];
/** The other host takes what it is told only when this resolves. */
let gate: Promise<void>;
/** What the host has under any name. */
let session: Pick<Session, 'isClosed' | 'space' | 'subscribe'>;
let held: number;

beforeEach(() => {
  const { a: here, b: there } = createMemoryTransportPair();
  delivery = new Delivery();
  [batches, notified, gate, held] = [[], [], Promise.resolve(), 0];
  link = new LinkServer(here, {
    hostId: 'owner',
    hub: {
      indexWritten: async () => {},
      loaded: () => session,
      spaceOf: async () => session.space,
      open: async () => session,
      hold: () => {
        held++;
        return () => held--;
      },
    } as unknown as SessionHub,
    cluster: { beatAgeMs: 0, isSure: true },
    delivery,
    runCommand: async (_method, _params, as) => as ?? null,
    take: async () => {},
    agents: () => [],
    log: silentLog,
  });
  other = new RpcPeer(there);
  other.onRequest('link.summaries', {
    parse: (params) => params as SummariesParams,
    handle: async (params) => {
      batches.push(params);
      await gate;
      return {};
    },
  });
  other.onNotification('link.notify', {
    parse: (params) => params as { notification: Notification },
    handle: ({ notification }) => void notified.push(notification),
  });
});
afterEach(() => {
  link.close();
  other.dispose();
});

async function hello(clients?: number, maxVersion = 1): Promise<void> {
  const params = { hostId: 'other', minVersion: 1, maxVersion, ...(clients !== undefined && { clients }) };
  await other.request('link.hello', params);
}

const renamed = (session: string, title: string): Notification => ({
  type: 'notify/sessionSummaryChanged',
  session,
  changes: { title },
});

async function arrived(): Promise<void> {
  await delivery.drained();
  await other.request('link.ping', {});
}

describe('a host that wants to follow a session', () => {
  it('[FOL3] is sent away from one that was closed in this moment: it would not hear of its removal', async () => {
    await hello(1, LINK_VERSION);
    const subscribe = vi.fn<Session['subscribe']>();
    session = { isClosed: true, space: 'default', subscribe };
    const following = other.request('link.follow', { uri: 'mock:/a', space: 'default' });
    await expect(following).rejects.toMatchObject({ code: ERROR_CODE.tooManyRequests });
    expect(subscribe).not.toHaveBeenCalled();
    expect(held).toBe(0);
  });
});

describe('what a host tells another of its sessions', () => {
  it('is nothing while that has no clients, except that one was removed', async () => {
    await hello(0);
    link.notify({ notification: renamed('mock:/a', 'x') });
    link.notify({ notification: { type: 'notify/sessionRemoved', session: 'mock:/a' } });
    await arrived();
    expect([batches, notified]).toEqual([[], [{ type: 'notify/sessionRemoved', session: 'mock:/a' }]]);
    await other.request('link.listen', { clients: 7 });
    expect(link.clients).toBe(7);
    link.notify({ notification: renamed('mock:/a', 'y') });
    await arrived();
    expect(batches).toHaveLength(1);
    await other.request('link.listen', { clients: 0 });
    link.notify({ notification: renamed('mock:/a', 'z') });
    await arrived();
    expect(batches).toHaveLength(1);
  });

  it('is one message a change to an older host, which does not say how many clients it has', async () => {
    await hello();
    link.notify({ notification: renamed('mock:/a', 'x') });
    await arrived();
    expect([batches, notified]).toEqual([[], [renamed('mock:/a', 'x')]]);
  });

  it.each([1, 2])(
    '[SPACE4] is only what is in default to a host of version %d, which knows no spaces',
    async (version) => {
      await hello(1, version);
      link.notify({ notification: renamed('mock:/a', 'x'), space: 'design' });
      link.notify({ notification: { type: 'notify/sessionRemoved', session: 'mock:/a' }, space: 'design' });
      link.notify({ notification: renamed('mock:/b', 'y'), space: 'default' });
      await arrived();
      expect(notified).toEqual([]);
      expect(batches.flatMap(({ items }) => items)).toMatchObject([{ notification: { session: 'mock:/b' } }]);
    },
  );

  it('has the space of each to one that knows them', async () => {
    await hello(1, 3);
    link.notify({ notification: renamed('mock:/a', 'x'), space: 'design' });
    await arrived();
    expect(batches).toMatchObject([{ items: [{ space: 'design' }] }]);
  });

  it('is gathered while it does not answer: one entry a session, with all that has changed', async () => {
    await hello(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    link.notify({ notification: renamed('mock:/first', 'x') });
    for (let n = 0; n < 1_000; n++) {
      link.notify({ notification: renamed(`mock:/${n % 10}`, `title ${n}`) });
      const changes = { activity: `activity ${n}` };
      link.notify({ notification: { type: 'notify/sessionSummaryChanged', session: `mock:/${n % 10}`, changes } });
    }
    link.notify({ notification: { type: 'notify/sessionRemoved', session: 'mock:/3' } });
    await arrived();
    expect(batches).toHaveLength(1);
    resolve();
    await expect.poll(() => batches).toHaveLength(2);
    const items = batches[1]?.items.map(({ notification }) => notification) ?? [];
    expect(items).toHaveLength(9);
    expect(items.at(-1)).toMatchObject({
      session: 'mock:/9',
      changes: { title: 'title 999', activity: 'activity 999' },
    });
  });

  it('may wait for as long as the database is away, and does not end the link', async () => {
    await hello(1);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      link.notify({ notification: renamed('mock:/a', 'x') });
      await arrived();
      vi.advanceTimersByTime(3_600_000);
      link.notify({ notification: renamed('mock:/a', 'y') });
      await arrived();
      resolve();
      await arrived();
      await arrived();
      expect(batches.map(({ items }) => items.map(({ notification }) => notification))).toEqual([
        [renamed('mock:/a', 'x')],
        [renamed('mock:/a', 'y')],
      ]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('ends the link when far too much waits for it', async () => {
    await hello(1);
    gate = new Promise(() => {});
    const closed = new Promise((resolve) => other.onClose(resolve));
    for (let n = 0; n < 10_500; n++) link.notify({ notification: renamed(`mock:/${n}`, 'x') });
    await closed;
  });
});

describe('a command of a host that does not say for whom', () => {
  it.each([
    [1, { role: 'driver' }],
    [2, null],
  ])('which speaks version %d is carried out as %j', async (version, as) => {
    await hello(0, version);
    expect(await other.request('link.command', { method: 'disposeSession', params: {} })).toEqual(as);
  });
});
