import { hostname } from 'node:os';
import { pathToFileURL } from 'node:url';
import { CLOSE_CODE, MAX_JSON_VALUES, type Notification, type URI } from '@agenthost/protocol';
import type { Disposable, Transport } from '@agenthost/rpc';
import { AgentRegistry } from './agents/agentRegistry.js';
import { AgentInstallations } from './agents/install/agentInstallations.js';
import { AgentInstaller } from './agents/install/agentInstaller.js';
import { agentEnvironment } from './agents/orphans/agentEnvironment.js';
import { endOrphanAgents, orphanMark } from './agents/orphans/orphanAgents.js';
import { settleWithin } from './agents/settleWithin.js';
import { ClusterSessions } from './cluster/clusterSessions.js';
import { ClientConnection } from './connection/clientConnection.js';
import { ClientRegistry } from './connection/clientRegistry.js';
import { type CommandHandlers, createCommandHandlers } from './connection/commandHandlers.js';
import { type Credential, closeWhenRevoked, OWNER } from './connection/credential.js';
import { type FrameTransport, frameTransportOver } from './connection/frameTransport.js';
import type { HostServices } from './connection/hostServices.js';
import { HostSessions } from './connection/hostSessions.js';
import { LoadFailures } from './connection/loadFailures.js';
import { type HostBackend, openBackend } from './hostBackend.js';
import { type HostLog, silentLog } from './hostLog.js';
import type { HostOptions, Listening, ListenOptions } from './hostOptions.js';
import { Authenticator } from './server/access/authenticator.js';
import type { DeviceTokens } from './server/access/deviceTokens.js';
import { HostTokens } from './server/access/hostTokens.js';
import { HostServer, type ServedRoute } from './server/hostServer.js';
import { linkUrlOf, localUrl } from './server/networkAddress.js';
import { PageFiles } from './server/pageFiles.js';
import type { SocketRoute } from './server/socketRoute.js';
import { DEFAULT_GUEST_LIMITS } from './server/sockets/guestConnections.js';
import { DEFAULT_WEB_SOCKET_LIMITS } from './server/sockets/webSocketTransport.js';
import type { SessionIndex } from './sessionIndex/sessionIndex.js';
import { SqliteSessionIndex } from './sessionIndex/sqliteSessionIndex.js';
import { sessionSettings } from './sessionSettings.js';
import { SessionHub } from './sessions/sessionHub.js';
import type { Sessions } from './sessions/sessions.js';
import { Delivery } from './state/delivery.js';
import { Publisher } from './state/publisher.js';
import { DEFAULT_REPLAY_LIMITS, ReplayBuffer } from './state/replayBuffer.js';
import { RootStore } from './state/rootStore.js';
import { ClientSessionStorage } from './storage/client/clientSessionStorage.js';
import { describeDamage } from './storage/log/describeDamage.js';
import type { DamageReport } from './storage/log/eventLog.js';
import { recordIds } from './storage/log/recordIds.js';
import type { SessionStorage } from './storage/sessionStorage.js';
import { StateRoot } from './storage/stateRoot/stateRoot.js';
import { TempRoot } from './storage/stateRoot/tempRoot.js';
import { HOST_VERSION } from './version.js';

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
  readonly #backend: HostBackend;
  #providedIndex: SessionIndex | undefined;
  readonly #commands: CommandHandlers;
  readonly #connections = new Set<ClientConnection>();
  readonly #sources: Disposable[] = [];
  readonly #log: HostLog;
  #server: HostServer | undefined;
  #tokens: HostTokens | undefined;
  /** The address on this machine, and the link with the token. */
  #address: { readonly local: URL; readonly link: () => string } | undefined;
  #closing: Promise<void> | undefined;
  readonly #closed = new AbortController();

  /** Rejects with an error of one line that says what to do: no right to write, another host there, a newer version. */
  static async start(options: HostOptions): Promise<Host> {
    const log = options.log ?? silentLog;
    const stateRoot = await StateRoot.open({
      env: options.env ?? process.env,
      ...(options.stateDir !== undefined && { path: options.stateDir }),
      warn: (message) => log.warn(message),
    });
    let tempRoot: TempRoot | undefined;
    try {
      tempRoot = await TempRoot.open({
        stateRoot: stateRoot.path,
        keep: sessionSettings(options).keepTempFiles,
        onError: (error) => log.warn(`temporary files of an earlier host could not be removed: ${String(error)}`),
      });
      return await Host.#startIn(stateRoot, tempRoot, options, log);
    } catch (error) {
      await tempRoot?.dispose();
      await stateRoot.dispose();
      throw error;
    }
  }

  static async #startIn(stateRoot: StateRoot, tempRoot: TempRoot, options: HostOptions, log: HostLog): Promise<Host> {
    // Scans all processes of the machine while the rest is read. A host that stopped normally left no agents.
    const orphansEnded = stateRoot.lock.tookOver ? endOrphanAgents(stateRoot.path) : undefined;
    const { now } = sessionSettings(options);
    const defaultDirectory = options.defaultDirectory ?? process.cwd();
    const durability = options.durability ?? 'write';
    const onDamage = (sessionId: string, damage: DamageReport) =>
      log.warn(`session ${sessionId}: ${describeDamage(damage)}`);
    const logs = { durability, now, newId: options.newId ?? recordIds(), onDamage };
    const backendOptions = {
      stateRoot,
      logs,
      defaultDirectory,
      tempRoot: tempRoot.path,
      env: options.env ?? process.env,
      ...(options.place !== undefined && { place: options.place }),
      ...(options.leaseMs !== undefined && { leaseMs: options.leaseMs }),
      log,
      onIndexReplaced: () => local.indexReplaced(),
    };
    const backend = await openBackend(backendOptions, options);
    const { storage, index, missing, sequence, trust } = backend;
    const agents = new AgentRegistry({
      onError: (error, provider) => log.error(`the agent ${provider} failed`, error),
    });
    for (const agent of options.agents) agents.register(agent);

    const delivery = new Delivery();
    // A number that no earlier run can have given out: a client with a lower one has not seen this run.
    const replay = new ReplayBuffer(sequence.next(), options.replayLimits ?? DEFAULT_REPLAY_LIMITS);
    const publisher = new Publisher(delivery, replay);
    const root = new RootStore(publisher, sequence);
    const clients = new ClientRegistry(delivery);
    const broadcast = (notification: Notification, subscribersOf?: URI) => {
      clients.broadcast(notification, subscribersOf);
      cluster?.broadcast(notification, subscribersOf);
    };
    const hubFor = (storage: SessionStorage, index: SessionIndex, directory: string) =>
      new SessionHub({
        storage,
        index,
        agents,
        delivery,
        publisher,
        sequence,
        broadcast,
        agentEnv: { ...agentEnvironment(options.env ?? process.env), ...orphanMark(stateRoot.path) },
        stateDir: stateRoot.path,
        trust,
        defaultDirectory: directory,
        isSure: () => backend.cluster?.isSure ?? true,
        log,
        ...sessionSettings(options),
      });
    const local = hubFor(storage, index, defaultDirectory);
    const cluster =
      backend.cluster &&
      new ClusterSessions({
        cluster: backend.cluster,
        hostId: backend.cluster.hostId,
        hub: local,
        storage,
        delivery,
        publisher,
        sequence,
        defaultDirectory: pathToFileURL(defaultDirectory).href,
        broadcast: clients.broadcast.bind(clients),
        log,
      });
    const sessions = new HostSessions({
      local: cluster ?? local,
      storage,
      ...(options.database !== undefined && {
        keepsAll: 'this host keeps its sessions in a database, with those of others',
      }),
      providedBy: async (provider) => {
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
    agents.onChange((infos) => root.setAgents(infos));
    root.setAgents(agents.infos());
    const env = options.env ?? process.env;
    const installations = new AgentInstallations({
      registry: agents,
      installer: new AgentInstaller({ stateDir: stateRoot.path, env }),
      onProgress: (provider, progress) =>
        clients.broadcast({ type: 'notify/progress', token: `installAgent/${provider}`, ...progress }),
    });
    const services: HostServices = {
      serverInfo: {
        name: 'agenthost',
        version: HOST_VERSION,
        instanceId: stateRoot.lock.holder.instanceId,
        machine: hostname(),
        ...(backend.cluster && { place: backend.cluster.place }),
      },
      defaultDirectory: pathToFileURL(defaultDirectory).href,
      root,
      get sessions() {
        return sessions.hub;
      },
      hostSessions: sessions,
      agents,
      installations,
      clients,
      delivery,
      replay,
      sequence,
      isShared: backend.cluster !== undefined,
      loadFailures: new LoadFailures(),
      peerLimits: { maxIncomingRequests: 64, maxValues: MAX_JSON_VALUES },
      log,
      onConnectionClosed: (connection) => {
        host.#connections.delete(connection);
        sessions.connectionClosed(connection);
      },
    };
    const host = new Host(stateRoot, tempRoot, backend, log, services);
    try {
      await orphansEnded;
      for (const source of options.agentSources ?? []) {
        host.#sources.push(await source.start({ stateDir: stateRoot.path, env, registry: agents, log }));
      }
      await agents.refresh();
      await local.recoverInterrupted();
      if (missing) local.fillIndex(missing);
      await local.indexFilled(options.indexPatienceMs);
      if (cluster) backend.cluster?.onTakeOver(() => cluster.takeOver());
      // Told by `agenthost cluster drain`: it takes the time that it takes.
      backend.cluster?.onDrain(() => void cluster?.drain(host.#closed.signal));
      return host;
    } catch (error) {
      await host.close();
      throw error;
    }
  }

  private constructor(
    stateRoot: StateRoot,
    tempRoot: TempRoot,
    backend: HostBackend,
    log: HostLog,
    services: HostServices,
  ) {
    this.#stateRoot = stateRoot;
    this.#tempRoot = tempRoot;
    this.#backend = backend;
    this.#log = log;
    this.#services = services;
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
    const authenticator = new Authenticator();
    const tokens = await HostTokens.open({
      source: await this.#backend.openTokens(),
      authenticator,
      ...(options.token !== undefined && { fixed: options.token }),
      log: this.#log,
    });
    this.#tokens = tokens;
    const linkUrl = (url: URL) => options.linkUrl ?? linkUrlOf(url);
    const page = options.pageFolder === undefined ? undefined : PageFiles.open(options.pageFolder);
    this.#server = new HostServer({
      address: options.address ?? '127.0.0.1',
      port: options.port ?? 0,
      ...(options.tls && { tls: options.tls }),
      ...(options.publicUrl && { publicUrl: options.publicUrl }),
      ...(this.#backend.cluster && { linkUrl }),
      allowedOrigins: options.allowedOrigins ?? [],
      maxConnections: options.maxConnections ?? 2_000,
      guestLimits: { ...DEFAULT_GUEST_LIMITS, ...options.guestLimits },
      webSocketLimits: { ...DEFAULT_WEB_SOCKET_LIMITS, ...options.webSocketLimits },
      authenticator,
      ...(page && { page }),
      health: () => this.#backend.cluster?.trouble,
      onConnection: (transport, credential) => {
        tokens.used(credential);
        this.#connect(transport, credential);
      },
      socketRoutes: [...routesOf(this.#services.sessions), ...(options.socketRoutes ?? [])].map((route) => ({
        ...route,
        onConnection: (transport, credential) => {
          tokens.used(credential);
          route.onConnection(transport, credential);
        },
      })),
      log: this.#log,
    });
    const url = await this.#server.listen();
    const { publicUrl } = options;
    await this.#backend.cluster?.listening(linkUrl(url));
    await this.#stateRoot.lock.update({
      url: url.href,
      ...(publicUrl && { publicUrl: publicUrl.href }),
      ...(options.token !== undefined && { hasGivenToken: true }),
    });
    this.#address = { local: localUrl(url), link: () => `${(publicUrl ?? localUrl(url)).href}#token=${tokens.owner}` };
    return { url, token: tokens.owner };
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
    const { sessions } = this.#services;
    if (!(sessions instanceof ClusterSessions) || ms <= 0) return;
    await sessions.drain(AbortSignal.any([AbortSignal.timeout(ms), this.#closed.signal]));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed.abort();
    this.#backend.closing?.();
    await this.#tokens?.dispose();
    for (const source of this.#sources) source.dispose();
    // Accepted changes are stored and sent; then no client can send more.
    await this.#services.delivery.drained();
    const { hostSessions } = this.#services;
    for (const connection of [...this.#connections]) if (connection !== hostSessions.keeper) connection.close(STOPPING);
    // The file provider is needed until every session is closed.
    if (hostSessions.keeper) await settleWithin(KEEPER_PATIENCE_MS, this.#services.sessions.close());
    hostSessions.keeper?.close(STOPPING);
    await this.#server?.close();
    await this.#services.sessions.close();
    await this.#services.installations.dispose();
    await this.#services.agents.dispose();
    await this.#providedIndex?.close();
    await this.#backend.close();
    await this.#tempRoot.dispose();
    await this.#stateRoot.dispose();
  }

  #connect(transport: FrameTransport, credential: Credential): void {
    if (this.#closing !== undefined) transport.close(STOPPING);
    else this.#connections.add(new ClientConnection(transport, credential, this.#services, this.#commands));
  }
}

function routesOf(sessions: Sessions): SocketRoute[] {
  return sessions instanceof ClusterSessions ? [sessions.route] : [];
}
