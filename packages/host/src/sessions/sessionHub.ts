import {
  type CreateSessionParams,
  type ForkSessionParams,
  type ImportSessionParams,
  type ListSessionsParams,
  type ListSessionsResult,
  parseSessionUri,
  type URI,
} from '@agenthost/protocol';
import { DEFAULT_SPACE, type FetchContentParams } from '@agenthost/protocol/internal';
import { settleWithin } from '../agents/settleWithin.js';
import { runWork } from '../work/workCommands.js';
import { AbandonedSessions } from './abandonedSessions.js';
import { checkBeginning, checkFork, checkSpace, storedSpace } from './beginSession.js';
import { fetchContent } from './content/fetchContent.js';
import { FolderTrust } from './folder/folderTrust.js';
import { LogChecks } from './history/logChecks.js';
import { HubDrain } from './hubDrain.js';
import { IndexFiller } from './indexing/indexFiller.js';
import type { MissingInIndex } from './indexing/openSessionIndex.js';
import { SessionIndexing } from './indexing/sessionIndexing.js';
import { SessionLists } from './indexing/sessionLists.js';
import { inParallel } from './inParallel.js';
import { LoadedSessions } from './loadedSessions.js';
import { beforeRemoval, cutOffLater, releaseWorktree, type SessionRemoval } from './removedSession.js';
import type { Session } from './session.js';
import { DROPS_AT_ONCE, INDEX_PATIENCE_MS } from './sessionLimits.js';
import { alreadyExists, isNotFound, notFound, partsOf, SessionLoader } from './sessionLoader.js';
import type { SessionServices } from './sessionServices.js';
import type { CommandClient, Sessions } from './sessions.js';
import { SummaryNotifier } from './summaryNotifier.js';
import { SessionImports } from './transfer/sessionImports.js';
import { acceptedIn } from './turn/acceptedSequences.js';

/** All sessions of the host. Loads, creates, lists, unloads and removes them. */
export class SessionHub implements Sessions {
  readonly #services: SessionServices;
  readonly #notifier: SummaryNotifier;
  /** Sessions that are loaded or being loaded. */
  readonly #opening = new Map<URI, Promise<Session>>();
  readonly #open = new Map<URI, Session>();
  /** Sessions that are being unloaded. Opening one waits for that, then loads it again. */
  readonly #closing = new Map<URI, Promise<void>>();
  /** Their spaces: who asks for one hears nothing before that it was removed is told. */
  readonly #closingSpaces = new Map<URI, string>();
  readonly #removals = new Set<Promise<void>>();
  /** Ids of sessions that are being created. A folder is named after the id only, without the provider. */
  readonly #creating = new Set<string>();
  /** Sessions that are being made. Somebody of another space may try to make one that exists. */
  readonly #making = new Map<URI, Promise<Session>>();
  readonly #loader: SessionLoader;
  readonly #imports: SessionImports;
  readonly #checks: LogChecks;
  readonly #abandoned: AbandonedSessions;
  readonly #indexing: SessionIndexing;
  readonly #filler: IndexFiller;
  readonly #loaded: LoadedSessions;
  readonly #trust: FolderTrust;
  readonly #lists: SessionLists;
  isClosing = false;
  /** For a host that is about to stop. */
  readonly drain: HubDrain;

  constructor(services: SessionServices) {
    this.#services = services;
    this.#notifier = new SummaryNotifier(services.broadcast, services.listeners);
    this.#checks = new LogChecks((uri, error) => services.log.error(`the log of ${uri} could not be checked`, error));
    this.#abandoned = new AbandonedSessions(services.storage, services.log);
    this.#loader = new SessionLoader(services, {
      notifier: this.#notifier,
      checks: this.#checks,
      abandoned: this.#abandoned,
      onLost: (uri) => this.lost(uri),
      onLoaded: (uri, session) => this.#open.set(uri, session),
    });
    const { storage, defaultDirectory, now } = services;
    const discard = (id: string) => this.#abandoned.discard(id);
    this.#imports = new SessionImports({ storage, defaultDirectory, now, discard });
    this.#indexing = new SessionIndexing(services, {
      inMemory: () => [...this.#opening.keys(), ...this.#closing.keys()],
      isProvisional: (uri) => this.#notifier.provisional.has(uri),
      use: (uri, work) => this.use(uri, work),
      remove: (uri) => this.remove(uri),
    });
    this.#filler = new IndexFiller({
      ...services,
      indexSession: (sessionId, isNew) => this.#indexing.index(sessionId, isNew),
      forget: async (uri) => this.#forget(uri, (await services.index.spaceOf(uri)) ?? DEFAULT_SPACE),
    });
    this.drain = new HubDrain(services, {
      sessions: this.#open,
      loaded: () => this.#loaded,
      notifier: this.#notifier,
      unload: (uri, session) => this.#close(uri, session),
    });
    const isLoaded = (uri: URI) => this.#opening.has(uri);
    this.#trust = new FolderTrust(services, { open: () => this.#open.values(), isLoaded });
    this.#lists = new SessionLists({ index: services.index, isLoaded, indexFilled: () => this.indexFilled() });
    this.#loaded = new LoadedSessions({
      ...services,
      sessions: this.#open,
      evict: (uri, session) => this.#close(uri, session),
      onSweep: () => void this.#abandoned.removeAll(),
    });
  }

  loginChanged(provider: string, isLoggedIn: boolean): void {
    for (const session of this.#open.values()) session.loginChanged(provider, isLoggedIn);
  }

  loaded(uri: URI): Session | undefined {
    return this.#open.get(uri);
  }

  spaceOf(uri: URI): string | undefined | Promise<string | undefined> {
    const stored = () => this.#closingSpaces.get(uri) ?? storedSpace(this.#services.storage, uri);
    return this.#open.get(uri)?.space ?? this.#making.get(uri)?.then(({ space }) => space, stored) ?? stored();
  }

  get isUnused(): boolean {
    return this.#opening.size === 0 && this.#open.size === 0 && this.#closing.size === 0 && this.#imports.isEmpty;
  }

  /** Another host has taken the session: it is unloaded, and whatever it still wants to write does nothing. */
  lost(uri: URI): void {
    const session = this.#open.get(uri);
    if (!session) return;
    const { log } = this.#services;
    log.warn(`${uri} was taken by another host`);
    const failed = (error: unknown) => log.debug(`${uri} was closed without its last changes: ${String(error)}`);
    this.#close(uri, session).catch(failed);
  }

  /** The file system of all sessions, or of some, is gone: running turns can't be stored and are ended. */
  storageLost(error: unknown, isOf: (uri: URI) => boolean = () => true): void {
    for (const [uri, session] of [...this.#open]) if (isOf(uri)) session.storageFailed(error);
  }

  open(uri: URI): Promise<Session> {
    if (this.#imports.has(parseSessionUri(uri)?.sessionId ?? '')) return Promise.reject(notFound(uri));
    const load = () => this.#loaded.load(() => this.#loader.load(uri));
    const making = this.#making.get(uri);
    // Whoever makes it may be of another space, and is told that it exists.
    if (making) return making.catch((error: unknown) => (isNotFound(error) ? this.open(uri) : Promise.reject(error)));
    return this.#opening.get(uri) ?? this.#begin(uri, () => this.#hold(uri, load()));
  }

  hold(uri: URI, mayMove = false): () => void {
    return this.#loaded.hold(uri, mayMove);
  }

  /** Opens a session and keeps it in memory until `work` is done. */
  async use<T>(uri: URI, work: (session: Session) => T | Promise<T>): Promise<T> {
    const letGo = this.hold(uri);
    try {
      return await work(await this.open(uri));
    } finally {
      letGo();
    }
  }

  /** Resolves when the session is on disk; its agent starts meanwhile. */
  async create(params: CreateSessionParams, { space }: Pick<CommandClient, 'space'>): Promise<void> {
    this.drain.mustTakeNew();
    const parts = checkBeginning(params, this.#services.agents);
    checkSpace(space, this.#services.storage);
    const session = await this.#makeNew(params.session, space, () =>
      this.#loaded.load(() => this.#loader.create(params, { ...parts, space })),
    );
    void session.createAgentSession();
  }

  /** A new session that begins with the turns of another one; its agent starts with its first turn. */
  async fork(params: ForkSessionParams, { space }: Pick<CommandClient, 'space'>): Promise<void> {
    this.drain.mustTakeNew();
    const { source: sourceUri, session: uri } = params;
    const { from, to } = checkFork(params, this.#services.agents);
    await this.#makeNew(uri, space, async () => {
      if (sourceUri === uri || (await this.spaceOf(sourceUri)) !== space) throw notFound(sourceUri);
      return this.use(sourceUri, (source) => this.#loaded.load(() => this.#loader.fork(params, source, from, to)));
    });
  }

  /** A new session with turns that happened elsewhere, in one piece or several; its agent starts with its first turn. */
  async import(params: ImportSessionParams, owner: object, space: string, nativeSessionId?: string): Promise<void> {
    const { session: uri } = params;
    const { sessionId } = checkBeginning(params, this.#services.agents);
    checkSpace(space, this.#services.storage);
    if (!this.#imports.has(sessionId)) {
      this.drain.mustTakeNew();
      if (this.#abandoned.has(sessionId)) await this.#abandoned.removeNow(sessionId);
      const isKnown = this.#creating.has(sessionId) || this.#opening.has(uri);
      if (isKnown || (await this.#services.storage.exists(sessionId))) throw alreadyExists(uri);
    }
    if (!(await this.#imports.take(params, sessionId, { owner, space }))) return;
    const { index, broadcast } = this.#services;
    index.expect(uri);
    const { summary } = await (await this.open(uri)).adoptNative(nativeSessionId);
    void index.flush();
    broadcast({ type: 'notify/sessionAdded', summary }, { space });
  }

  async connectionClosed(owner: object): Promise<void> {
    await this.#imports.abandon(owner);
  }

  fetchTurns = ({ session, range }: Parameters<Sessions['fetchTurns']>[0]) =>
    this.use(session, (open) => open.fetchTurns(range));
  fetchParts = ({ session, ...range }: Parameters<Sessions['fetchParts']>[0]) =>
    this.use(session, (open) => open.fetchParts(range));
  fetchEvents: Sessions['fetchEvents'] = (params) => this.use(params.session, (open) => open.events.read(params));

  work: Sessions['work'] = (method, params, client) =>
    this.use(params.session, (open) => runWork(open.work, method, params, client.author));

  listArtifacts = (params: Parameters<Sessions['listArtifacts']>[0]) =>
    this.use(params.session, (open) => open.artifacts.list(params));

  fetchContent = (params: FetchContentParams) => fetchContent((uri, read) => this.use(uri, read), params);

  async remove(uri: URI, _client?: unknown, how: SessionRemoval = {}): Promise<void> {
    const removal = this.#remove(uri, how);
    this.#removals.add(removal);
    await removal.finally(() => this.#removals.delete(removal));
  }

  untrustedFolder(provider: string, cwd: string): Promise<string | undefined> {
    return this.#trust.needed(provider, cwd);
  }

  list(params: ListSessionsParams, space: string): ListSessionsResult | Promise<ListSessionsResult> {
    return this.#lists.list(params, space);
  }

  withNewestSummaries(result: ListSessionsResult, space: string): ListSessionsResult {
    return this.#lists.withNewestSummaries(result, space);
  }

  /** Indexes the sessions on disk that the index lacks. `indexFilled` resolves when that is done. */
  fillIndex(missing: MissingInIndex): void {
    this.#filler.start(missing);
  }

  /** The index was damaged and is empty now: it has only new turns of the loaded sessions, so they are indexed again too. */
  indexReplaced(): void {
    for (const uri of [...this.#opening.keys(), ...this.#open.keys()]) this.#services.index.markIncomplete(uri);
    this.fillIndex({ changedSince: 0 });
  }

  /** Resolves when lists of any host have all that was told until now. */
  async indexWritten(): Promise<void> {
    await this.#services.index.flush();
  }

  stopFilling(): Promise<void> {
    return this.#filler.stop();
  }

  /** Resolves when the index is complete, or after `patienceMs`. */
  indexFilled(patienceMs: number = INDEX_PATIENCE_MS): Promise<void> {
    return settleWithin(patienceMs, this.#filler.settled);
  }

  acceptedFrom(key: string, wanted: readonly URI[]): Record<URI, readonly number[]> {
    return acceptedIn(this.#open, key, wanted);
  }

  /** Called after a start. Opens the sessions that were interrupted: those that the index shows at work, or whose end it may lack. */
  async recoverInterrupted(): Promise<void> {
    await this.takeOver();
    await this.#dropProvisional();
  }

  /** Opens sessions whose host has ended in the middle of something: that ends their turns. */
  takeOver(): Promise<void> {
    return this.#indexing.openInterrupted();
  }

  async close(): Promise<void> {
    this.isClosing = true;
    this.#loaded.dispose();
    this.#trust.dispose();
    await this.#imports.dispose();
    await this.stopFilling();
    await Promise.allSettled(this.#opening.values());
    // Also sessions that are being unloaded: nothing may touch the index or a log after this.
    await Promise.allSettled([...this.#removals, ...this.#closing.values()]);
    await this.#dropProvisional();
    await Promise.allSettled([...this.#open].map(([uri, session]) => this.#close(uri, session)));
    await this.#abandoned.removeAll();
    this.#notifier.dispose();
  }

  async #remove(uri: URI, how: SessionRemoval): Promise<void> {
    const session = await this.open(uri);
    await beforeRemoval(session, how, this.#services);
    // It was unloaded meanwhile: try again with what is there now.
    if (this.#open.get(uri) !== session) return this.#remove(uri, how);
    const { sessionId } = partsOf(uri);
    try {
      // Creating it again waits for all of this: no envelope of the new session may come before the removal of the old one.
      await this.#close(uri, session, async () => {
        await this.#services.storage.remove(sessionId);
        await session.work.remove();
        await this.#forget(uri, session.space);
        session.tellRemoved(this.#services.onChange);
      });
      await releaseWorktree(session, this.#services, how.worktree);
    } catch (error) {
      cutOffLater(session, this.#services.delivery);
      throw error;
    }
  }

  /** Removes what the host knows of a session whose files are gone. */
  async #forget(uri: URI, space: string): Promise<void> {
    const { index, publisher, sequence } = this.#services;
    await index.eraseTexts(uri);
    const wasHidden = this.#notifier.provisional.delete(uri);
    index.remove(uri);
    this.#notifier.forget(uri);
    const subscribersOf = wasHidden ? uri : undefined;
    this.#services.broadcast({ type: 'notify/sessionRemoved', session: uri }, { space, subscribersOf });
    publisher.end(uri, sequence.next());
  }

  /** Removes sessions without a message when the host ends. Those that can't be removed are removed at the next start. */
  async #dropProvisional(): Promise<void> {
    await inParallel([...this.#notifier.provisional], DROPS_AT_ONCE, (uri) =>
      this.remove(uri).catch((error: unknown) => this.#services.log.error(`${uri} could not be removed`, error)),
    );
  }

  #begin(uri: URI, make: () => Promise<Session>): Promise<Session> {
    const reading = this.#indexing.reading(parseSessionUri(uri)?.sessionId ?? '');
    const free = Promise.allSettled([this.#closing.get(uri), reading]);
    const opening = free.then(make);
    this.#opening.set(uri, opening);
    opening.catch(() => {
      if (this.#opening.get(uri) === opening) this.#opening.delete(uri);
    });
    return opening;
  }

  async #hold(uri: URI, made: Promise<Session>): Promise<Session> {
    const session = await made;
    this.#open.set(uri, session);
    return session;
  }

  /** The session is known at once, so that a `subscribe` sent right after it finds it. */
  async #makeNew(uri: URI, space: string, make: () => Promise<Session>): Promise<Session> {
    const { sessionId } = partsOf(uri);
    // A client may be opening it right now; it exists only if that succeeds.
    const sought = this.#opening.get(uri);
    let exists = false;
    const making = this.#begin(uri, async () => {
      const found = await sought?.catch(() => undefined);
      exists = found !== undefined || this.#creating.has(sessionId) || this.#imports.has(sessionId);
      // `#open` already has the session, unless it is being closed.
      if (found) return found;
      if (exists) throw notFound(uri);
      this.#creating.add(sessionId);
      try {
        if (this.#abandoned.has(sessionId)) await this.#abandoned.removeNow(sessionId);
        void this.#abandoned.removeAll();
        exists = await this.#services.storage.exists(sessionId);
        if (exists && (await storedSpace(this.#services.storage, uri)) !== space) throw notFound(uri);
        // Clients that opened this URI in the meantime get the existing session.
        return await this.#hold(uri, exists ? this.#loaded.load(() => this.#loader.load(uri)) : make());
      } finally {
        this.#creating.delete(sessionId);
      }
    });
    this.#making.set(uri, making);
    const end = () => void (this.#making.get(uri) === making && this.#making.delete(uri));
    making.then(end, end);
    const session = await making.catch((error: unknown) => {
      throw exists ? alreadyExists(uri) : error;
    });
    if (exists) throw alreadyExists(uri);
    return session;
  }

  async #close(uri: URI, session: Session, removeFiles?: () => Promise<void>): Promise<void> {
    this.#open.delete(uri);
    this.#opening.delete(uri);
    const closed = session.close({ isRemoved: removeFiles !== undefined });
    const closing = Promise.all([closed, this.#checks.cancel(uri)]).then(removeFiles);
    const settled = closing.catch(() => {});
    this.#closing.set(uri, settled);
    this.#closingSpaces.set(uri, session.space);
    await settled;
    this.#notifier.release(uri);
    if (this.#closing.get(uri) === settled) for (const map of [this.#closing, this.#closingSpaces]) map.delete(uri);
    await closing;
  }
}
