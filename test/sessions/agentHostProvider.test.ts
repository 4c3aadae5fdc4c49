import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { createHostClient } from '@agenthost/client';
import { MockAgent, ShellAgent } from '@agenthost/host';
import {
  AgentHostProvider,
  type Session,
  SessionStatus,
  type SessionsChangeEvent,
  SessionsListModel,
} from '@agenthost/sessions';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startTcpProxy } from '../support/tcpProxy.js';
import { rawSession, startTestHost } from '../support/testHost.js';
import { until } from '../support/until.js';
import { event, folderOfTest, manage, providerOf, send, testHost } from './support/providers.js';

const run = promisify(execFile);

describe('the sessions of a host', () => {
  it('are listed by their summaries, and follow changes by others', async () => {
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

  it('[NTF1] are completed in the end, however short their first turn was', async () => {
    const defaultDirectory = await folderOfTest();
    // What git says of the folder changes the summary right before the turn, so that the turn's changes are gathered.
    await run('git', ['init', '-q', '-b', 'main', defaultDirectory]);
    const test = await testHost({ defaultDirectory });
    const provider = await providerOf(test);
    const watcher = await providerOf(test, { name: 'watcher' });
    const made: Session[] = [];
    for (let n = 0; n < 20; n++) made.push(await send(provider, `hello ${n}`));
    for (const session of [...made, ...watcher.getSessions()]) {
      await until(session.status, (status) => status === SessionStatus.Completed, `${session.sessionId} completed`);
    }
    expect(watcher.getSessions()).toHaveLength(20);
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

  it('have other types when the host reconnects with other agents', async () => {
    const proxy = await startTcpProxy();
    onTestFinished(() => proxy.close());
    const stateDir = await folderOfTest();
    const first = await startTestHost({ stateDir, agents: [new MockAgent()] }, { publicUrl: proxy.url });
    proxy.forwardTo(first.url);
    const host = createHostClient({ url: proxy.url, token: first.token, random: () => 0.01 });
    onTestFinished(() => host.close());
    const provider = new AgentHostProvider(host);
    onTestFinished(() => provider.dispose());
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

  it('are one session with several chats when they share a group', async () => {
    const test = await testHost();
    const provider = await providerOf(test);
    const session = await send(provider, 'hello');
    const again = await provider.sendAndCreateChat(session.sessionId, { query: 'reasoning' });
    expect(again).toBe(session);
    expect(session.chats.value.map(({ title }) => title.value)).toEqual(['hello', 'reasoning']);
    expect([session.title.value, provider.getSessions().length]).toEqual(['hello', 1]);
    const [first, second] = session.chats.value;
    // A client that lists them again sees the same.
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

  it('have one chat when the agent says that it can have no more', async () => {
    class LonelyAgent extends MockAgent {
      override readonly descriptor = {
        provider: 'lonely',
        displayName: 'Lonely',
        description: '',
        supportsMultipleChats: false,
      };
    }
    const provider = await providerOf(await testHost({ agents: [new LonelyAgent()] }));
    const session = await send(provider);
    expect(session.capabilities.supportsMultipleChats).toBe(false);
    await expect(provider.sendAndCreateChat(session.sessionId, { query: 'hello' })).rejects.toThrow(
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

  it('are not created when their first message could not be sent, and the untitled one stays', async () => {
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

  it('can be searched beyond the listed ones', async () => {
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

  it('are listed when they become new', async () => {
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
    onTestFinished(() => chat.dispose());
    await until(chat.confirmed, (state) => state?.turns.length === 1, 'the turn');
    const fork = await provider.forkChat(source.mainChat.resource, chat.confirmed.value?.turns[0]?.id);
    expect([fork.title.value, fork.chats.value.length, provider.getSessions().length]).toEqual(['hello (fork)', 1, 2]);
    expect(fork.workspace.value).toEqual(source.workspace.value);
  });
});
