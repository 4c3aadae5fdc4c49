import { pathToFileURL } from 'node:url';
import { CLOSE_CODE, MAX_JSON_VALUES } from '@agenthost/protocol';
import type { Disposable, Transport } from '@agenthost/rpc';
import { agentServices } from './agentServices.js';
import { agentEnvironment } from './agents/orphans/agentEnvironment.js';
import { orphanMark } from './agents/orphans/orphanAgents.js';
import { settleWithin } from './agents/settleWithin.js';
import { AuditTrail } from './audit/auditTrail.js';
import { ChangesResources } from './connection/changesResources.js';
import { ClientConnection } from './connection/clientConnection.js';
import { ClientRegistry } from './connection/clientRegistry.js';
import { type CommandHandlers, createCommandHandlers } from './connection/commandHandlers.js';
import { browseDirectory } from './connection/commands/browseDirectory.js';
import { type Credential, closeWhenRevoked, OWNER } from './connection/credential.js';
import { type FrameTransport, frameTransportOver } from './connection/frameTransport.js';
import type { HostServices } from './connection/hostServices.js';
import { HostSessions } from './connection/hostSessions.js';
import { LoadFailures } from './connection/loadFailures.js';
import { type HostBackend, openBackend } from './hostBackend.js';
import { type HostLog, silentLog } from './hostLog.js';
import type { HostOptions, Listening, ListenOptions } from './hostOptions.js';
import type { HostParts } from './hostParts.js';
import { leftAgents } from './leftAgents.js';
import { openAgents } from './nativeServices.js';
import { openRoots } from './openRoots.js';
import { openServer } from './openServer.js';
import type { DeviceTokens } from './server/access/deviceTokens.js';
import type { Access } from './server/access/openAccess.js';
import type { HostServer } from './server/hostServer.js';
import { localUrl, outsideUrl } from './server/networkAddress.js';
import type { ServedRoute } from './server/servedRoutes.js';
import { serverInfo } from './serverInfo.js';
import type { SessionIndex } from './sessionIndex/sessionIndex.js';
import { SqliteSessionIndex } from './sessionIndex/sqliteSessionIndex.js';
import { logSettings, sessionSettings } from './sessionSettings.js';
import { SessionHub } from './sessions/sessionHub.js';
import type { Browse } from './sessions/sessions.js';
import { visibleSessions } from './sessions/spaces/sharedSession.js';
import type { Broadcast } from './state/broadcast.js';
import { Delivery } from './state/delivery.js';
import { Publisher } from './state/publisher.js';
import { DEFAULT_REPLAY_LIMITS, ReplayBuffer } from './state/replayBuffer.js';
import { RootStore } from './state/rootStore.js';
import type { SessionStorage } from './storage/sessionStorage.js';
import type { StateRoot } from './storage/stateRoot/stateRoot.js';
import type { TempRoot } from './storage/stateRoot/tempRoot.js';
import { HOST_VERSION } from './version.js';
import { Watching } from './watching.js';
import { webhookServices } from './webhookServices.js';
import { ProjectChecks } from './work/checks/projectChecks.js';
import { Worktrees } from './work/worktrees/worktrees.js';

/** How long a stopping host waits for a file provider to take the remaining data. */
const KEEPER_PATIENCE_MS = 5_000;
const STOPPING = { code: CLOSE_CODE.goingAway, message: 'the host stops' };
const IN_PROCESS: Credential = { ...OWNER, id: 'in-process' };

/**
 * A complete host: state, sessions, agents; reached over sockets (`listen`) or inside the process (`attach`).
 *
 * @example
 * ```ts
 * const host = await Host.start({ agents: [new ShellAgent()] });
 * const { url, token } = await host.listen({ port: 4100 });
 * console.log(`${url} ${token}`);
 * await host.close();
 * ```
 */
export class Host {
  readonly #stateRoot: StateRoot;
  readonly #tempRoot: TempRoot;
  readonly #services: HostServices;
  readonly #cluster: HostParts['cluster'];
  /** Those of all spaces. */
  readonly #sessions: HostParts['sessions'];
  readonly #backend: HostBackend;
  #providedIndex: SessionIndex | undefined;
  readonly #commands: CommandHandlers;
  readonly #connections = new Set<ClientConnection>();
  readonly #sources: Disposable[] = [];
  readonly #log: HostLog;
  #server: HostServer | undefined;
  #access: Access | undefined;
  /** The address on this machine, the link with the token, and the address for other machines, if there is one. */
  #address: { readonly local: URL; readonly link: () => string; readonly outside: string | undefined } | undefined;
  #closing: Promise<void> | undefined;
  readonly #closed = new AbortController();

  /** Rejects with an error of one line that says what to do: no right to write, another host there, a newer version. */
  static async start(options: HostOptions): Promise<Host> {
    const log = options.log ?? silentLog;
    const { stateRoot, tempRoot } = await openRoots(options, log);
    try {
      return await Host.#startIn(stateRoot, tempRoot, options, log);
    } catch (error) {
      await tempRoot.dispose();
      await stateRoot.dispose();
      throw error;
    }
  }

  static async #startIn(stateRoot: StateRoot, tempRoot: TempRoot, options: HostOptions, log: HostLog): Promise<Host> {
    const { runner, orphansEnded } = await leftAgents(options, stateRoot, log);
    const env = options.env ?? process.env;
    const defaultDirectory = options.defaultDirectory ?? process.cwd();
    const logs = logSettings(options, log);
    const backendOptions = {
      ...{ stateRoot, logs, defaultDirectory, tempRoot: tempRoot.path, env, log },
      onIndexReplaced: () => local.indexReplaced(),
    };
    const backend = await openBackend(backendOptions, options);
    const { storage, index, missing, sequence, trust, push, webhooks } = backend;
    const identity = { instanceId: stateRoot.lock.holder.instanceId, place: backend.cluster?.place };
    const audit = new AuditTrail({ store: backend.audit, ...(backend.cluster && { host: identity.instanceId }), log });
    const { agents, native } = openAgents(options, stateRoot.path, log);
    const watching = await Watching.open(identity, log);
    agents.onDisposed = () => runner?.dispose();
    const delivery = new Delivery();
    // A number that no earlier run can have given out: a client with a lower one has not seen this run.
    const replay = new ReplayBuffer(sequence.next(), options.replayLimits ?? DEFAULT_REPLAY_LIMITS);
    const publisher = new Publisher(delivery, replay);
    const root = new RootStore(publisher, sequence);
    const clients = new ClientRegistry({
      delivery,
      list: (params, space) => sessions.hub.list(params, space),
      onCount: (count) => cluster?.clientsChanged(count),
      onTold: (told) => changes.watched.size > 0 && changes.told(told),
      log,
    });
    const changes = new ChangesResources((space) => visibleSessions(() => sessions.hub, space), publisher, sequence);
    const broadcast: Broadcast = (notification, options) => {
      clients.broadcast(notification, options);
      cluster?.broadcast(notification, options);
    };
    const isElsewhere = options.database !== undefined;
    const worktrees = new Worktrees({ stateDir: stateRoot.path, env, log, isElsewhere });
    const tests = new ProjectChecks(stateRoot.path, options.testLimitMs);
    const hubFor = (storage: SessionStorage, index: SessionIndex, directory: string): SessionHub =>
      new SessionHub({
        storage,
        index,
        agents,
        delivery,
        publisher,
        sequence,
        broadcast,
        listeners: () => clients.size + (cluster?.listeners ?? 0),
        agentEnv: { ...agentEnvironment(env), ...orphanMark(stateRoot.path) },
        stateDir: stateRoot.path,
        trust,
        worktrees,
        tests,
        ...(storage === backend.storage && { runner }),
        defaultDirectory: directory,
        isSure: () => backend.cluster?.isSure ?? true,
        ...watching.ofSessions,
        onChange: (change) => {
          push.changed(change);
          if (webhooks.lanes.size > 0) webhooks.changed(change);
          if (change.before.turns !== change.after.turns) watching.turnsChanged(change);
        },
        onTurnStarted: (change) => void (webhooks.lanes.size > 0 && webhooks.changed(change)),
        onAnswer: ({ space, ...answer }) => audit.answered(answer, space),
        log,
        ...sessionSettings(options),
      });
    const local = hubFor(storage, index, defaultDirectory);
    const browse: Browse = (params) =>
      browseDirectory(params, { sessions: sessions.hub, place: backend.cluster?.place });
    const cluster = backend.clusterSessions?.({
      hub: local,
      storage,
      delivery,
      publisher,
      sequence,
      defaultDirectory: pathToFileURL(defaultDirectory).href,
      broadcast: clients.broadcast.bind(clients),
      browse,
      onAgents: (infos) => root.setAgents(infos),
      log,
    });
    const sessions = new HostSessions({
      local: cluster ?? local,
      storage,
      keepsAll: options.database !== undefined,
      providedBy: async (provider) => {
        const { ClientSessionStorage } = await import('./storage/client/clientSessionStorage.js');
        const provided = await ClientSessionStorage.open({ provider, log, ...logs });
        return () => {
          // Its sessions differ from those of the same names here.
          replay.forgetUpTo(sequence.current);
          host.#providedIndex = new SqliteSessionIndex(':memory:', { searchInThread: true });
          return hubFor(provided, host.#providedIndex, provider.config.initialCwd);
        };
      },
      publisher,
      sequence,
      broadcast,
      log,
    });
    backend.cluster?.onAway((notification) => clients.tellAtOnce(notification));
    // With a database clients see the agents of all hosts.
    const agentsTo = cluster ?? root;
    agents.onChange((infos) => agentsTo.setAgents(infos));
    agentsTo.setAgents(agents.infos());
    const own = { agents, stateDir: stateRoot.path, env, clients, sessions };
    const { updates, clientGone, ...beside } = agentServices(own);
    const services: HostServices = {
      serverInfo: serverInfo(identity.instanceId, backend.cluster),
      defaultDirectory: pathToFileURL(defaultDirectory).href,
      root,
      sessionsOf: (space, only) => visibleSessions(() => sessions.hub, space, only),
      hostSessions: sessions,
      browse: (params, client) => (cluster ? cluster.browse(params, client) : browse(params)),
      agents,
      ...beside,
      native,
      push,
      audit,
      watching,
      webhooks,
      clients,
      changes,
      delivery,
      replay,
      sequence,
      isShared: backend.cluster !== undefined,
      loadFailures: new LoadFailures(),
      peerLimits: { maxIncomingRequests: 64, maxValues: MAX_JSON_VALUES },
      log,
      get devices() {
        return host.#access?.devices;
      },
      onConnectionClosed: (connection) => {
        host.#connections.delete(connection);
        host.#access?.tokens.used(connection.credentialId);
        clientGone(connection);
        sessions.connectionClosed(connection);
      },
    };
    watching.watch({
      ...{ ...identity, services, publisher, cluster: backend.cluster },
      ...{ connections: () => host.#connections.size, traffic: () => host.#server?.traffic },
    });
    const host = new Host({ stateRoot, tempRoot, backend, log, services, cluster, sessions: () => sessions.hub });
    try {
      await orphansEnded;
      for (const source of options.agentSources ?? [])
        host.#sources.push(await source.start({ stateDir: stateRoot.path, env, registry: agents, log }));
      await agents.refresh();
      host.#sources.push(updates.start());
      audit.started(HOST_VERSION);
      await local.recoverInterrupted();
      webhooks.start(webhookServices({ audit, index, sequence, sessions: () => sessions.hub }));
      if (missing) local.fillIndex(missing);
      await local.indexFilled(options.indexPatienceMs);
      await runner?.endUnclaimed();
      if (cluster) backend.cluster?.onTakeOver(() => cluster.takeOver());
      // Told by `agenthost cluster drain`: it takes the time that it takes.
      backend.cluster?.onDrain(() => void cluster?.drain(host.#closed.signal));
      return host;
    } catch (error) {
      await host.close();
      throw error;
    }
  }

  private constructor({ stateRoot, tempRoot, backend, log, services, cluster, sessions }: HostParts) {
    this.#stateRoot = stateRoot;
    this.#tempRoot = tempRoot;
    this.#backend = backend;
    this.#log = log;
    this.#services = services;
    this.#cluster = cluster;
    this.#sessions = sessions;
    this.#commands = createCommandHandlers(services);
  }

  get instanceId(): string {
    return this.#services.serverInfo.instanceId;
  }

  get stateDir(): string {
    return this.#stateRoot.path;
  }

  /** The tokens of devices, for those who add or remove some. */
  get deviceTokens(): DeviceTokens {
    return this.#backend.deviceTokens;
  }

  /** With a database: how long its agents may go on without it. For `AgentGuard`. */
  get agentLease() {
    return this.#backend.cluster?.agentLease;
  }

  /** What its server answers to; empty before `listen`. */
  get routes(): readonly ServedRoute[] {
    return this.#server?.routes ?? [];
  }

  /**
   * A connection inside the process; the program that has the host needs no token, and passes a credential. A credential from a
   * socket is checked again: the connection is closed at once if its token was revoked meanwhile.
   */
  attach(transport: Transport, credential: Credential = IN_PROCESS): void {
    if (closeWhenRevoked(transport, credential)) this.#connect(frameTransportOver(transport), credential);
  }

  async listen(options: ListenOptions = {}): Promise<Listening> {
    const { access, server, linkUrl } = await openServer(options, {
      backend: this.#backend,
      cluster: this.#cluster,
      services: this.#services,
      connected: () => new Set([...this.#connections].map(({ credentialId }) => credentialId)),
      outside: () => this.#address?.outside,
      onConnection: (transport, credential) => this.#connect(transport, credential),
      attach: (transport, credential) => this.attach(transport, credential),
      instanceId: this.instanceId,
      log: this.#log,
    });
    [this.#access, this.#server] = [access, server];
    const url = await server.listen();
    await this.#backend.cluster?.listening(linkUrl(url));
    await this.#stateRoot.lock.update({
      // Commands connect there: the wildcard address is not served.
      url: localUrl(url).href,
      ...(options.publicUrl && { publicUrl: options.publicUrl.href }),
      ...(options.token !== undefined && { hasGivenToken: true }),
    });
    this.#address = {
      local: localUrl(url),
      link: () => `${(options.publicUrl ?? localUrl(url)).href}#token=${access.tokens.owner}`,
      outside: (options.publicUrl ?? outsideUrl(url))?.href,
    };
    return { url, token: access.tokens.owner };
  }

  /** Sets another certificate for new connections. Only after `listen` with `tls`; throws if its key does not fit. */
  renewCertificate(tls: NonNullable<ListenOptions['tls']>): void {
    if (!this.#server) throw new Error('the host does not listen yet');
    this.#server.renewCertificate(tls);
  }

  /** Leads a browser on this machine to the page with the owner's token, once, within ten minutes. Only after `listen`. */
  createOneTimeLink(): URL {
    if (!this.#server || !this.#address) throw new Error('the host does not listen yet');
    return new URL(this.#server.createOneTimeLink(this.#address.link), this.#address.local);
  }

  /**
   * Before `close`, on a host with a database: others see that it is about to stop, and take its sessions as they come to rest.
   * Resolves when none is left, or after `ms`. Does nothing on a host of its own.
   */
  async drain(ms: number): Promise<void> {
    if (ms > 0) await this.#cluster?.drain(AbortSignal.any([AbortSignal.timeout(ms), this.#closed.signal]));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed.abort();
    this.#backend.closing?.();
    this.#backend.webhooks.stop();
    await this.#access?.tokens.dispose([...this.#connections]);
    for (const source of this.#sources) source.dispose();
    // Accepted changes are stored and sent; then no client can send more.
    await this.#services.delivery.drained();
    const { hostSessions } = this.#services;
    for (const connection of [...this.#connections]) if (connection !== hostSessions.keeper) connection.close(STOPPING);
    // The file provider is needed until every session is closed.
    if (hostSessions.keeper) await settleWithin(KEEPER_PATIENCE_MS, this.#sessions().close());
    hostSessions.keeper?.close(STOPPING);
    await this.#server?.close();
    await this.#sessions().close();
    await this.#services.terminals.dispose();
    await this.#services.logins.dispose();
    await this.#services.installations.dispose();
    await this.#services.agents.dispose();
    await this.#services.native?.dispose();
    await this.#providedIndex?.close();
    await this.#services.audit.dispose();
    await this.#services.watching.dispose();
    await this.#backend.close();
    await this.#tempRoot.dispose();
    await this.#stateRoot.dispose();
  }

  #connect(transport: FrameTransport, credential: Credential): void {
    if (this.#closing !== undefined) transport.close(STOPPING);
    else this.#connections.add(new ClientConnection(transport, credential, this.#services, this.#commands));
  }
}
