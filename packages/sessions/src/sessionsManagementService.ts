import type { Disposable, Observable } from '@agenthost/client';
import { type Event, reportFailure } from '@agenthost/client/internal';
import type { ChatModel, OpenChatOptions } from './chat/chatModel.js';
import { type ContextKeys, SessionContextKeys } from './contextKeys.js';
import { NotSupportedError, ProviderFailedError, SessionNotFoundError } from './errors.js';
import { ActiveProvider } from './providers/activeProvider.js';
import { AggregatedSessions } from './providers/aggregatedSessions.js';
import { ProviderCalls } from './providers/providerCalls.js';
import { type FoundSessions, type SearchAllOptions, searchAll } from './providers/searchAll.js';
import type {
  DeleteSessionOptions,
  SendRequestOptions,
  SessionReplacement,
  SessionsChangeEvent,
  SessionsProvider,
  SessionType,
  SessionWorkspaceBrowseAction,
} from './providers/sessionsProvider.js';
import type { SessionsProvidersService } from './providers/sessionsProvidersService.js';
import type { Session, SessionWorkspace, URI } from './session.js';
import { parseSessionId } from './sessionId.js';
import type { ActiveSession } from './sessionSelection.js';
import { SessionSelection } from './sessionSelection.js';
import { memoryStorage, type SessionsStorage } from './sessionsStorage.js';

export interface SessionsManagementOptions {
  /** Remembers the active provider. Default: memory. */
  readonly storage?: SessionsStorage;
  /** How long a provider may take for one action. Default 60,000. */
  readonly actionTimeoutMs?: number;
  /** Gets errors that have no caller, such as those of a provider whose list throws. */
  readonly onError?: (error: unknown) => void;
}

export interface OpenSessionOptions {
  readonly chatUri?: URI;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/**
 * The sessions of all providers as one list, the active session and chat, and every action on them.
 *
 * @example
 * ```ts
 * const providers = new SessionsProvidersService();
 * const sessions = new SessionsManagementService(providers);
 * providers.registerProvider(new InMemoryProvider({ id: 'notes' }));
 * const draft = await sessions.createNewSession('notes', sessions.resolveWorkspace('notes', 'file:///src/project'));
 * const session = await sessions.sendAndCreateChat(draft, { query: 'Buy milk' });
 * await sessions.archiveSession(session);
 * ```
 */
export class SessionsManagementService {
  readonly activeSession: Observable<ActiveSession | undefined>;
  readonly activeProviderId: Observable<string | undefined>;
  readonly contextKeys: ContextKeys;
  readonly onDidChangeSessions: Event<SessionsChangeEvent>;
  /** An untitled session was committed; `onDidChangeSessions` fires too. What was kept under the old session belongs to the new. */
  readonly onDidReplaceSession: Event<SessionReplacement>;
  /** Whether any provider has sessions that it has not listed yet. */
  readonly hasMoreSessions: Observable<boolean>;
  readonly onDidChangeSessionTypes: Event<void>;
  readonly #providers: SessionsProvidersService;
  readonly #calls: ProviderCalls;
  readonly #sessions: AggregatedSessions;
  readonly #activeProvider: ActiveProvider;
  readonly #contextKeys: SessionContextKeys;
  readonly #selection: SessionSelection;
  readonly #following: Disposable;
  readonly #onError: (error: unknown) => void;
  /** Counts sessions that the user has begun or abandoned. */
  #beginnings = 0;

  constructor(providers: SessionsProvidersService, options: SessionsManagementOptions = {}) {
    this.#onError = options.onError ?? reportFailure;
    this.#providers = providers;
    this.#calls = new ProviderCalls(providers, options.actionTimeoutMs ?? DEFAULT_TIMEOUT_MS);
    this.#sessions = new AggregatedSessions(providers, this.#onError);
    this.#activeProvider = new ActiveProvider(providers, options.storage ?? memoryStorage());
    this.activeProviderId = this.#activeProvider.id;
    this.#selection = new SessionSelection(this.#sessions);
    this.activeSession = this.#selection.active;
    this.#contextKeys = new SessionContextKeys(this.activeSession, providers);
    this.contextKeys = this.#contextKeys.keys;
    this.onDidChangeSessions = this.#sessions.onDidChangeSessions;
    this.onDidReplaceSession = this.#sessions.onDidReplaceSession;
    this.hasMoreSessions = this.#sessions.hasMore;
    this.onDidChangeSessionTypes = this.#sessions.onDidChangeSessionTypes;
    this.#following = providers.onDidChangeProviders(() => this.#activeProvider.update());
  }

  getSessions(): readonly Session[] {
    return this.#sessions.all();
  }

  /** Throws when two providers have that resource. */
  getSession(resource: URI): Session | undefined {
    return this.#sessions.byResource(resource);
  }

  /** Throws when it is no session id. */
  getSessionById(sessionId: string): Session | undefined {
    return this.#sessions.byId(sessionId);
  }

  getSessionTypes(session: Session): readonly SessionType[] {
    const { providerId } = parseSessionId(session.sessionId);
    return this.#calls.callSync(providerId, 'getSessionTypes', (it) => it.getSessionTypes(session.sessionId));
  }

  /** Each once, however many providers have it. */
  getAllSessionTypes(): readonly SessionType[] {
    const types = this.#ofEachProvider('sessionTypes', (provider) => provider.sessionTypes);
    return [...new Map(types.toReversed().map((type) => [type.id, type])).values()].toReversed();
  }

  /** Of all providers. Running one rejects when its provider goes meanwhile. */
  getBrowseActions(): readonly SessionWorkspaceBrowseAction[] {
    return this.#ofEachProvider('browseActions', ({ id, browseActions }) =>
      browseActions.map((action) => ({
        ...action,
        providerId: id,
        run: () => this.#calls.call(id, 'browse', () => action.run(), { noTimeout: true }),
      })),
    );
  }

  resolveWorkspace(providerId: string, repositoryUri: URI): SessionWorkspace {
    return this.#calls.callSync(providerId, 'resolveWorkspace', (provider) => provider.resolveWorkspace(repositoryUri));
  }

  /** Asks every provider that can search, at once; what one of them can't answer is in `failures`. */
  searchSessions(text: string, options: SearchAllOptions = {}): Promise<FoundSessions> {
    return searchAll(this.#providers, this.#calls, text, options);
  }

  /** Lets the providers that have more of them list more: all, or the one that is named. */
  async loadMoreSessions(providerId?: string): Promise<void> {
    const load = (id: string) =>
      this.#calls.call(id, 'loadMoreSessions', async (provider) => provider.loadMoreSessions?.());
    if (providerId !== undefined) return load(providerId);
    const more = this.#providers.getProviders().filter(({ hasMoreSessions }) => hasMoreSessions?.value);
    const outcomes = await Promise.allSettled(more.map(({ id }) => load(id)));
    for (const outcome of outcomes) if (outcome.status === 'rejected') this.#onError(outcome.reason);
  }

  setActiveProvider(providerId: string): void {
    this.#activeProvider.set(providerId);
  }

  /** For `chatSessionProviderId`: the session that a context menu is open on. */
  setContextMenuSession(session: Session | undefined): void {
    this.#contextKeys.setMenuSession(session);
  }

  /** Opens the main chat by default. */
  async openSession(resource: URI, { chatUri }: OpenSessionOptions = {}): Promise<void> {
    const session = this.getSession(resource);
    if (!session) throw new SessionNotFoundError(`session ${resource}`);
    await this.openChat(session, chatUri ?? session.mainChat.resource);
  }

  async openChat(session: Session, chatUri: URI): Promise<void> {
    const known = this.getSessionById(session.sessionId);
    if (!known) throw new SessionNotFoundError(`session ${session.sessionId}`);
    if (!known.chats.value.some(({ resource }) => resource === chatUri)) {
      throw new SessionNotFoundError(`chat ${chatUri} in ${session.sessionId}`);
    }
    this.#selection.select(known, chatUri);
  }

  /** Shows the form for a new session, with what was filled in before if there is such a session. */
  openNewSessionView(): void {
    this.#selection.select(this.#selection.begun);
  }

  /** The session that was begun before and never sent goes. */
  async createNewSession(providerId: string, workspace: SessionWorkspace): Promise<Session> {
    const beginning = ++this.#beginnings;
    const make = (provider: SessionsProvider) => provider.createNewSession(workspace);
    const session = this.#own(providerId, await this.#calls.call(providerId, 'createNewSession', make));
    const former = this.#selection.begun;
    // The user has begun another session, or gave up, while this one was being created.
    const isLate = beginning !== this.#beginnings;
    if (!isLate) {
      this.#selection.begin(session);
      this.#selection.select(session);
    }
    const unwanted = isLate ? session : former;
    if (unwanted && unwanted.sessionId !== this.#selection.begun?.sessionId) this.#discard(unwanted);
    return session;
  }

  unsetNewSession(): void {
    this.#beginnings++;
    const { begun } = this.#selection;
    this.#selection.begin(undefined);
    if (!begun) return;
    if (this.#selection.isSelected(begun.sessionId)) this.#selection.select(undefined);
    this.#discard(begun);
  }

  /** When the session is the active one, the chat that was made becomes the active chat. */
  async sendAndCreateChat(session: Session, options: SendRequestOptions): Promise<Session> {
    const { providerId } = parseSessionId(session.sessionId);
    const send = (provider: SessionsProvider) => provider.sendAndCreateChat(session.sessionId, options);
    const sent = this.#own(providerId, await this.#calls.call(providerId, 'sendAndCreateChat', send));
    const newest = sent.chats.value.at(-1);
    if (newest && this.#selection.isSelected(sent.sessionId)) this.#selection.select(sent, newest.resource);
    return sent;
  }

  /** Only of a session that was not sent yet. */
  async setSessionType(session: Session, type: string): Promise<Session> {
    const { providerId } = parseSessionId(session.sessionId);
    const set = (provider: SessionsProvider) => provider.setSessionType(session.sessionId, type);
    const updated = this.#own(providerId, await this.#calls.call(providerId, 'setSessionType', set));
    this.#selection.follow(session.sessionId, updated);
    return updated;
  }

  renameChat(session: Session, chatUri: URI, title: string): Promise<void> {
    return this.#route(session, 'renameChat', (provider, id) => provider.renameChat(id, chatUri, title));
  }

  setModel(session: Session, modelId: string): Promise<void> {
    return this.#route(session, 'setModel', (provider, id) => provider.setModel(id, modelId));
  }

  archiveSession(session: Session): Promise<void> {
    return this.#route(session, 'archiveSession', (provider, id) => provider.archiveSession(id));
  }

  unarchiveSession(session: Session): Promise<void> {
    return this.#route(session, 'unarchiveSession', (provider, id) => provider.unarchiveSession(id));
  }

  deleteSession(session: Session, options?: DeleteSessionOptions): Promise<void> {
    return this.#route(session, 'deleteSession', (provider, id) => provider.deleteSession(id, options));
  }

  deleteChat(session: Session, chatUri: URI): Promise<void> {
    return this.#route(session, 'deleteChat', (provider, id) => provider.deleteChat(id, chatUri));
  }

  setRead(session: Session, read: boolean): Promise<void> {
    return this.#route(session, 'setRead', (provider, id) => provider.setRead(id, read));
  }

  /**
   * Opens the conversation of a session of any provider; `undefined` where its provider shows none. The caller disposes it. Throws
   * where there is no such chat.
   */
  openModel(
    session: Session,
    chatUri: URI = session.mainChat.resource,
    options?: OpenChatOptions,
  ): ChatModel | undefined {
    const { providerId } = parseSessionId(session.sessionId);
    return this.#calls.callSync(providerId, 'openChat', (provider) => provider.openChat?.(chatUri, options));
  }

  canFork({ sessionId }: Session): boolean {
    return this.#providers.getProvider(parseSessionId(sessionId).providerId)?.forkChat !== undefined;
  }

  /** A session that begins with the turns of that chat, up to the given one or all of them, of the same type or of another one. */
  async forkChat(session: Session, chatUri: URI, toTurnId?: string, sessionType?: string): Promise<Session> {
    const { providerId } = parseSessionId(session.sessionId);
    const fork = async (provider: SessionsProvider) => {
      if (!provider.forkChat) throw new NotSupportedError(`${provider.label} can't fork its sessions`);
      return provider.forkChat(chatUri, toTurnId, sessionType);
    };
    return this.#own(providerId, await this.#calls.call(providerId, 'forkChat', fork));
  }

  /** Also a session that was not listed yet. Rejects where there is none. */
  async findSession(sessionId: string): Promise<Session> {
    const { providerId, localId } = parseSessionId(sessionId);
    const known = this.#sessions.byId(sessionId);
    if (known) return known;
    const find = async (provider: SessionsProvider) => {
      if (!provider.findSession) throw new SessionNotFoundError(`session ${sessionId}`);
      return provider.findSession(localId);
    };
    return this.#own(providerId, await this.#calls.call(providerId, 'findSession', find));
  }

  dispose(): void {
    this.#following.dispose();
    this.#selection.dispose();
    this.#sessions.dispose();
    this.#calls.dispose();
  }

  /** By the id alone: the object may be an old one, and its provider another instance under the same id. */
  async #route(
    { sessionId }: Session,
    action: string,
    run: (provider: SessionsProvider, sessionId: string) => Promise<void>,
  ): Promise<void> {
    const { providerId } = parseSessionId(sessionId);
    await this.#calls.call(providerId, action, (provider) => run(provider, sessionId));
  }

  #own(providerId: string, session: Session): Session {
    if (parseSessionId(session.sessionId).providerId === providerId) return session;
    const error = new Error(`it gave back ${session.sessionId}, which is not its own`);
    throw new ProviderFailedError(providerId, 'an action', error);
  }

  /** Not awaited: an unsent session that stays costs only a line in a list. */
  #discard(session: Session): void {
    this.deleteSession(session).catch(this.#onError);
  }

  #ofEachProvider<T>(what: string, read: (provider: SessionsProvider) => readonly T[]): readonly T[] {
    return this.#providers.getProviders().flatMap((provider) => {
      try {
        return [...read(provider)];
      } catch (error) {
        this.#onError(new ProviderFailedError(provider.id, what, error));
        return [];
      }
    });
  }
}
