import { describe, expect, it } from 'vitest';
import {
  AmbiguousResourceError,
  InMemoryProvider,
  InvalidSessionIdError,
  ProviderFailedError,
  ProviderNotFoundError,
  ProviderTimeoutError,
  ProviderUnregisteredError,
  type Session,
  SessionsManagementService,
  SessionsProvidersService,
} from '../src/index.js';
import { begin, manage, send, WORKSPACE } from './support/memorySessions.js';

/** What a user can do to a session, by name. */
const actions: Readonly<Record<string, (service: SessionsManagementService, session: Session) => Promise<unknown>>> = {
  renameChat: (service, session) => service.renameChat(session, session.mainChat.resource, 'x'),
  setModel: (service, session) => service.setModel(session, 'x'),
  archiveSession: (service, session) => service.archiveSession(session),
  unarchiveSession: (service, session) => service.unarchiveSession(session),
  deleteSession: (service, session) => service.deleteSession(session),
  deleteChat: (service, session) => service.deleteChat(session, session.mainChat.resource),
  setRead: (service, session) => service.setRead(session, false),
  sendAndCreateChat: (service, session) => service.sendAndCreateChat(session, { query: 'x' }),
  setSessionType: (service, session) => service.setSessionType(session, 'lists'),
  createNewSession: (service, session) => service.createNewSession(session.providerId, workspaceOf(session)),
};

const workspaceOf = (session: Session) =>
  session.workspace.value ?? { label: '', icon: '', repositories: [], requiresWorkspaceTrust: false };

/** A second provider that works, beside the one under test. */
async function withNeighbour(actionTimeoutMs?: number) {
  const made = manage(['bad', 'good'], actionTimeoutMs === undefined ? {} : { actionTimeoutMs });
  const [bad, good] = made.providers as [InMemoryProvider, InMemoryProvider];
  const session = await send(bad);
  const neighbour = await send(good);
  const neighbourWorks = async () => {
    await made.service.renameChat(neighbour, neighbour.mainChat.resource, 'still works');
    expect(neighbour.title.value).toBe('still works');
    expect(made.service.getSessions()).toContain(neighbour);
  };
  return { ...made, bad, good, session, neighbour, neighbourWorks };
}

describe.each(Object.entries(actions))('%s', (name, act) => {
  it('of a provider that throws rejects with an error that names it', async () => {
    const { service, bad, session, neighbourWorks } = await withNeighbour();
    const cause = new Error('no power');
    const fail = () => {
      throw cause;
    };
    for (const broken of [fail, async () => fail()]) {
      Object.assign(bad, { [name]: broken });
      const error = await act(service, session).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ProviderFailedError);
      expect(error).toMatchObject({
        providerId: 'bad',
        message: `${name} failed at the provider bad: no power`,
        cause,
      });
    }
    await neighbourWorks();
  });

  it('of a provider that never answers rejects in time', async () => {
    const { service, bad, session, neighbourWorks } = await withNeighbour(20);
    Object.assign(bad, { [name]: () => new Promise(() => {}) });
    const error = await act(service, session).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProviderTimeoutError);
    expect(error).toMatchObject({ providerId: 'bad', message: expect.stringContaining(`did not answer ${name}`) });
    await neighbourWorks();
  });

  it('of a provider that is unregistered meanwhile rejects at once', async () => {
    const { service, bad, session, registrations, neighbourWorks } = await withNeighbour();
    Object.assign(bad, { [name]: () => new Promise(() => {}) });
    const acting = act(service, session).catch((reason: unknown) => reason);
    registrations[0]?.dispose();
    const error = await acting;
    expect(error).toBeInstanceOf(ProviderUnregisteredError);
    expect(error).toMatchObject({ providerId: 'bad', message: expect.stringContaining(`answered ${name}`) });
    await expect(act(service, session)).rejects.toThrow(ProviderNotFoundError);
    await neighbourWorks();
  });
});

describe('a provider', () => {
  it('whose list, types or actions throw affects no other', async () => {
    const registry = new SessionsProvidersService();
    const bad = new InMemoryProvider({ id: 'bad' });
    const fail = () => {
      throw new Error('broken');
    };
    for (const key of ['sessionTypes', 'browseActions']) Object.defineProperty(bad, key, { get: fail });
    Object.assign(bad, { getSessions: fail, onDidChangeSessions: fail, onDidReplaceSession: fail });
    registry.registerProvider(bad);
    const good = new InMemoryProvider({ id: 'good' });
    registry.registerProvider(good);
    const session = await send(good);
    const errors: unknown[] = [];
    const service = new SessionsManagementService(registry, { onError: (error) => errors.push(error) });
    expect(service.getSessions()).toEqual([session]);
    expect(service.getAllSessionTypes().length).toBe(2);
    expect(service.getBrowseActions()).toEqual([]);
    expect(errors.length).toBe(5);
    for (const error of errors) expect(error).toMatchObject({ name: 'ProviderFailedError', providerId: 'bad' });
    expect(() => service.getSessionTypes(Object.assign(Object.create(session), { sessionId: 'bad:x' }))).toThrow(
      'getSessionTypes failed at the provider bad',
    );
  });

  it('that answers late changes nothing for its caller', async () => {
    const { service, bad, session } = await withNeighbour(20);
    const late = Promise.withResolvers<Session>();
    Object.assign(bad, { sendAndCreateChat: () => late.promise });
    await expect(service.sendAndCreateChat(session, { query: 'x' })).rejects.toThrow(ProviderTimeoutError);
    late.reject(new Error('and then it failed'));
    await expect(late.promise).rejects.toThrow();
  });

  it('that never answers keeps at most a thousand callers waiting', async () => {
    const { service, bad, session, registrations } = await withNeighbour();
    Object.assign(bad, { setRead: () => new Promise(() => {}) });
    const waiting = Array.from({ length: 1_000 }, () =>
      service.setRead(session, true).catch((error: unknown) => error),
    );
    await expect(service.setRead(session, true)).rejects.toThrow('1000 actions wait for it already');
    registrations[0]?.dispose();
    expect(new Set((await Promise.all(waiting)).map((error) => (error as Error).name))).toEqual(
      new Set(['ProviderUnregisteredError']),
    );
  });

  it("that announces another one's session is ignored", async () => {
    const { service, registry, good, neighbour, errors } = await withNeighbour();
    const liar = new InMemoryProvider({ id: 'liar' });
    const sessions: Session[] = [];
    Object.assign(liar, { getSessions: () => sessions });
    sessions.push(neighbour, Object.assign(Object.create({}), { sessionId: 'nonsense', providerId: 'liar' }));
    registry.registerProvider(liar);
    expect(service.getSession(neighbour.resource)).toBe(neighbour);
    expect(errors.length).toBeGreaterThan(0);
    Object.assign(liar, { createNewSession: async () => neighbour });
    await expect(service.createNewSession('liar', good.resolveWorkspace(WORKSPACE))).rejects.toThrow('not its own');
  });
});

describe('routing', () => {
  it('an action on a session reaches only its provider', async () => {
    const { service, providers } = manage(['a', 'b', 'a.b', 'ab']);
    const calls: string[] = [];
    for (const provider of providers) {
      for (const name of Object.keys(actions)) {
        const done = async (sessionId: unknown) => {
          calls.push(`${provider.id} ${typeof sessionId === 'string' ? sessionId : ''}`);
          return session;
        };
        Object.assign(provider, { [name]: done });
      }
    }
    const session = Object.assign(Object.create({}), {
      sessionId: 'a:b:x',
      providerId: 'b',
      mainChat: { resource: 'b:x' },
      chats: { value: [] },
    }) as Session;
    for (const [name, act] of Object.entries(actions)) if (name !== 'createNewSession') await act(service, session);
    expect(new Set(calls)).toEqual(new Set(['a a:b:x']));
  });

  it.each(['', 'x', ':x', 'a:', '1:x', 'a b:x', ' a:x', 'ä:x', undefined, null, 7])(
    'the malformed id %j is an error',
    async (sessionId) => {
      const { service, providers } = manage(['a']);
      const session = await send(providers[0] as InMemoryProvider);
      const malformed = Object.assign(Object.create({}), { sessionId, providerId: 'a', mainChat: session.mainChat });
      for (const [name, act] of Object.entries(actions)) {
        if (name !== 'createNewSession')
          await expect(act(service, malformed), name).rejects.toThrow(InvalidSessionIdError);
      }
      expect(() => service.getSessionById(sessionId as string)).toThrow(InvalidSessionIdError);
    },
  );

  it('an unknown provider is an error that names it', async () => {
    const { service, providers } = manage(['a']);
    const workspace = (providers[0] as InMemoryProvider).resolveWorkspace(WORKSPACE);
    await expect(service.createNewSession('b', workspace)).rejects.toMatchObject({
      name: 'ProviderNotFoundError',
      providerId: 'b',
    });
  });

  it('a resource that two providers have is an error', async () => {
    const { service, providers, registry } = manage(['a']);
    const session = await begin(providers[0] as InMemoryProvider);
    const copy = { sessionId: 'b:x', providerId: 'b', resource: session.resource };
    registry.registerProvider(Object.assign(new InMemoryProvider({ id: 'b' }), { getSessions: () => [copy] }));
    expect(() => service.getSession(session.resource)).toThrow(AmbiguousResourceError);
    await expect(service.openSession(session.resource)).rejects.toThrow('is a session of a and of b');
  });
});
