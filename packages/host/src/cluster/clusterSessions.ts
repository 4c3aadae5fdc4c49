import { setTimeout as delay } from 'node:timers/promises';
import {
  type CreateSessionParams,
  ERROR_CODE,
  type ForkSessionParams,
  type ImportSessionParams,
  type ListSessionsParams,
  type ListSessionsResult,
  type Notification,
  sessionUri,
  type URI,
} from '@agenthost/protocol';
import { errorMessage, parseArtifactUri, parseContentUri } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { SocketRoute } from '../server/socketRoute.js';
import type { MissingInIndex } from '../sessions/indexing/openSessionIndex.js';
import type { SessionHub } from '../sessions/sessionHub.js';
import { alreadyExists } from '../sessions/sessionLoader.js';
import type { OpenSession, Sessions } from '../sessions/sessions.js';
import type { Publisher, SequenceSource } from '../state/publisher.js';
import { OwnedElsewhere, type SessionStorage } from '../storage/sessionStorage.js';
import { FollowedSession } from './followedSession.js';
import type { FollowResult } from './linkMessages.js';
import { linkRoute } from './linkRoute.js';
import { Links, type LinksOptions } from './links.js';
import { LostSessions } from './lostSessions.js';
import { within } from './within.js';

export interface ClusterSessionsOptions extends Omit<LinksOptions, 'eventsOf' | 'runCommand'> {
  readonly storage: Pick<SessionStorage, 'findTaken' | 'giveUpWaiting'>;
  readonly publisher: Publisher;
  readonly sequence: SequenceSource;
  /** For sessions without one of their own: a `file:` URI. */
  readonly defaultDirectory: URI;
  /** To the clients of this host. */
  readonly broadcast: (notification: Notification, subscribersOf?: URI) => void;
}

/** How long a client waits for a session whose host can't be reached. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 200;
/** After this it is looked up again who has the session. */
const FOLLOW_MS = 5_000;
/** A session that nobody here looks at is followed for this much longer. */
const IDLE_MS = 30_000;
const SWEEP_MS = 5_000;
/** How long a host that drains waits until others can see it. */
const DRAIN_MARK_MS = 2_000;
/** How often a host that drains looks whether more sessions have come to rest. */
const DRAIN_LOOK_MS = 100;

/** All sessions of a database, from any of its hosts: this one's own, and a mirror of each that another one owns. */
export class ClusterSessions implements Sessions {
  readonly #options: ClusterSessionsOptions;
  readonly #hub: SessionHub;
  readonly #links: Links;
  readonly #followed = new Map<URI, { readonly session: FollowedSession; readonly hostId: string }>();
  readonly #following = new Map<URI, PromiseWithResolvers<FollowedSession> & { readonly hostId: string }>();
  /** Forks that are being made, here or at another host. */
  readonly #forking = new Map<URI, Promise<unknown>>();
  readonly #lost: LostSessions;
  readonly #sweep: NodeJS.Timeout;

  constructor(options: ClusterSessionsOptions) {
    this.#options = options;
    this.#hub = options.hub;
    this.#links = new Links({
      ...options,
      runCommand: (method, params) => this.#run(method as RoutedCommand, params),
      eventsOf: (hostId) => ({
        followed: (uri, result) => this.#begin(hostId, uri, result),
        action: (uri, envelope) => this.#mirrorOf(hostId, uri)?.receive(envelope),
        settled: ({ uri, client, envelope }) => this.#mirrorOf(hostId, uri)?.settle(client, envelope),
        moved: (uri) => {
          if (this.#mirrorOf(hostId, uri)) this.#end(uri);
        },
        notified: ({ notification, subscribersOf }) => {
          if (notification.type === 'notify/sessionRemoved') this.#removed(notification.session);
          options.broadcast(notification, subscribersOf);
        },
        closed: () => {
          for (const [uri, followed] of this.#followed) if (followed.hostId === hostId) this.#end(uri);
          for (const waiting of this.#following.values()) {
            if (waiting.hostId === hostId) waiting.reject(new Error('the link was cut'));
          }
        },
      }),
    });
    this.#lost = new LostSessions({ ...options, links: this.#links });
    this.#sweep = setInterval(() => this.#unfollowIdle(), SWEEP_MS).unref();
    options.cluster.onPolled(() => {
      this.#links.connectAll();
      this.#giveBack();
    });
  }

  /** Where other hosts on the same database connect. */
  get route(): SocketRoute {
    return linkRoute(this.#options.cluster, this.#links);
  }

  /** Tells the clients of all other hosts. */
  broadcast(notification: Notification, subscribersOf?: URI): void {
    // Progress is of one machine.
    if (notification.type !== 'notify/progress') this.#links.broadcast(notification, subscribersOf);
  }

  get isUnused(): boolean {
    return this.#hub.isUnused;
  }

  loaded(uri: URI): OpenSession | undefined {
    return this.#hub.loaded(uri) ?? this.#followed.get(uri)?.session;
  }

  /** Waits for a session whose host can't be reached yet. */
  async open(uri: URI): Promise<OpenSession> {
    const until = performance.now() + PATIENCE_MS;
    const forking = this.#forking.get(uri);
    if (forking !== undefined) await within(PATIENCE_MS, forking).catch(() => undefined);
    for (;;) {
      const followed = this.#followed.get(uri);
      if (followed) return followed.session;
      const owner = await within(PATIENCE_MS, this.#hub.open(uri)).catch((error: unknown) => {
        if (error instanceof OwnedElsewhere) return error;
        throw error;
      });
      if (!(owner instanceof OwnedElsewhere)) return owner;
      const found = await this.#follow(uri, owner.hostId).catch(async (error: unknown) => {
        if (error instanceof RpcError && error.code === ERROR_CODE.sessionNotFound) throw error;
        await delay(RETRY_MS);
        // The one that was asked may be about to stop, or has.
        await within(until - performance.now(), this.#options.cluster.look()).catch(() => {});
        if (performance.now() < until) return undefined;
        const message = "the host that has this session can't be reached right now: try again";
        throw new RpcError(ERROR_CODE.tooManyRequests, message, { cause: error });
      });
      if (found) return found;
    }
  }

  /** Takes what dead hosts have left at work. Their mirrors here end, wherever their links are. */
  async takeOver(): Promise<void> {
    await this.#hub.takeOver();
    for (const uri of [...this.#followed.keys()]) if (this.#hub.loaded(uri)) this.#end(uri);
  }

  hold(uri: URI): () => void {
    return this.#hub.hold(uri);
  }

  /** Made by another host of the same place where this one is about to stop. */
  async create(params: CreateSessionParams): Promise<void> {
    const { cluster, defaultDirectory: workingDirectory } = this.#options;
    const other = cluster.isDraining ? await cluster.successor() : undefined;
    if (other === undefined) {
      await this.#hub.create(params).catch((error: unknown) => takenElsewhere(error, params.session));
      return;
    }
    const link = await this.#links.to(other);
    await link.request('link.command', { method: 'createSession', params: { workingDirectory, ...params } });
  }

  /**
   * Gives all sessions to other hosts, as they come to rest. Resolves when none is left, or at the signal. Without another host
   * it waits only until all are at rest.
   */
  async drain(signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    this.#hub.drain.begin();
    // The database may be away.
    await Promise.race([cluster.drain().catch(() => {}), delay(DRAIN_MARK_MS, undefined, { ref: false })]);
    while (!signal.aborted) {
      this.#hub.drain.begin();
      const isAlone = (await cluster.hostFor('')) === undefined;
      if (isAlone ? this.#hub.drain.isAtRest : this.#hub.isUnused) return;
      if (!isAlone)
        void this.#hub.drain.release(
          () => true,
          (uri) => this.#openElsewhere(uri),
        );
      await delay(DRAIN_LOOK_MS, undefined, { signal }).catch(() => {});
    }
  }

  import(params: ImportSessionParams, owner: object): Promise<void> {
    return this.#hub.import(params, owner).catch((error: unknown) => takenElsewhere(error, params.session));
  }

  async remove(uri: URI): Promise<void> {
    await this.#routed(uri, 'disposeSession', { session: uri }, () => this.#hub.remove(uri));
  }

  async fork(params: ForkSessionParams): Promise<void> {
    // Known at once: a `subscribe` sent right after it waits for it.
    const forking = this.#routed(params.source, 'forkSession', params, () => this.#hub.fork(params));
    this.#forking.set(params.session, forking);
    await forking.finally(() => {
      if (this.#forking.get(params.session) === forking) this.#forking.delete(params.session);
    });
  }

  fetchTurns: Sessions['fetchTurns'] = (params) =>
    this.#routed(params.session, 'fetchTurns', params, () => this.#hub.fetchTurns(params));

  fetchParts: Sessions['fetchParts'] = (params) =>
    this.#routed(params.session, 'fetchParts', params, () => this.#hub.fetchParts(params));

  listArtifacts: Sessions['listArtifacts'] = (params) =>
    this.#routed(params.session, 'listArtifacts', params, () => this.#hub.listArtifacts(params));

  fetchContent: Sessions['fetchContent'] = (params) => {
    const parts = parseContentUri(params.uri) ?? parseArtifactUri(params.uri);
    const local = () => this.#hub.fetchContent(params);
    if (!parts) return local();
    return this.#routed(sessionUri(parts.provider, parts.sessionId), 'fetchContent', params, local);
  };

  list(params: ListSessionsParams): ListSessionsResult | Promise<ListSessionsResult> {
    return this.#hub.list(params);
  }

  withNewestSummaries(result: ListSessionsResult): ListSessionsResult {
    return this.#hub.withNewestSummaries(result);
  }

  untrustedFolder(provider: string, cwd: string): Promise<string | undefined> {
    return this.#hub.untrustedFolder(provider, cwd);
  }

  acceptedFrom(key: string, wanted: readonly URI[]): Record<URI, readonly number[]> {
    const accepted = this.#hub.acceptedFrom(key, wanted);
    for (const [uri, { session }] of this.#followed) {
      const recent = session.acceptedFrom(key);
      if (recent.length > 0 || wanted.includes(uri)) accepted[uri] = recent;
    }
    return accepted;
  }

  fillIndex(missing: MissingInIndex): void {
    this.#hub.fillIndex(missing);
  }

  stopFilling(): Promise<void> {
    return this.#hub.stopFilling();
  }

  indexFilled(patienceMs?: number): Promise<void> {
    return this.#hub.indexFilled(patienceMs);
  }

  storageLost(error: unknown): void {
    this.#hub.storageLost(error);
  }

  connectionClosed(owner: object): Promise<void> {
    return this.#hub.connectionClosed(owner);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    this.#lost.dispose();
    for (const uri of [...this.#followed.keys()]) this.#end(uri);
    await this.#hub.close();
    await this.#links.close();
  }

  /** At the host that has the session. */
  async #routed<T>(uri: URI, method: RoutedCommand, params: object, local: () => Promise<T>): Promise<T> {
    await this.open(uri);
    const followed = this.#followed.get(uri);
    if (!followed) return local();
    const link = await this.#links.to(followed.hostId);
    return (await link.request('link.command', { method, params })) as T;
  }

  /** A command of a client of another host. */
  #run(method: RoutedCommand, params: object): Promise<unknown> {
    const hub = this.#hub;
    const commands: Record<RoutedCommand, (params: never) => Promise<unknown>> = {
      createSession: (create: CreateSessionParams) => hub.create(create).then(() => null),
      disposeSession: ({ session }: { session: URI }) => hub.remove(session).then(() => null),
      forkSession: (fork: ForkSessionParams) => hub.fork(fork).then(() => null),
      fetchTurns: hub.fetchTurns.bind(hub),
      fetchParts: hub.fetchParts.bind(hub),
      listArtifacts: hub.listArtifacts.bind(hub),
      fetchContent: hub.fetchContent.bind(hub),
    };
    if (!Object.hasOwn(commands, method)) {
      throw new RpcError(ERROR_CODE.methodNotFound, `${method} is not carried out for other hosts`);
    }
    return commands[method](params as never);
  }

  async #follow(uri: URI, hostId: string): Promise<FollowedSession> {
    const already = this.#following.get(uri);
    if (already) return already.promise;
    const waiting = { ...Promise.withResolvers<FollowedSession>(), hostId };
    this.#following.set(uri, waiting);
    waiting.promise.catch(() => {});
    try {
      const link = await this.#links.to(hostId);
      await link.request('link.follow', { uri }, { timeoutMs: FOLLOW_MS });
      return await waiting.promise;
    } catch (error) {
      waiting.reject(error);
      throw error;
    } finally {
      this.#following.delete(uri);
    }
  }

  /** What comes late from a host that had the session before is of no use. */
  #mirrorOf(hostId: string, uri: URI): FollowedSession | undefined {
    const followed = this.#followed.get(uri);
    return followed?.hostId === hostId ? followed.session : undefined;
  }

  #begin(hostId: string, uri: URI, result: FollowResult): void {
    const waiting = this.#following.get(uri);
    if (waiting?.hostId !== hostId) return;
    this.#end(uri);
    const { publisher, sequence } = this.#options;
    const send = (method: string, params: object) =>
      void this.#links
        .to(hostId)
        .then((link) => link.notify(method, params))
        .catch(() => {
          if (this.#followed.get(uri)?.session === session) this.#end(uri);
        });
    const session: FollowedSession = new FollowedSession(
      {
        uri,
        publisher,
        sequence,
        send: {
          dispatch: (clientSeq, action, as) => send('link.dispatch', { uri, clientSeq, action, as }),
          viewers: (authors) => send('link.viewers', { uri, authors }),
        },
      },
      result,
    );
    this.#followed.set(uri, { session, hostId });
    waiting.resolve(session);
  }

  #end(uri: URI): void {
    const followed = this.#followed.get(uri);
    this.#followed.delete(uri);
    followed?.session.end();
  }

  #removed(uri: URI): void {
    const followed = this.#followed.get(uri);
    this.#followed.delete(uri);
    followed?.session.removed();
  }

  /** Sessions that this host only shows go to a host of their place when there is one. */
  #giveBack(): void {
    const places = this.#options.cluster.otherPlaces;
    void this.#hub.drain.release(
      ({ awayAt }) => awayAt !== undefined && places.has(awayAt),
      (uri) => this.#openElsewhere(uri),
    );
  }

  /** A message waits there for its turn. */
  #openElsewhere(uri: URI): void {
    const { log } = this.#options;
    this.open(uri).catch((error: unknown) => log.warn(`${uri} waits for its next turn: ${errorMessage(error)}`));
  }

  #unfollowIdle(): void {
    const now = performance.now();
    for (const [uri, { session, hostId }] of this.#followed) {
      if (!session.isUnused || now - session.lastUsed < IDLE_MS) continue;
      this.#end(uri);
      void this.#links
        .to(hostId)
        .then((link) => link.notify('link.unfollow', { uri }))
        .catch(() => {});
    }
  }
}

/** Another host has made a session of the same name in this moment. */
function takenElsewhere(error: unknown, uri: URI): never {
  throw error instanceof OwnedElsewhere ? alreadyExists(uri) : error;
}

type RoutedCommand =
  | 'createSession'
  | 'disposeSession'
  | 'forkSession'
  | 'fetchTurns'
  | 'fetchParts'
  | 'listArtifacts'
  | 'fetchContent';
