import { setTimeout as delay } from 'node:timers/promises';
import {
  type AgentInfo,
  type CreateSessionParams,
  ERROR_CODE,
  type ForkSessionParams,
  type ListSessionsParams,
  type ListSessionsResult,
  type Notification,
  type URI,
} from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { SocketRoute } from '../server/socketRoute.js';
import type { MissingInIndex } from '../sessions/indexing/openSessionIndex.js';
import type { SessionHub } from '../sessions/sessionHub.js';
import { notFound, sessionOfContent } from '../sessions/sessionLoader.js';
import type { Browse, CommandClient, OpenSession, Sessions } from '../sessions/sessions.js';
import type { BroadcastOptions } from '../state/broadcast.js';
import { OwnedElsewhere } from '../storage/sessionStorage.js';
import { AwayPlaces } from './awayPlaces.js';
import { ClusterAgents } from './clusterAgents.js';
import { type ClusterSessionsOptions, TIMES } from './clusterSessionsOptions.js';
import { drainSessions } from './drainSessions.js';
import { clientOf } from './followedSession.js';
import { FollowedSessions } from './followedSessions.js';
import { audienceOf, type CommandParams } from './links/linkMessages.js';
import { linkRoute } from './links/linkRoute.js';
import { Links } from './links/links.js';
import { LostSessions } from './lostSessions.js';
import { Placement } from './placement.js';
import {
  createOnce,
  importOnce,
  isRead,
  linkCut,
  type RoutedCommand,
  removeOnce,
  routedCommands,
} from './routedCommands.js';
import { takeSession } from './takeSession.js';
import { within } from './within.js';

/** All sessions of a database, from any of its hosts: this one's own, and a mirror of each that another one owns. */
export class ClusterSessions implements Sessions {
  readonly #options: ClusterSessionsOptions;
  readonly #hub: SessionHub;
  readonly #links: Links;
  readonly #followed: FollowedSessions;
  /** Sessions that are being made, here or at another host, unless they exist. */
  readonly #making = new Map<URI, Promise<unknown>>();
  readonly #agents: ClusterAgents;
  readonly #placement: Placement;
  readonly #away: AwayPlaces;
  readonly #lost: LostSessions;

  constructor(options: ClusterSessionsOptions) {
    this.#options = options;
    this.#hub = options.hub;
    this.#agents = new ClusterAgents(options.hostId, options.onAgents);
    options.cluster.canRun = (hostId, provider) => this.#agents.at(hostId, provider) === 'available';
    this.#links = new Links({
      ...options,
      runCommand: routedCommands(options),
      take: (uri) => takeSession(uri, { ...options, links: this.#links }),
      agents: () => this.#agents.own,
      eventsOf: (hostId) => ({
        ...this.#followed.eventsOf(hostId),
        notified: (params) => {
          const { notification } = params;
          if (notification.type === 'notify/sessionRemoved') this.#followed.removed(notification.session);
          options.broadcast(notification, audienceOf(params));
        },
        agents: (agents) => this.#agents.setOther(hostId, agents),
      }),
    });
    this.#followed = new FollowedSessions({ ...options, links: this.#links, open: (uri) => this.open(uri) });
    this.#hub.drain.onSentAway = (session, handedOver) => this.#followed.takeOver(session, handedOver);
    this.#lost = new LostSessions({ ...options, links: this.#links });
    this.#placement = new Placement({ ...options, agents: this.#agents, links: this.#links });
    this.#away = new AwayPlaces(options);
    options.cluster.onPolled(() => {
      this.#agents.setAlive(options.cluster.alive, (hostId) => this.#links.has(hostId));
      this.#links.connectAll();
      this.#away.polled();
      this.#giveBack();
    });
  }

  /** Where other hosts on the same database connect. */
  get route(): SocketRoute {
    return linkRoute(this.#options.cluster, this.#links);
  }

  /** Tells the clients of all other hosts. */
  broadcast(notification: Notification, options: BroadcastOptions): void {
    // Progress is of one machine.
    if (notification.type !== 'notify/progress') this.#links.broadcast(notification, options);
  }

  /** Clients of other hosts that hear of this one's sessions. */
  get listeners(): number {
    return this.#links.listeners;
  }

  /** There are so many clients at this host now. */
  clientsChanged(clients: number): void {
    this.#links.setClients(clients);
  }

  /** The agents of this host have changed. */
  setAgents(agents: readonly AgentInfo[]): void {
    this.#agents.setOwn(agents);
    this.#links.tellAgents(agents);
  }

  get isUnused(): boolean {
    return this.#hub.isUnused;
  }

  get isClosing(): boolean {
    return this.#hub.isClosing;
  }

  loaded(uri: URI): OpenSession | undefined {
    return this.#followed.moving(uri) ?? this.#followed.get(uri) ?? this.#hub.loaded(uri);
  }

  /** The row of a session says it, whichever host has it: nothing is opened or taken. */
  async spaceOf(uri: URI): Promise<string | undefined> {
    const followed = this.#followed.get(uri);
    if (followed) return followed.space;
    const making = this.#making.get(uri);
    if (making !== undefined) await within(TIMES.patienceMs, making).catch(() => undefined);
    return within(TIMES.patienceMs, Promise.resolve(this.#hub.spaceOf(uri)));
  }

  /** Waits for a session whose host can't be reached yet. */
  async open(uri: URI): Promise<OpenSession> {
    const until = performance.now() + TIMES.patienceMs;
    const making = this.#making.get(uri);
    if (making !== undefined) await within(TIMES.patienceMs, making).catch(() => undefined);
    for (;;) {
      const followed = this.#followed.get(uri);
      if (followed) return followed;
      const owner = await within(TIMES.patienceMs, this.#hub.open(uri)).catch((error: unknown) => {
        if (error instanceof OwnedElsewhere) return error;
        throw error;
      });
      if (!(owner instanceof OwnedElsewhere)) return this.#followed.continueHere(owner);
      const found = await this.#followed.follow(uri, owner.hostId).catch(async (error: unknown) => {
        if (error instanceof RpcError && error.code === ERROR_CODE.sessionNotFound) throw error;
        await delay(TIMES.retryMs);
        // The one that was asked may be about to stop, or has.
        await within(Math.max(until - performance.now(), 0), this.#options.cluster.look()).catch(() => {});
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
    this.#followed.endIf((uri) => this.#hub.loaded(uri) !== undefined);
  }

  hold(uri: URI, mayMove = false): () => void {
    return this.#hub.hold(uri, mayMove);
  }

  /** At a host of its place. */
  create(params: CreateSessionParams, client: CommandClient): Promise<void> {
    const here = (given: CreateSessionParams) => createOnce(this.#hub, given, client);
    return this.#make(params.session, this.#placement.create(params, client, here));
  }

  /** At a host of the place that the URI names. */
  browse = (params: Parameters<Browse>[0], client: CommandClient): ReturnType<Browse> =>
    this.#placement.browse(params, client, () => this.#options.browse(params));

  drain = (signal: AbortSignal): Promise<void> =>
    drainSessions({ ...this.#options, openElsewhere: (uri) => this.#openElsewhere(uri) }, signal);

  import: Sessions['import'] = (params, owner, space) => importOnce(this.#hub, params, owner, space);

  remove: Sessions['remove'] = async (session, client, how) => {
    const here = () => removeOnce(() => this.#hub.remove(session, client, how));
    await this.#routed(session, 'disposeSession', { session, ...how }, client, here);
  };

  fork(params: ForkSessionParams, client: CommandClient): Promise<void> {
    const routed = async () => {
      // One that is a fork of itself would wait for itself.
      const isSeen = params.source !== params.session && (await this.spaceOf(params.source)) === client.space;
      if (!isSeen) throw notFound(params.source);
      await this.#routed(params.source, 'forkSession', params, client, () => this.#hub.fork(params, client));
    };
    return this.#make(params.session, routed());
  }

  fetchTurns: Sessions['fetchTurns'] = (params, client) =>
    this.#routed(params.session, 'fetchTurns', params, client, () => this.#hub.fetchTurns(params));
  fetchParts: Sessions['fetchParts'] = (params, client) =>
    this.#routed(params.session, 'fetchParts', params, client, () => this.#hub.fetchParts(params));
  fetchEvents: Sessions['fetchEvents'] = (params, client) =>
    this.#routed(params.session, 'fetchEvents', params, client, () => this.#hub.fetchEvents(params, client));
  work: Sessions['work'] = (method, params, client) =>
    this.#routed(params.session, method, params, client, () => this.#hub.work(method, params, client));

  listArtifacts: Sessions['listArtifacts'] = (params, client) =>
    this.#routed(params.session, 'listArtifacts', params, client, () => this.#hub.listArtifacts(params));

  fetchContent: Sessions['fetchContent'] = (params, client) => {
    const session = sessionOfContent(params.uri);
    const local = () => this.#hub.fetchContent(params);
    return session === undefined ? local() : this.#routed(session, 'fetchContent', params, client, local);
  };

  /** What a client is not told of, because it came too late for that, is in its list. */
  async list(params: ListSessionsParams, space: string): Promise<ListSessionsResult> {
    await within(TIMES.listenMs, this.#links.listening).catch(() => {});
    return this.#away.mark(await this.#hub.list(params, space));
  }

  withNewestSummaries: Sessions['withNewestSummaries'] = (result, space) =>
    this.#away.keepMarks(this.#hub.withNewestSummaries(result, space), result);

  untrustedFolder(provider: string, cwd: string): Promise<string | undefined> {
    return this.#hub.untrustedFolder(provider, cwd);
  }

  acceptedFrom(key: string, wanted: readonly URI[]): Record<URI, readonly number[]> {
    const accepted = this.#hub.acceptedFrom(key, wanted);
    return Object.assign(accepted, this.#followed.acceptedFrom(key, wanted));
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

  loginChanged(provider: string, isLoggedIn: boolean): void {
    this.#hub.loginChanged(provider, isLoggedIn);
  }

  connectionClosed(owner: object): Promise<void> {
    return this.#hub.connectionClosed(owner);
  }

  async close(): Promise<void> {
    this.#lost.dispose();
    this.#followed.dispose();
    await this.#hub.close();
    await this.#links.close();
  }

  /** Known at once: a `subscribe` sent right after it waits for it. */
  async #make(uri: URI, making: Promise<void>): Promise<void> {
    this.#making.set(uri, making);
    await making.finally(() => {
      if (this.#making.get(uri) === making) this.#making.delete(uri);
    });
  }

  /** At the host that has the session. */
  async #routed<T>(
    uri: URI,
    method: RoutedCommand,
    params: object,
    client: CommandClient,
    local: () => Promise<T>,
  ): Promise<T> {
    const command: CommandParams = { method, params, as: clientOf(client) };
    for (let isSecond = false; ; isSecond = true) {
      await this.open(uri);
      const hostId = this.#followed.ownerOf(uri);
      if (hostId === undefined) return local();
      try {
        const link = await this.#links.to(hostId);
        return (await link.request('link.command', command)) as T;
      } catch (error) {
        if (error instanceof RpcError) throw error;
        // The link was cut. What only reads is asked again.
        if (isSecond || !isRead(method)) throw linkCut(error);
      }
    }
  }

  /** Sessions that this host only shows go to a host of their place when there is one. */
  #giveBack(): void {
    const { cluster } = this.#options;
    void this.#hub.drain.release(
      ({ awayAt, space }) => awayAt !== undefined && cluster.otherPlaces(space).has(awayAt),
      (uri) => this.#openElsewhere(uri),
    );
  }

  /** A message waits there for its turn. */
  #openElsewhere(uri: URI): void {
    const { log } = this.#options;
    this.open(uri).catch((error: unknown) => log.warn(`${uri} waits for its next turn: ${errorMessage(error)}`));
  }
}
