import { describe, expect, it, vi } from 'vitest';
import { providerContract } from '../contract/providerContract.js';
import {
  type ChatModel,
  computed,
  constant,
  InMemoryProvider,
  type Session,
  type SessionsProvider,
} from '../src/index.js';

const workspaceUri = 'file:///src/project';

vi.spyOn(console, 'error').mockImplementation(() => {});

describe.each([true, false])('the in-memory provider with several chats: %s', (supportsMultipleChats) => {
  const cases = providerContract(async () => memoryFixture({ supportsMultipleChats }));
  it.each(cases)('$name', ({ run }) => run());
});

/** Also with what the contract checks only where a fixture can bring it about. */
function memoryFixture(options: ConstructorParameters<typeof InMemoryProvider>[0] = {}) {
  let refuses = false;
  const provider = new InMemoryProvider({
    ...options,
    reply: async () => {
      if (refuses) {
        refuses = false;
        throw new Error('refused on purpose');
      }
      return 'Yes.';
    },
  });
  const untrustedUri = 'file:///src/untrusted';
  const resolve = provider.resolveWorkspace.bind(provider);
  provider.resolveWorkspace = (uri) => ({ ...resolve(uri), requiresWorkspaceTrust: uri === untrustedUri });
  return {
    provider,
    workspaceUri,
    modelId: 'small',
    refuseNext: () => {
      refuses = true;
    },
    setMode: async ({ sessionId, mainChat }: Session, id: string | undefined) =>
      provider.updateChat(sessionId, mainChat.resource, { mode: id === undefined ? undefined : { id, kind: 'agent' } }),
    trust: {
      untrustedUri,
      trust: async ({ sessionId }: Session) => provider.setRequiresTrust(sessionId, false),
    },
  };
}

/** The in-memory provider with one fault each, and the case that finds it. */
const faults: [name: string, change: (provider: SessionsProvider) => Partial<SessionsProvider>, found: RegExp][] = [
  ['has an id that routes nowhere', () => ({ id: 'a:b' }), /identity/],
  ['has no session type', () => ({ sessionTypes: [] }), /identity/],
  [
    'resolves to no label',
    (it) => ({ resolveWorkspace: (uri) => ({ ...it.resolveWorkspace(uri), label: ' ' }) }),
    /label/,
  ],
  [
    'gives ids of another provider',
    (it) => ({ createNewSession: async (workspace) => renamed(await it.createNewSession(workspace)) }),
    /unique ids/,
  ],
  ['lists twice', (it) => ({ getSessions: () => [...it.getSessions(), ...it.getSessions()] }), /unique ids/],
  ['lists nothing', () => ({ getSessions: () => [] }), /announces/],
  ['never replaces', () => ({ onDidReplaceSession: () => ({ dispose: () => {} }) }), /atomically/],
  [
    'still lists what was replaced',
    (it) => {
      const replaced: Session[] = [];
      it.onDidReplaceSession?.(({ from }) => replaced.push(from));
      return { getSessions: () => [...it.getSessions(), ...replaced] };
    },
    /atomically/,
  ],
  [
    'has observables that nothing can be computed from',
    (it) => ({ sendAndCreateChat: async (id, options) => foreign(await it.sendAndCreateChat(id, options)) }),
    /renames/,
  ],
  ['forgets a rename', () => ({ renameChat: async () => {} }), /renames/],
  ['forgets to archive', () => ({ archiveSession: async () => {} }), /archives/],
  ['forgets to unarchive', () => ({ unarchiveSession: async () => {} }), /archives/],
  ['forgets what was read', () => ({ setRead: async () => {} }), /archives/],
  ['forgets to delete', () => ({ deleteSession: async () => {} }), /deletes a session/],
  ['keeps a session without chats', () => ({ deleteChat: async () => {} }), /deletes a chat/],
  ['forgets the model', () => ({ setModel: async () => {} }), /model/],
  [
    'changes the type of any session',
    (it) => ({ setSessionType: async (id) => it.getSessions().find((session) => session.sessionId === id) as Session }),
    /type of a new session/,
  ],
  [
    'throws instead of rejecting',
    (it) => ({
      setRead: (id, read) => {
        if (!it.getSessions().some((session) => session.sessionId === id)) throw new Error('unknown');
        return it.setRead(id, read);
      },
    }),
    /foreign sessions/,
  ],
  [
    'ignores what it does not know',
    (it) => ({ setRead: (id, read) => it.setRead(id, read).catch(() => {}) }),
    /foreign sessions/,
  ],
  [
    'guesses which session is meant',
    (it) => ({
      archiveSession: (id) =>
        it.archiveSession(id).catch(() => it.archiveSession(it.getSessions()[0]?.sessionId ?? '')),
    }),
    /foreign sessions/,
  ],
  [
    'never says that it is loading',
    (it) => ({
      createNewSession: async (workspace) => withField(await it.createNewSession(workspace), 'loading', false),
    }),
    /is loading/,
  ],
  [
    'goes on loading after a refusal',
    (it) => ({
      createNewSession: async (workspace) => {
        const session = await it.createNewSession(workspace);
        let wasLoading = false;
        return new Proxy(session, {
          get: (target, key) => {
            if (key !== 'loading') return Reflect.get(target, key, target);
            wasLoading ||= target.loading.value;
            return constant(wasLoading);
          },
        });
      },
    }),
    /refused/,
  ],
  [
    'forgets the mode',
    (it) => ({
      sendAndCreateChat: async (id, options) => withField(await it.sendAndCreateChat(id, options), 'mode', undefined),
    }),
    /mode/,
  ],
  [
    'takes any change for the end of a turn',
    (it) => ({
      sendAndCreateChat: async (id, options) => {
        const session = await it.sendAndCreateChat(id, options);
        const lastTurnEnd = computed(() => new Date(session.updatedAt.value.getTime() + session.title.value.length));
        return new Proxy(session, {
          get: (target, key) => (key === 'lastTurnEnd' ? lastTurnEnd : Reflect.get(target, key, target)),
        });
      },
    }),
    /last turn/,
  ],
  [
    'says that every workspace is trusted',
    (it) => ({ resolveWorkspace: (uri) => ({ ...it.resolveWorkspace(uri), requiresWorkspaceTrust: false }) }),
    /trust/,
  ],
  [
    'has the title of its last chat',
    (it) => ({
      sendAndCreateChat: async (id, options) => {
        const session = await it.sendAndCreateChat(id, options);
        const title = computed(() => session.chats.value.at(-1)?.title.value ?? '');
        return new Proxy(session, {
          get: (target, key) => (key === 'title' ? title : Reflect.get(target, key, target)),
        });
      },
    }),
    /several chats/,
  ],
  [
    'opens any chat',
    (it) => ({ openChat: () => it.openChat?.(it.getSessions().at(-1)?.mainChat.resource ?? '') as ChatModel }),
    /opens a chat/,
  ],
  [
    'never disposes',
    (it) => ({
      onDidChangeSessions: (listener) => [it.onDidChangeSessions(listener), { dispose: () => {} }][1] as never,
    }),
    /disposed/,
  ],
];

describe('the contract suite', () => {
  it.each(faults)('finds a provider that %s', async (_, change, found) => {
    const failed: string[] = [];
    const cases = providerContract(
      async () => {
        const fixture = memoryFixture();
        return { ...fixture, provider: faulty(fixture.provider, change(fixture.provider)) };
      },
      { timeoutMs: 50 },
    );
    for (const { name, run } of cases) if (found.test(name)) await run().catch(() => failed.push(name));
    expect(failed).not.toEqual([]);
  });

  it('disposes the fixture of a case, also after a failure', async () => {
    let disposed = 0;
    const fixture = (provider: SessionsProvider) => async () => ({
      provider,
      workspaceUri,
      dispose: () => void disposed++,
    });
    const cases = providerContract(fixture(new InMemoryProvider()));
    await cases[0]?.run();
    await expect(providerContract(fixture(faulty(new InMemoryProvider(), { id: '' })))[0]?.run()).rejects.toThrow('id');
    expect(disposed).toBe(2);
  });
});

function faulty(provider: SessionsProvider, change: Partial<SessionsProvider>): SessionsProvider {
  return new Proxy(provider, {
    get: (target, key) => {
      if (key in change) return Reflect.get(change, key);
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function withField(session: Session, field: keyof Session, value: unknown): Session {
  return new Proxy(session, {
    get: (target, key) => (key === field ? constant(value) : Reflect.get(target, key, target)),
  });
}

function renamed(session: Session): Session {
  return new Proxy(session, {
    get: (target, key) => (key === 'providerId' ? 'other' : Reflect.get(target, key, target)),
  });
}

/** Its title notifies listeners of changes, but not computed values. */
function foreign(session: Session): Session {
  let value = session.title.value;
  session.title.subscribe((title) => {
    value = title;
  });
  const title = { ...session.title, subscribe: session.title.subscribe };
  Object.defineProperty(title, 'value', { get: () => value });
  return new Proxy(session, { get: (target, key) => (key === 'title' ? title : Reflect.get(target, key, target)) });
}
