import type { ListSessionsResult, Notification, SessionSummary } from '@agenthost/protocol';
import { withSummaryChanges } from '@agenthost/protocol/internal';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../support/cleanups.js';
import { RawClient } from '../../support/rawClient.js';
import { startTcpProxy } from '../../support/tcpProxy.js';
import { rawSession, startTestHost, type TestHost } from '../../support/testHost.js';

const LIMIT = 3;
const cleanups = cleanupsOfTests();

async function start(publicUrl?: URL): Promise<TestHost> {
  const host = await startTestHost({}, publicUrl ? { publicUrl } : {});
  cleanups.push(() => host.dispose());
  return host;
}

async function watching(host: TestHost, watch: object | undefined, clientId = 'watcher'): Promise<RawClient> {
  const client = await RawClient.open(host);
  cleanups.push(() => client.end());
  await client.request('initialize', { protocolVersion: 1, clientId, ...(watch && { watch }) });
  return client;
}

const message = (session: string, text: string) => ({
  type: 'session/turnStarted',
  session,
  turnId: crypto.randomUUID(),
  userMessage: { text },
});

async function say(client: RawClient, session: string, text = 'hello'): Promise<void> {
  const { turnId, ...rest } = message(session, text);
  await client.act({ ...rest, turnId });
  await client.nextAction(session, 'session/turnComplete', (action) => action.turnId === turnId);
}

const told = (client: RawClient, session: string) =>
  client.notifications.filter((one) =>
    one.type === 'notify/sessionAdded' ? one.summary.resource === session : 'session' in one && one.session === session,
  );

/** What a client has that does as NTF3 says. */
function followed(listed: readonly SessionSummary[], notifications: readonly Notification[]): string[] {
  let known = [...listed];
  const others = (session: string) => known.filter(({ resource }) => resource !== session);
  for (const one of notifications) {
    if (one.type === 'notify/sessionAdded') known = [one.summary, ...others(one.summary.resource)];
    else if (one.type === 'notify/sessionRemoved') known = others(one.session);
    else if (one.type === 'notify/sessionSummaryChanged') {
      known = known.map((item) => (item.resource === one.session ? withSummaryChanges(item, one.changes) : item));
    }
    known = known.sort((a, b) => b.modifiedAt - a.modifiedAt || (a.resource < b.resource ? 1 : -1)).slice(0, LIMIT);
  }
  return known.map((item) => JSON.stringify(Object.entries(item).sort()));
}

describe('a client with `watch`', () => {
  it('[NTF2] hears of the newest sessions and of those that it has subscribed to, and of no others', async () => {
    const host = await start();
    const alice = await host.raw('alice');
    const sessions: string[] = [];
    for (let n = 0; n < LIMIT + 2; n++) {
      const session = await rawSession([alice]);
      await say(alice, session);
      sessions.push(session);
    }
    const [unheard = '', subscribed = '', ...newest] = sessions;
    const watcher = await watching(host, { limit: LIMIT });
    const everything = await watching(host, undefined, 'everything');
    await watcher.request('subscribe', { resource: subscribed });
    for (const session of sessions) await alice.act({ type: 'session/titleChanged', session, title: 'renamed' });
    const hears = (client: RawClient, session: string) =>
      client.next(({ params }) => {
        const { notification } = params ?? {};
        return notification?.type === 'notify/sessionSummaryChanged' && notification.session === session;
      }, session);
    for (const session of sessions) await hears(everything, session);
    for (const session of [subscribed, ...newest]) await hears(watcher, session);
    await watcher.fence();
    expect(told(watcher, unheard)).toEqual([]);
    // News brings it among the newest.
    await say(alice, unheard);
    await watcher.next(({ params }) => {
      const { notification } = params ?? {};
      return notification?.type === 'notify/sessionAdded' && notification.summary.resource === unheard;
    });
    await watcher.fence();
    expect(told(watcher, unheard)[0]).toMatchObject({ summary: { title: 'renamed' } });
  });

  it('[NTF3] has the same list as the host after sessions were made, used, forked and removed', async () => {
    const host = await start();
    const alice = await host.raw('alice');
    const sessions: string[] = [];
    for (let n = 0; n < 6; n++) {
      sessions.push(await rawSession([alice]));
      await say(alice, sessions[n] ?? '');
    }
    const watcher = await watching(host, { limit: LIMIT });
    const { items } = await watcher.request<ListSessionsResult>('listSessions', { limit: LIMIT });
    for (let n = 0; n < 12; n++) {
      const session = sessions[(n * 5) % sessions.length] ?? '';
      if (n % 4 === 3) {
        const fork = `mock:/${crypto.randomUUID()}`;
        await alice.request('forkSession', { source: session, session: fork });
        await alice.request('subscribe', { resource: fork });
        sessions.push(fork);
      } else if (n % 4 === 2) {
        const { items: newest } = await alice.request<ListSessionsResult>('listSessions', { limit: 1 });
        const [{ resource } = { resource: '' }] = newest;
        await alice.request('disposeSession', { session: resource });
        sessions.splice(sessions.indexOf(resource), 1);
      } else await say(alice, session);
    }
    await expect
      .poll(async () => {
        await watcher.fence();
        const list = await alice.request<ListSessionsResult>('listSessions', { limit: LIMIT });
        const now = list.items.map((item) => JSON.stringify(Object.entries(item).sort()));
        return now.join() === followed(items, watcher.notifications).join();
      })
      .toBe(true);
  });

  it('[NTF2] is refused a limit that is none', async () => {
    const host = await start();
    for (const limit of [0, -1, 501, 1.5, '3', null]) {
      await expect(watching(host, { limit }), String(limit)).rejects.toThrow('params.watch.limit');
    }
  });
});

describe('the SDK with `watch`', () => {
  it('[NTF2] watches as many after a reconnect', async () => {
    const proxy = await startTcpProxy();
    cleanups.push(() => proxy.close());
    const host = await start(proxy.url);
    proxy.forwardTo(host.url);
    const alice = await host.raw('alice');
    const [old, newest] = [await rawSession([alice]), await rawSession([alice])];
    await say(alice, old);
    await say(alice, newest);
    const sdk = await host.connect({ url: proxy.url, watch: { limit: 1 } });
    const heard: string[] = [];
    sdk.onNotification((event) => {
      if (event.type === 'client/listsStale') heard.push('stale');
      else if (event.type === 'notify/sessionSummaryChanged') heard.push(event.session);
    });
    proxy.cut();
    await expect.poll(() => heard).toContain('stale');
    await alice.act({ type: 'session/titleChanged', session: old, title: 'unheard' });
    await alice.act({ type: 'session/titleChanged', session: newest, title: 'heard' });
    await expect.poll(() => heard).toContain(newest);
    await sdk.ping();
    expect(heard).not.toContain(old);
  });
});
