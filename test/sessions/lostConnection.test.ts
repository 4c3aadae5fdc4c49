import { createHostClient, type HostClient } from '@agenthost/client';
import { AgentHostProvider } from '@agenthost/sessions';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTcpProxy } from '../support/tcpProxy.js';
import { rawSession } from '../support/testHost.js';
import { until } from '../support/until.js';
import { event, testHost } from './support/providers.js';

describe('a lost connection', () => {
  it('is recovered from: sessions added, removed and changed meanwhile are in the list', async () => {
    const proxy = await startTcpProxy();
    onTestFinished(() => proxy.close());
    const test = await testHost({}, { publicUrl: proxy.url });
    proxy.forwardTo(test.url);
    const alice = await test.raw('alice');
    const [kept, gone] = [await rawSession([alice]), await rawSession([alice])];
    const host: HostClient = createHostClient({ url: proxy.url, token: test.token, random: () => 0.01 });
    onTestFinished(() => host.close());
    const provider = new AgentHostProvider(host);
    onTestFinished(() => provider.dispose());
    await until(provider.hasMoreSessions, (hasMore) => !hasMore, 'the list');
    const untitled = await provider.createNewSession(provider.resolveWorkspace('file:///tmp'));
    proxy.allow(false);
    proxy.cut();
    await until(provider.status.connection, ({ state }) => state === 'reconnecting', 'the loss');
    await alice.request('disposeSession', { session: gone });
    await alice.act({ session: kept, type: 'session/titleChanged', title: 'Changed meanwhile' });
    const made = await rawSession([alice]);
    const changed = event(provider, ({ removed }) => removed.length > 0);
    proxy.allow(true);
    host.retryNow();
    await changed;
    const shown = Object.fromEntries(provider.getSessions().map(({ sessionId, title }) => [sessionId, title.value]));
    expect(shown).toEqual({
      [untitled.sessionId]: '',
      [`agenthost-local:${kept}`]: 'Changed meanwhile',
      [`agenthost-local:${made}`]: '',
    });
    await until(provider.status.staleSince, (since) => since === undefined, 'connected again');
  });

  it('before the first listing only delays it', async () => {
    const proxy = await startTcpProxy();
    onTestFinished(() => proxy.close());
    const test = await testHost({}, { publicUrl: proxy.url });
    await rawSession([await test.raw('alice')]);
    const host = createHostClient({ url: proxy.url, token: test.token, random: () => 0.01 });
    onTestFinished(() => host.close());
    const provider = new AgentHostProvider(host);
    onTestFinished(() => provider.dispose());
    await until(provider.status.connection, ({ state }) => state === 'reconnecting', 'no connection');
    expect(provider.getSessions()).toEqual([]);
    const added = event(provider, (change) => change.added.length === 1);
    proxy.forwardTo(test.url);
    await added;
  });
});
