import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createHost, type Host } from '@agenthost/client';
import { MockAgent, ShellAgent } from '@agenthost/host';
import { createSessionState } from '@agenthost/protocol';
import {
  AgentHostProvider,
  type Session,
  SessionStatus,
  type SessionsChangeEvent,
  SessionsListModel,
  SessionsManagementService,
  SessionsProvidersService,
} from '@agenthost/sessions';
import { afterEach, describe, expect, it } from 'vitest';
import { SessionIndex } from '../../packages/host/src/index/sessionIndex.js';
import { startTcpProxy } from '../support/tcpProxy.js';
import { rawSession, startTestHost, type TestHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';
import { countingTransport } from './support/countingTransport.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function testHost(...args: Parameters<typeof startTestHost>): Promise<TestHost> {
  const test = await startTestHost(...args);
  cleanups.push(() => test.dispose());
  return test;
}

async function folderOfTest(): Promise<string> {
  const folder = await temporaryFolder();
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function providerOf(test: TestHost, options: ConstructorParameters<typeof AgentHostProvider>[1] = {}) {
  const provider = new AgentHostProvider(await test.connect(), options);
  cleanups.push(() => provider.dispose());
  await until(provider.isLoadingSessions, (isLoading) => !isLoading, 'the list');
  return provider;
}

function manage(...providers: AgentHostProvider[]) {
  const registry = new SessionsProvidersService();
  for (const provider of providers) registry.registerProvider(provider);
  return new SessionsManagementService(registry);
}

/** A session on that host, made through the layer. */
async function send(provider: AgentHostProvider, query = 'hello'): Promise<Session> {
  const workspace = provider.resolveWorkspace(provider.folders.home ?? '');
  const { sessionId } = await provider.createNewSession(workspace);
  return provider.sendAndCreateChat(sessionId, { query });
}

/** Resolves with the first event that fits. */
function event(
  source: { onDidChangeSessions: AgentHostProvider['onDidChangeSessions'] },
  fits: (event: SessionsChangeEvent) => boolean,
): Promise<SessionsChangeEvent> {
  const { promise, resolve } = Promise.withResolvers<SessionsChangeEvent>();
  const following = source.onDidChangeSessions((change) => {
    if (!fits(change)) return;
    following.dispose();
    resolve(change);
  });
  return promise;
}

describe('the sessions of a host', () => {
  it('are listed with what their summaries say, and follow what others do', async () => {
    const test = await testHost();
    const alice = await test.raw('alice');
    const uri = await rawSession([alice]);
    await alice.act({ session: uri, type: 'session/titleChanged', title: 'By Alice' });
    const provider = await providerOf(test);
    const [session] = provider.getSessions();
    expect(session).toMatchObject({
      sessionId: `agenthost-local:${uri}`,
      resource: `agenthost-local:${uri}`,
      sessionType: 'mock',
      icon: 'flask',
      capabilities: { supportsMultipleChats: true },
    });
    if (!session) throw new Error('no session');
    expect([session.title.value, session.status.value, session.isRead.value, session.lastTurnEnd.value]).toEqual([
      'By Alice',
      SessionStatus.Untitled,
      true,
      undefined,
    ]);
    alice.dispatch({ session: uri, type: 'session/turnStarted', turnId: 't', userMessage: { text: 'permission' } });
    await until(session.status, (status) => status === SessionStatus.NeedsInput, 'NeedsInput');
    expect([session.isRead.value, session.lastTurnEnd.value]).toEqual([false, undefined]);
    await alice.act({ session: uri, type: 'session/turnCancelled', turnId: 't' });
    await until(session.status, (status) => status === SessionStatus.Completed, 'Completed');
    expect(session.lastTurnEnd.value).toEqual(session.updatedAt.value);
    const added = event(provider, (change) => change.added.length === 1);
    const second = await rawSession([alice]);
    expect((await added).added[0]?.sessionId).toBe(`agenthost-local:${second}`);
    const removed = event(provider, (change) => change.removed.length === 1);
    await alice.request('disposeSession', { session: uri });
    expect((await removed).removed[0]).toBe(session);
    expect(provider.getSessions().length).toBe(1);
  });

  it('take their types from the agents of the host, also when these change', async () => {
    const test = await testHost();
    const provider = await providerOf(test);
    expect(provider.sessionTypes.map(({ id, label, availability }) => [id, label, availability?.state])).toEqual([
      ['mock', 'Mock', 'available'],
      ['shell', 'Shell', 'available'],
    ]);
    expect(provider.sessionTypes).toBe(provider.sessionTypes);
  });

  it('have other types when the host comes back with other agents', async () => {
    const proxy = await startTcpProxy();
    cleanups.push(() => proxy.close());
    const stateDir = await folderOfTest();
    const first = await startTestHost({ stateDir, agents: [new MockAgent()] }, { publicUrl: proxy.url });
    proxy.forwardTo(first.url);
    const host = createHost({ url: proxy.url, token: first.token, random: () => 0.01 });
    cleanups.push(() => host.close());
    const provider = new AgentHostProvider(host);
    cleanups.push(() => provider.dispose());
    const service = manage(provider);
    await until(provider.isLoadingSessions, (isLoading) => !isLoading, 'the list');
    expect(service.getAllSessionTypes().map(({ id }) => id)).toEqual(['mock']);
    const changed = new Promise<void>((resolve) => service.onDidChangeSessionTypes(resolve));
    await first.dispose();
    const second = await testHost({ stateDir, agents: [new MockAgent(), new ShellAgent()] }, { publicUrl: proxy.url });
    proxy.forwardTo(second.url);
    host.retryNow();
    await changed;
    expect(service.getAllSessionTypes().map(({ id }) => id)).toEqual(['mock', 'shell']);
  });

  it('are one session with several chats where they share a group', async () => {
    const test = await testHost();
    const provider = await providerOf(test);
    const session = await send(provider, 'hello');
    const again = await provider.sendAndCreateChat(session.sessionId, { query: 'reasoning' });
    expect(again).toBe(session);
    expect(session.chats.value.map(({ title }) => title.value)).toEqual(['hello', 'reasoning']);
    expect([session.title.value, provider.getSessions().length]).toEqual(['hello', 1]);
    const [first, second] = session.chats.value;
    // Somebody who lists them anew sees the same.
    const other = await providerOf(test, { name: 'other' });
    const [seen] = other.getSessions();
    expect(seen?.chats.value.map(({ title }) => title.value)).toEqual(['hello', 'reasoning']);
    const { items } = await (await test.connect()).listSessions();
    expect(new Set(items.map(({ metadata }) => metadata?.['group']))).toEqual(
      new Set([first?.resource.slice('agenthost-local:'.length)]),
    );
    // Without the main chat the next one is the main chat; the session is the same.
    await provider.deleteChat(session.sessionId, first?.resource ?? '');
    expect([session.mainChat, session.title.value, provider.getSessions()]).toEqual([second, 'reasoning', [session]]);
    if (seen) await until(seen.chats, (chats) => chats.length === 1, 'one chat');
  });

  it('need an agent that can have several chats for a second one', async () => {
    const test = await testHost();
    const provider = await providerOf(test);
    const { sessionId } = await provider.createNewSession(provider.resolveWorkspace('file:///tmp'));
    await provider.setSessionType(sessionId, 'shell');
    const session = await provider.sendAndCreateChat(sessionId, { query: 'true' });
    expect(session.capabilities.supportsMultipleChats).toBe(false);
    await expect(provider.sendAndCreateChat(session.sessionId, { query: 'true' })).rejects.toThrow(
      'one chat a session',
    );
  });

  it('keep what was set before the first message: type, model, title, folder', async () => {
    const test = await testHost();
    const provider = await providerOf(test);
    const folder = await folderOfTest();
    const untitled = await provider.createNewSession(provider.resolveWorkspace(`file://${folder}`));
    await provider.setModel(untitled.sessionId, 'mock-large');
    await provider.renameChat(untitled.sessionId, untitled.mainChat.resource, 'My name for it');
    expect([untitled.modelId.value, untitled.title.value]).toEqual(['mock-large', 'My name for it']);
    const sent = await provider.sendAndCreateChat(untitled.sessionId, { query: 'hello' });
    expect([sent.modelId.value, sent.title.value, sent.workspace.value?.repositories[0]?.workingDirectory]).toEqual([
      'mock-large',
      'My name for it',
      `file://${folder}`,
    ]);
  });

  it('are not there when their first message could not be sent, and the untitled one still is', async () => {
    const test = await testHost();
    const provider = await providerOf(test);
    const untitled = await provider.createNewSession(provider.resolveWorkspace('file:///no/such/folder'));
    const events: SessionsChangeEvent[] = [];
    provider.onDidChangeSessions((change) => events.push(change));
    await expect(provider.sendAndCreateChat(untitled.sessionId, { query: 'x' })).rejects.toThrow('does not exist');
    expect([provider.getSessions(), untitled.loading.value, events]).toEqual([[untitled], false, []]);
    // The host makes the session, and its agent does not start.
    const other = await provider.createNewSession(provider.resolveWorkspace(`file://${test.stateDir}`));
    await provider.setModel(other.sessionId, 'no-such-model');
    const client = await test.connect();
    const disposed = new Promise<void>((resolve) => {
      client.onNotification(({ type }) => type === 'notify/sessionRemoved' && resolve());
    });
    await expect(provider.sendAndCreateChat(other.sessionId, { query: 'x' })).rejects.toThrow('There is no model');
    await disposed;
    expect([(await client.listSessions()).items, other.status.value]).toEqual([[], SessionStatus.Untitled]);
    await provider.setModel(other.sessionId, 'mock-small');
    const sent = await provider.sendAndCreateChat(other.sessionId, { query: 'hello' });
    expect(provider.getSessions()).toEqual([untitled, sent]);
  });

  it('can be searched beyond what is listed', async () => {
    const test = await testHost();
    const alice = await test.raw('alice');
    const uri = await rawSession([alice]);
    alice.dispatch({ session: uri, type: 'session/turnStarted', turnId: 't', userMessage: { text: 'echo needle' } });
    await alice.nextAction(uri, 'session/turnComplete');
    for (let n = 0; n < 3; n++) await rawSession([alice]);
    const provider = await providerOf(test, { pageSize: 1 });
    const service = manage(provider);
    expect([service.getSessions().length, provider.hasMoreSessions.value]).toEqual([1, true]);
    const list = new SessionsListModel(service, { filter: { text: 'needle' } });
    expect(list.sessionCount).toBe(0);
    const { results, total, failures } = await service.searchSessions('needle');
    expect([total, failures, results[0]?.session.resource]).toEqual([1, [], `agenthost-local:${uri}`]);
    expect(results[0]?.snippet).toContain('⟨needle⟩');
    list.setFound(results.map((result) => result.session.sessionId));
    expect(list.sessionCount).toBe(1);
    await service.openSession(results[0]?.session.resource ?? '');
    expect(service.activeSession.value?.sessionId).toBe(`agenthost-local:${uri}`);
    await service.loadMoreSessions();
    await service.loadMoreSessions();
    await service.loadMoreSessions();
    expect([service.getSessions().length, provider.hasMoreSessions.value]).toEqual([4, false]);
  });

  it('that were not listed yet are when they become new', async () => {
    const test = await testHost();
    const alice = await test.raw('alice');
    const old = await rawSession([alice]);
    await rawSession([alice]);
    const provider = await providerOf(test, { pageSize: 1 });
    expect(provider.getSessions().length).toBe(1);
    const added = event(provider, (change) => change.added.length > 0);
    alice.dispatch({ session: old, type: 'session/turnStarted', turnId: 't', userMessage: { text: 'hello' } });
    expect((await added).added.map(({ sessionId }) => sessionId)).toEqual([`agenthost-local:${old}`]);
  });

  it('are browsed for with a picker', async () => {
    const test = await testHost();
    const provider = await providerOf(test, {
      pickFolder: async (folders) => {
        expect(folders.home).toBe(`file://${test.stateDir}`);
        const entries = await folders.list(`file://${test.stateDir}`);
        expect(entries.every(({ type }) => type !== 'file')).toBe(true);
        await expect(folders.list('file:///no/such/folder')).rejects.toThrow('does not exist');
        expect([folders.parent('file:///a/b'), folders.parent('file:///a'), folders.parent('file:///')]).toEqual([
          'file:///a',
          'file:///',
          undefined,
        ]);
        return entries[0]?.uri;
      },
    });
    const workspace = await manage(provider).getBrowseActions()[0]?.run();
    expect(workspace?.repositories[0]?.workingDirectory).toContain(test.stateDir);
    expect((await providerOf(test, { id: 'none' })).browseActions).toEqual([]);
    await send(provider);
    expect(provider.folders.recent()).toEqual([`file://${test.stateDir}`]);
  });

  it('can be forked at a turn', async () => {
    const test = await testHost();
    const provider = await providerOf(test);
    const source = await send(provider, 'hello');
    const chat = provider.openChat(source.mainChat.resource);
    cleanups.push(() => chat.dispose());
    await until(chat.confirmed, (state) => state?.turns.length === 1, 'the turn');
    const fork = await provider.forkChat(source.mainChat.resource, chat.confirmed.value?.turns[0]?.id);
    expect([fork.title.value, fork.chats.value.length, provider.getSessions().length]).toEqual(['hello (fork)', 1, 2]);
    expect(fork.workspace.value).toEqual(source.workspace.value);
  });
});

describe('10,000 sessions of a host', () => {
  it('are listed by pages, without a subscription for any of them', async () => {
    const stateDir = await folderOfTest();
    const index = new SessionIndex(join(stateDir, 'index.sqlite'));
    for (let n = 0; n < 10_000; n++) {
      const resource = `mock:/s${n}`;
      const metadata = { workingDirectoryPath: `/src/project-${n % 40}` };
      const { summary } = createSessionState({
        resource,
        provider: 'mock',
        createdAt: n,
        title: `Session ${n}`,
        metadata,
      });
      index.put({ ...summary, modifiedAt: 1_000_000 + n });
    }
    index.markFilled();
    index.close();
    const test = await testHost({ stateDir });
    const { transport, methods } = countingTransport(test.url, test.token);
    const host = createHost({ transport });
    cleanups.push(() => host.close());
    const provider = new AgentHostProvider(host, { pageSize: 100 });
    const service = manage(provider);
    const list = new SessionsListModel(service);
    await event(service, ({ added }) => added.length > 0);
    expect([list.sessionCount, list.groups.length]).toEqual([100, 40]);
    await until(provider.isLoadingSessions, (isLoading) => !isLoading);
    await service.loadMoreSessions();
    expect([list.sessionCount, provider.getSessions()[0]?.title.value]).toEqual([200, 'Session 9999']);
    expect(methods.filter((method) => method !== 'ping')).toEqual(['initialize', 'listSessions', 'listSessions']);
    while (provider.hasMoreSessions.value) await service.loadMoreSessions();
    expect(list.sessionCount).toBe(10_000);
    expect(methods).not.toContain('subscribe');
  });
});

describe('several hosts at once', () => {
  it('are one list, and each session is driven on its own host', async () => {
    const [one, two] = [await testHost(), await testHost()];
    const [local, remote] = [await providerOf(one), await providerOf(two, { name: 'dev-box' })];
    expect([local.id, remote.id, remote.label]).toEqual(['agenthost-local', 'agenthost-dev-box', 'dev-box']);
    const service = manage(local, remote);
    const list = new SessionsListModel(service);
    const here = await send(local, 'hello');
    const there = await send(remote, 'hello');
    expect(there.workspace.value?.label).toMatch(/ \[dev-box\]$/);
    expect([list.sessionCount, list.groups.length]).toEqual([2, 2]);
    await service.renameChat(there, there.mainChat.resource, 'Renamed');
    expect([here.title.value, there.title.value]).toEqual(['hello', 'Renamed']);
    const titles = async (test: TestHost) =>
      (await (await test.connect()).listSessions()).items.map(({ title }) => title);
    expect([await titles(one), await titles(two)]).toEqual([['hello'], ['Renamed']]);
    await service.deleteSession(here);
    expect([await titles(one), await titles(two)]).toEqual([[], ['Renamed']]);
  });

  it('with the same session on both are told apart', async () => {
    const [one, two] = [await testHost(), await testHost()];
    for (const test of [one, two]) await (await test.raw('a')).request('createSession', { session: 'mock:/same' });
    const [local, remote] = [await providerOf(one), await providerOf(two, { name: 'b' })];
    const service = manage(local, remote);
    const sessions = service.getSessions();
    expect(sessions.map(({ resource }) => resource)).toEqual(['agenthost-local:mock:/same', 'agenthost-b:mock:/same']);
    await service.archiveSession(sessions[1] as Session);
    expect(sessions.map(({ isArchived }) => isArchived.value)).toEqual([false, true]);
  });

  it('one that is down does not keep the other from working', async () => {
    const [one, two] = [await testHost(), await testHost()];
    const [local, remote] = [await providerOf(one), await providerOf(two, { name: 'b' })];
    const service = manage(local, remote);
    const there = await send(remote);
    await two.host.close();
    await until(remote.status.connection, ({ state }) => state === 'reconnecting', 'the loss');
    expect(remote.status.staleSince.value).toBeTypeOf('number');
    const here = await send(local, 'hello');
    await service.setRead(here, false);
    expect(service.getSessions()).toEqual([here, there]);
  });
});

describe('a lost connection', () => {
  it('is made good: what came, went and changed meanwhile is in the list', async () => {
    const proxy = await startTcpProxy();
    cleanups.push(() => proxy.close());
    const test = await testHost({}, { publicUrl: proxy.url });
    proxy.forwardTo(test.url);
    const alice = await test.raw('alice');
    const [kept, gone] = [await rawSession([alice]), await rawSession([alice])];
    const host: Host = createHost({ url: proxy.url, token: test.token, random: () => 0.01 });
    cleanups.push(() => host.close());
    const provider = new AgentHostProvider(host);
    cleanups.push(() => provider.dispose());
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
    cleanups.push(() => proxy.close());
    const test = await testHost({}, { publicUrl: proxy.url });
    await rawSession([await test.raw('alice')]);
    const host = createHost({ url: proxy.url, token: test.token, random: () => 0.01 });
    cleanups.push(() => host.close());
    const provider = new AgentHostProvider(host);
    cleanups.push(() => provider.dispose());
    await until(provider.status.connection, ({ state }) => state === 'reconnecting', 'no connection');
    expect(provider.getSessions()).toEqual([]);
    const added = event(provider, (change) => change.added.length === 1);
    proxy.forwardTo(test.url);
    await added;
  });
});
