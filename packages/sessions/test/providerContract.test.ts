import { describe, expect, it, vi } from 'vitest';
import { providerContract } from '../src/contract/providerContract.js';
import { InMemoryProvider, type Session, type SessionsProvider } from '../src/index.js';

const workspaceUri = 'file:///src/project';

vi.spyOn(console, 'error').mockImplementation(() => {});

describe.each([true, false])('the in-memory provider with several chats: %s', (supportsMultipleChats) => {
  const cases = providerContract(async () => ({
    provider: new InMemoryProvider({ supportsMultipleChats }),
    workspaceUri,
    modelId: 'small',
  }));
  it.each(cases)('$name', ({ run }) => run());
});

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
    /ids of its own/,
  ],
  ['lists twice', (it) => ({ getSessions: () => [...it.getSessions(), ...it.getSessions()] }), /ids of its own/],
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
    /not its own/,
  ],
  [
    'ignores what it does not know',
    (it) => ({ setRead: (id, read) => it.setRead(id, read).catch(() => {}) }),
    /not its own/,
  ],
  [
    'guesses which session is meant',
    (it) => ({
      archiveSession: (id) =>
        it.archiveSession(id).catch(() => it.archiveSession(it.getSessions()[0]?.sessionId ?? '')),
    }),
    /not its own/,
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
        const provider = new InMemoryProvider();
        return { provider: faulty(provider, change(provider)), workspaceUri, modelId: 'small' };
      },
      { timeoutMs: 50 },
    );
    for (const { name, run } of cases) if (found.test(name)) await run().catch(() => failed.push(name));
    expect(failed).not.toEqual([]);
  });

  it('disposes of what a case used, also after a failure', async () => {
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

function renamed(session: Session): Session {
  return new Proxy(session, {
    get: (target, key) => (key === 'providerId' ? 'other' : Reflect.get(target, key, target)),
  });
}

/** Its title tells listeners of changes, but not whoever computes something of it. */
function foreign(session: Session): Session {
  let value = session.title.value;
  session.title.subscribe((title) => {
    value = title;
  });
  const title = { ...session.title, subscribe: session.title.subscribe };
  Object.defineProperty(title, 'value', { get: () => value });
  return new Proxy(session, { get: (target, key) => (key === 'title' ? title : Reflect.get(target, key, target)) });
}
