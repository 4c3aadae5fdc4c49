import { describe, expect, it } from 'vitest';
import {
  type FoundSessions,
  InMemoryProvider,
  observable,
  type SearchResults,
  SessionNotFoundError,
  SessionStatus,
  type SessionsChangeEvent,
  SessionsManagementService,
  SessionsProvidersService,
} from '../src/index.js';
import { memoryStorage } from '../src/sessionsStorage.js';
import { begin, manage, send, WORKSPACE } from './support/memorySessions.js';

const ids = (sessions: readonly { readonly sessionId: string }[]) => sessions.map(({ sessionId }) => sessionId);
const shown = ({ added, removed, changed }: SessionsChangeEvent) => [ids(added), ids(removed), ids(changed)];

describe('aggregation', () => {
  it('lists the sessions of all providers, including earlier ones', async () => {
    const registry = new SessionsProvidersService();
    const [a, b] = [new InMemoryProvider({ id: 'a' }), new InMemoryProvider({ id: 'b' })];
    const first = await send(a);
    registry.registerProvider(a);
    const service = new SessionsManagementService(registry);
    registry.registerProvider(b);
    const second = await send(b);
    expect(ids(service.getSessions()).toSorted()).toEqual(ids([first, second]).toSorted());
    expect(service.getSession(second.resource)).toBe(second);
    expect(service.getSessionById(first.sessionId)).toBe(first);
    expect(service.getSession('x:none')).toBeUndefined();
  });

  it('reports changes of any provider', async () => {
    const { service, providers, registrations } = manage(['a', 'b']);
    const events: SessionsChangeEvent[] = [];
    service.onDidChangeSessions((event) => events.push(event));
    const [a, b] = providers as [InMemoryProvider, InMemoryProvider];
    const untitled = await begin(a);
    const sent = await a.sendAndCreateChat(untitled.sessionId, { query: 'x' });
    const other = await begin(b);
    await a.setRead(sent.sessionId, false);
    await b.deleteSession(other.sessionId);
    registrations[0]?.dispose();
    expect(events.map(shown)).toEqual([
      [[untitled.sessionId], [], []],
      [[sent.sessionId], [untitled.sessionId], []],
      [[other.sessionId], [], []],
      [[], [], [sent.sessionId]],
      [[], [other.sessionId], []],
      [[], [sent.sessionId], []],
    ]);
    await send(a);
    expect(service.getSessions()).toEqual([]);
  });

  it('lists session types without duplicates, and reports changes', () => {
    const { service, providers, registrations } = manage(['a', 'b']);
    const [a] = providers;
    let changes = 0;
    service.onDidChangeSessionTypes(() => changes++);
    expect(service.getAllSessionTypes().map(({ id }) => id)).toEqual(['notes', 'lists']);
    a?.setSessionTypes([{ id: 'more', label: 'More', icon: 'x' }]);
    expect(service.getAllSessionTypes().map(({ id }) => id)).toEqual(['more', 'notes', 'lists']);
    registrations[1]?.dispose();
    expect([service.getAllSessionTypes().map(({ id }) => id), changes]).toEqual([['more'], 2]);
  });

  it('offers the browse actions of all providers', async () => {
    const { service, registry } = manage(['a']);
    const provider = new InMemoryProvider({ id: 'c' });
    const workspace = provider.resolveWorkspace(WORKSPACE);
    const action = { label: 'Folders', icon: 'folder', providerId: 'c', run: async () => workspace };
    registry.registerProvider(Object.assign(provider, { browseActions: [action] }));
    const [found] = service.getBrowseActions();
    expect([found?.label, found?.providerId, await found?.run()]).toEqual(['Folders', 'c', workspace]);
  });
});

describe('optional features of providers', () => {
  it('more sessions than are listed: only a provider that has them is asked', async () => {
    const { service, registry } = manage(['a']);
    const told: boolean[] = [];
    service.hasMoreSessions.subscribe((hasMore) => told.push(hasMore));
    const hasMoreSessions = observable(true);
    const paged = Object.assign(new InMemoryProvider({ id: 'paged' }), {
      hasMoreSessions,
      loadMoreSessions: async () => hasMoreSessions.set(false),
    });
    const registration = registry.registerProvider(paged);
    await service.loadMoreSessions();
    hasMoreSessions.set(true);
    await service.loadMoreSessions('paged');
    hasMoreSessions.set(true);
    registration.dispose();
    expect([told, service.hasMoreSessions.value]).toEqual([[true, false, true, false, true, false], false]);
    await expect(service.loadMoreSessions('paged')).rejects.toThrow('there is no provider');
  });

  it('search: results of one provider come while another one still searches or has failed', async () => {
    const { service, registry, providers } = manage(['a']);
    const session = await send(providers[0] as InMemoryProvider);
    const searching = (id: string, searchSessions: () => Promise<SearchResults>) =>
      registry.registerProvider(Object.assign(new InMemoryProvider({ id }), { searchSessions }));
    searching('finds', async () => ({ results: [{ session, snippet: 's' }], total: 7 }));
    searching('fails', () => Promise.reject(new Error('no index')));
    const hanging = searching('hangs', () => new Promise(() => {}));
    const seen: (readonly [number, number])[] = [];
    const stop = new AbortController();
    const onResults = ({ total, failures }: FoundSessions) => {
      seen.push([total, failures.length]);
      if (failures.length > 0) stop.abort(new Error('enough'));
    };
    await expect(service.searchSessions('x', { onResults, signal: stop.signal })).rejects.toThrow('enough');
    expect(seen).toEqual([
      [7, 0],
      [7, 1],
    ]);
    hanging.dispose();
    const found = await service.searchSessions('x');
    expect([found.results, found.total]).toEqual([[{ session, snippet: 's' }], 7]);
    expect(found.failures).toMatchObject([{ name: 'ProviderFailedError', providerId: 'fails' }]);
  });
});

describe('the active session', () => {
  it('is undefined at first; then it is the opened one, with its main chat', async () => {
    const { service, providers } = manage(['a']);
    expect(service.activeSession.value).toBeUndefined();
    const session = await send(providers[0] as InMemoryProvider, 'hello');
    await service.openSession(session.resource);
    const active = service.activeSession.value;
    expect([active?.sessionId, active?.title.value, active?.activeChat.value]).toEqual([
      session.sessionId,
      'hello',
      session.mainChat,
    ]);
    await expect(service.openSession('a:none')).rejects.toThrow(SessionNotFoundError);
    await expect(service.openSession(session.resource, { chatUri: 'a:none' })).rejects.toThrow('there is no chat');
    expect(service.activeSession.value).toBe(active);
  });

  it('switches between chats, to the newest that a message creates, and back when it is deleted', async () => {
    const { service, providers } = manage(['a']);
    const provider = providers[0] as InMemoryProvider;
    const session = await send(provider, 'one');
    await service.openSession(session.resource);
    const active = () => service.activeSession.value?.activeChat.value.title.value;
    expect(active()).toBe('one');
    await service.sendAndCreateChat(session, { query: 'two' });
    expect(active()).toBe('two');
    await service.openChat(session, session.mainChat.resource);
    expect(active()).toBe('one');
    const second = session.chats.value[1]?.resource ?? '';
    await service.openChat(session, second);
    await service.deleteChat(session, second);
    expect(active()).toBe('one');
    await expect(service.openChat(session, second)).rejects.toThrow('there is no chat');
    await provider.sendAndCreateChat(session.sessionId, { query: 'three' });
    const third = session.chats.value[1]?.resource ?? '';
    await service.openSession(session.resource, { chatUri: third });
    expect(active()).toBe('three');
    const other = await send(provider, 'other');
    await service.openChat(other, other.mainChat.resource);
    expect(active()).toBe('other');
  });

  it('stays active across its replacement, without a gap', async () => {
    const { service } = manage(['a']);
    const seen: (string | undefined)[] = [];
    service.activeSession.subscribe((session) => seen.push(session?.sessionId));
    const replaced: string[] = [];
    service.onDidReplaceSession(({ from, to }) => replaced.push(from.sessionId, to.sessionId));
    const untitled = await service.createNewSession('a', service.resolveWorkspace('a', WORKSPACE));
    expect(service.activeSession.value?.status.value).toBe(SessionStatus.Untitled);
    const sent = await service.sendAndCreateChat(untitled, { query: 'hello' });
    expect([seen, replaced]).toEqual([
      [untitled.sessionId, sent.sessionId],
      [untitled.sessionId, sent.sessionId],
    ]);
    expect(service.activeSession.value?.activeChat.value).toBe(sent.mainChat);
    expect(ids(service.getSessions())).toEqual([sent.sessionId]);
  });

  it('leaves another session active when an untitled one is replaced', async () => {
    const { service, providers } = manage(['a']);
    const other = await send(providers[0] as InMemoryProvider);
    const untitled = await service.createNewSession('a', service.resolveWorkspace('a', WORKSPACE));
    await service.openSession(other.resource);
    await service.sendAndCreateChat(untitled, { query: 'hello' });
    expect(service.activeSession.value?.sessionId).toBe(other.sessionId);
  });

  it('is undefined when it is deleted or its provider is removed', async () => {
    const { service, providers, registrations } = manage(['a', 'b']);
    const [first, second] = [
      await send(providers[0] as InMemoryProvider),
      await send(providers[1] as InMemoryProvider),
    ];
    await service.openSession(first.resource);
    await service.deleteSession(first);
    expect(service.activeSession.value).toBeUndefined();
    await service.openSession(second.resource);
    registrations[1]?.dispose();
    expect(service.activeSession.value).toBeUndefined();
  });

  it('is deleted with its last chat', async () => {
    const { service, providers } = manage(['a']);
    const session = await send(providers[0] as InMemoryProvider);
    await service.openSession(session.resource);
    await service.deleteChat(session, session.mainChat.resource);
    expect([service.activeSession.value, service.getSessions()]).toEqual([undefined, []]);
  });
});

describe('new sessions', () => {
  it('one at a time: starting another one or cancelling discards the first', async () => {
    const { service } = manage(['a']);
    const workspace = service.resolveWorkspace('a', WORKSPACE);
    await service.createNewSession('a', workspace);
    const second = await service.createNewSession('a', workspace);
    expect(ids(service.getSessions())).toEqual([second.sessionId]);
    service.unsetNewSession();
    expect([service.getSessions(), service.activeSession.value]).toEqual([[], undefined]);
    const racing = await Promise.all([
      service.createNewSession('a', workspace),
      service.createNewSession('a', workspace),
    ]);
    expect(ids(service.getSessions())).toEqual([racing[1].sessionId]);
  });

  it('cancelling a session that was sent meanwhile deletes nothing', async () => {
    const { service } = manage(['a']);
    const untitled = await service.createNewSession('a', service.resolveWorkspace('a', WORKSPACE));
    const sent = await service.sendAndCreateChat(untitled, { query: 'x' });
    service.unsetNewSession();
    expect(ids(service.getSessions())).toEqual([sent.sessionId]);
  });

  it('the view of a new session restores the draft', async () => {
    const { service, providers } = manage(['a']);
    const other = await send(providers[0] as InMemoryProvider);
    service.openNewSessionView();
    expect(service.activeSession.value).toBeUndefined();
    const untitled = await service.createNewSession('a', service.resolveWorkspace('a', WORKSPACE));
    await service.openSession(other.resource);
    service.openNewSessionView();
    expect(service.activeSession.value?.sessionId).toBe(untitled.sessionId);
  });

  it('can change their type, and stay active', async () => {
    const { service } = manage(['a']);
    const untitled = await service.createNewSession('a', service.resolveWorkspace('a', WORKSPACE));
    expect(service.getSessionTypes(untitled).map(({ id }) => id)).toEqual(['notes', 'lists']);
    const updated = await service.setSessionType(untitled, 'lists');
    expect([updated.sessionType, service.activeSession.value?.sessionType]).toEqual(['lists', 'lists']);
    const sent = await service.sendAndCreateChat(updated, { query: 'x' });
    expect(service.getSessionTypes(sent).map(({ id }) => id)).toEqual(['lists']);
  });
});

describe('the active provider', () => {
  it('is the only one, and stays when others are registered', () => {
    const { service, registry } = manage(['a']);
    expect(service.activeProviderId.value).toBe('a');
    registry.registerProvider(new InMemoryProvider({ id: 'b' }));
    expect(service.activeProviderId.value).toBe('a');
  });

  it('is undefined with several until one is chosen; the choice is remembered', () => {
    const storage = memoryStorage();
    const first = manage([], { storage });
    expect(first.service.activeProviderId.value).toBeUndefined();
    const both = manage(['a', 'b'], { storage });
    expect(both.service.activeProviderId.value).toBeUndefined();
    both.service.setActiveProvider('b');
    expect(both.service.activeProviderId.value).toBe('b');
    expect(() => both.service.setActiveProvider('c')).toThrow('there is no provider "c"');
    const again = manage(['a'], { storage });
    expect(again.service.activeProviderId.value).toBe('a');
    const registration = again.registry.registerProvider(new InMemoryProvider({ id: 'b' }));
    expect(again.service.activeProviderId.value).toBe('b');
    registration.dispose();
    expect(again.service.activeProviderId.value).toBe('a');
  });

  it('works with a broken storage', () => {
    const fail = () => {
      throw new Error('no storage here');
    };
    const report = globalThis.console.error;
    globalThis.console.error = () => {};
    try {
      const { service } = manage(['a', 'b'], { storage: { getItem: fail, setItem: fail, removeItem: fail } });
      service.setActiveProvider('b');
      expect(service.activeProviderId.value).toBe('b');
    } finally {
      globalThis.console.error = report;
    }
  });
});

describe('context keys', () => {
  it('follow the active session', async () => {
    const { service, providers } = manage(['a']);
    const values = () =>
      Object.fromEntries(Object.entries(service.contextKeys).map(([key, { value }]) => [key, value]));
    const none = {
      isNewChatSession: true,
      activeSessionProviderId: '',
      activeSessionType: '',
      isActiveSessionBackgroundProvider: false,
      isActiveSessionArchived: false,
      activeSessionSupportsMultiChat: false,
      activeSessionHasGitRepository: false,
      chatSessionProviderId: '',
    };
    expect(values()).toEqual(none);
    const untitled = await service.createNewSession('a', service.resolveWorkspace('a', WORKSPACE));
    const begun = { activeSessionProviderId: 'a', activeSessionType: 'notes', activeSessionSupportsMultiChat: true };
    expect(values()).toEqual({ ...none, ...begun });
    const told: boolean[] = [];
    service.contextKeys.isNewChatSession.subscribe((value) => told.push(value));
    const sent = await service.sendAndCreateChat(untitled, { query: 'x' });
    expect([values(), told]).toEqual([{ ...none, ...begun, isNewChatSession: false }, [false]]);
    await service.archiveSession(sent);
    service.setContextMenuSession(sent);
    expect(values()).toMatchObject({ isActiveSessionArchived: true, chatSessionProviderId: 'a' });
    service.openNewSessionView();
    service.setContextMenuSession(undefined);
    expect(values()).toEqual(none);

    const provider = Object.assign(providers[0] as InMemoryProvider, { isBackground: true });
    const repository = { uri: WORKSPACE, detail: 'main' };
    const workspace = { ...provider.resolveWorkspace(WORKSPACE), repositories: [repository] };
    await service.createNewSession('a', workspace);
    expect(values()).toMatchObject({ isActiveSessionBackgroundProvider: true, activeSessionHasGitRepository: true });
  });
});

describe('conversations', () => {
  it('are opened for every provider that supports them', async () => {
    const { service, providers } = manage(['a', 'b']);
    const [first, second] = await Promise.all(providers.map((provider) => send(provider, 'hello')));
    if (!first || !second) throw new Error('nothing was sent');
    const model = service.openModel(first);
    expect(model?.state.value?.turns.map(({ userMessage }) => userMessage.text)).toEqual(['hello']);
    await model?.submit('and again');
    expect(model?.state.value?.turns.length).toBe(2);
    model?.dispose();
    expect(() => service.openModel(first, 'a:nothing')).toThrow('openChat failed at the provider a');
    Object.assign(providers[1] as InMemoryProvider, { openChat: undefined });
    expect(service.openModel(second)).toBeUndefined();
  });

  it('are forked when their provider supports it', async () => {
    const { service, providers } = manage(['a']);
    const [provider] = providers;
    const session = await send(provider as InMemoryProvider);
    expect(service.canFork(session)).toBe(false);
    await expect(service.forkChat(session, session.mainChat.resource)).rejects.toThrow("A can't fork its sessions");
    Object.assign(provider as InMemoryProvider, { forkChat: async () => session });
    expect([service.canFork(session), await service.forkChat(session, '')]).toEqual([true, session]);
  });

  it('are found by their id, also when they were not listed', async () => {
    const { service, providers } = manage(['a']);
    const session = await send(providers[0] as InMemoryProvider);
    expect(await service.findSession(session.sessionId)).toBe(session);
    await expect(service.findSession('a:other')).rejects.toThrow('there is no session a:other');
    Object.assign(providers[0] as InMemoryProvider, { findSession: async () => session });
    expect(await service.findSession('a:other')).toBe(session);
  });
});
