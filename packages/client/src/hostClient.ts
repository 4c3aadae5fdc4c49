import {
  type BrowseDirectoryResult,
  type CreateSessionParams,
  capabilitiesOf,
  type DisposeSessionParams,
  type ForkSessionParams,
  type ListSessionsParams,
  type ListSessionsResult,
  type Notification,
  type ProtocolCapabilities,
  parseSessionUri,
  type Role,
  type RootState,
  type ServerInfo,
  type SharedSession,
  sessionUri,
  type URI,
} from '@agenthost/protocol';
import type { ActionParams, NotificationParams } from '@agenthost/protocol/internal';
import { type Disposable, Emitter, type RpcPeer } from '@agenthost/rpc';
import { scheduleWithTimer } from '@agenthost/rpc/internal';
import { CommandChannel, type CommandOptions } from './connection/commandChannel.js';
import { Connection, type ConnectionState, type ConnectionUser } from './connection/connection.js';
import { keepAlive } from './connection/keepAlive.js';
import { createWebSocketTransport } from './connection/webSocketTransport.js';
import { Devices } from './devices.js';
import { ClientClosedError } from './errors.js';
import { FilesClient } from './filesClient.js';
import type { HostClientOptions } from './hostClientOptions.js';
import { LoginClient } from './loginClient.js';
import { NativeClient } from './nativeClient.js';
import { firstValue, type Observable, type ReportError } from './observable.js';
import { HostPush } from './push.js';
import { ClientToolServer } from './session/clientTools.js';
import { type Content, type FetchContentOptions, fetchContent } from './session/content.js';
import { type ImportSessionOptions, importTurns } from './session/importSession.js';
import { SessionHandle } from './session/sessionHandle.js';
import type { CreateSessionFsHandler } from './sessionFs/sessionFsHandler.js';
import { SessionFsServer } from './sessionFs/sessionFsServer.js';
import { ChangesWatches } from './sync/changesWatches.js';
import { memoryClientSeq } from './sync/outbox.js';
import { StateSync } from './sync/stateSync.js';
import { SessionTerminals } from './terminals/sessionTerminals.js';
import { WebhookClient } from './webhookClient.js';
import { WorkClient } from './workClient.js';

/** What the host announces, and `client/listsStale`: announcements were missed, so what was listed before may be wrong. */
export type HostEvent = Notification | { readonly type: 'client/listsStale' };

interface WithSessionFs {
  /** Where this session's files are; needed when the client was made with `sessionFs`. */
  readonly createSessionFsHandler?: CreateSessionFsHandler;
}

export interface CreateSessionOptions extends Omit<CreateSessionParams, 'session' | 'provider'>, WithSessionFs {
  readonly provider: string;
  /** Random by default. */
  readonly session?: URI;
}

export interface ForkSessionOptions extends Omit<ForkSessionParams, 'session'>, WithSessionFs {
  /** Another agent, which the conversation is handed over to: it gets the turns as text with its first message. */
  readonly provider?: string;
  readonly session?: URI;
}

export interface OpenSessionOptions extends WithSessionFs {
  /** How many of the newest turns to begin with, where no other handle on this session is open. */
  readonly turns?: number;
}

const DEFAULT_COMMAND_TIMEOUT_MS = 30_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 15_000;
const DEFAULT_KEEP_ALIVE_MS = 20_000;
const DEFAULT_MAX_PENDING_ACTIONS = 1_000;
const DEFAULT_MAX_WAITING_COMMANDS = 100;

/**
 * The connection to one host, until it is closed. Lost connections are made again, and every action arrives exactly once.
 *
 * @example
 * ```ts
 * const host = await connect({ url, token });
 * const session = await host.createSession({ provider: 'shell', workingDirectory: 'file:///src/project' });
 * const { items } = await host.listSessions({ filter: { status: 'inputNeeded' } });
 * session.dispose();
 * host.close();
 * ```
 */
export class HostClient {
  readonly clientId: string;
  readonly root: { readonly state: Observable<RootState> };
  readonly connection: Observable<ConnectionState>;
  readonly push: HostPush;
  /** Addresses that the host tells of events, for its owner. */
  readonly webhooks: WebhookClient;
  /** The devices that may reach the host, for its owner. */
  readonly devices: Devices;
  /** Log-ins to agents; only for owners. */
  readonly logins: LoginClient;
  /** Conversations that were begun in a terminal. */
  readonly native: NativeClient;
  /** Changes of files in a session's folder, and the way back. */
  readonly work: WorkClient;
  /** The files of a session's folder. */
  readonly files: FilesClient;
  readonly #connection: Connection;
  readonly #commands: CommandChannel;
  readonly #sync: StateSync;
  readonly #keepAlive: Disposable;
  readonly #events: Emitter<HostEvent>;
  readonly #maxPendingActions: number;
  readonly #tools: ClientToolServer;
  /** There when this client keeps the sessions' files. */
  readonly #files: SessionFsServer | undefined;

  /** @internal `connect` and `createHostClient` make one. */
  constructor(options: HostClientOptions, retryFirst: boolean) {
    const { clientId = crypto.randomUUID(), schedule = scheduleWithTimer } = options;
    const reportError: ReportError = (error) => options.onError?.(error);
    const timeoutMs = options.commandTimeoutMs ?? DEFAULT_COMMAND_TIMEOUT_MS;
    const common = { clientId, random: options.random ?? Math.random, schedule, reportError };
    this.clientId = clientId;
    this.#files =
      options.sessionFs && new SessionFsServer(options.sessionFs, (warning) => reportError(new Error(warning)));
    this.#maxPendingActions = options.maxPendingActions ?? DEFAULT_MAX_PENDING_ACTIONS;
    this.#events = new Emitter(reportError);
    this.#connection = new Connection({
      ...common,
      transport: transportOf(options),
      retryFirst,
      connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
      requestTimeoutMs: timeoutMs,
    });
    this.#commands = new CommandChannel({
      connection: this.#connection,
      timeoutMs,
      maxWaiting: options.maxWaitingCommands ?? DEFAULT_MAX_WAITING_COMMANDS,
      schedule,
    });
    this.#tools = new ClientToolServer(this.#commands, schedule, reportError);
    this.push = new HostPush(this.#commands);
    this.native = new NativeClient(this.#commands);
    const watches = new ChangesWatches(this.#commands, this.#connection, reportError);
    this.work = new WorkClient(this.#commands, watches);
    this.files = new FilesClient(this.#commands);
    this.devices = new Devices(this.#commands);
    this.webhooks = new WebhookClient(this.#commands);
    this.#sync = new StateSync({
      ...common,
      clientInfo: options.clientInfo,
      watch: options.watch,
      clientSeq: options.clientSeq ?? memoryClientSeq(),
      connection: this.#connection,
      commands: this.#commands,
    });
    this.root = { state: this.#sync.root.state };

    this.connection = this.#connection.state;
    this.logins = new LoginClient(this.#commands, this.connection, (listener) => this.onNotification(listener));
    this.#keepAlive = keepAlive(this.#connection, options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS, schedule);
    this.#followConnection();
    this.#connection.start({ listen: (peer) => this.#listen(peer), handshake: (peer) => this.#handshake(peer) });
  }

  /** Of the host that this client is, or was last, connected to. */
  get serverInfo(): ServerInfo | undefined {
    return this.#connection.host?.serverInfo;
  }

  /** Where the host suggests that new sessions work; a `file:` URI. */
  get defaultDirectory(): URI | undefined {
    return this.#connection.host?.defaultDirectory;
  }

  /** What the host lets this client do; it refuses the rest. An older host lets it do everything. */
  get role(): Role {
    return this.#connection.host?.role ?? 'owner';
  }

  /** The one session that this client can see, where it came with a read-only link. */
  get shared(): SharedSession | undefined {
    return this.#connection.host?.shared;
  }

  get capabilities(): ProtocolCapabilities {
    return capabilitiesOf(this.#connection.protocolVersion);
  }

  /** Resolves when there is a connection; rejects when there will be none. */
  async connected(signal?: AbortSignal): Promise<void> {
    const wanted = (current: ConnectionState) => {
      if (current.state === 'closed') throw current.reason;
      return current.state === 'connected';
    };
    await firstValue(this.connection, wanted, signal);
  }

  /** Ends the wait for the next attempt: to connect, or to get sessions that the host could not load. */
  retryNow(): void {
    this.#connection.retryNow();
    this.#sync.retryNow();
  }

  /** Everything that the host has not answered yet rejects. */
  close(): void {
    this.#connection.close(new ClientClosedError());
  }

  /** The same as `close`. */
  dispose(): void {
    this.close();
  }

  onNotification(listener: (event: HostEvent) => void): Disposable {
    return this.#events.event(listener);
  }

  /** Resolves when the host has accepted it and its state has arrived; `session.ready()` waits until its agent runs. */
  async createSession({ session, createSessionFsHandler, ...options }: CreateSessionOptions): Promise<SessionHandle> {
    const uri = session ?? sessionUri(options.provider, crypto.randomUUID());
    this.#files?.add(uri, createSessionFsHandler);
    return this.#openNew(uri, this.#commands.request('createSession', { ...options, session: uri }));
  }

  /** A new session that begins with the turns of another one. */
  async forkSession(wanted: ForkSessionOptions): Promise<SessionHandle> {
    const { session, provider, createSessionFsHandler, ...options } = wanted;
    const agent = provider ?? parseSessionUri(options.source)?.provider ?? '';
    const uri = session ?? sessionUri(agent, crypto.randomUUID());
    this.#files?.add(uri, createSessionFsHandler);
    return this.#openNew(uri, this.#commands.request('forkSession', { ...options, session: uri }));
  }

  /** A new session with turns that happened elsewhere, oldest first; they are sent as they come, in pieces that fit. */
  async importSession({ turns, content, session, ...options }: ImportSessionOptions): Promise<SessionHandle> {
    const uri = session ?? sessionUri(options.provider, crypto.randomUUID());
    await importTurns(this.#commands, { ...options, session: uri }, { turns, ...(content && { content }) });
    return this.openSession(uri);
  }

  /** Rejects with a SessionGoneError when the host has no such session. */
  async openSession(uri: URI, { turns, createSessionFsHandler }: OpenSessionOptions = {}): Promise<SessionHandle> {
    this.#files?.add(uri, createSessionFsHandler);
    const shared = await this.#sync.sessions.acquire(uri, turns);
    return new SessionHandle(shared, {
      connection: this.#connection,
      commands: this.#commands,
      sync: this.#sync,
      tools: this.#tools,
      maxPendingActions: this.#maxPendingActions,
      terminals: this.terminalsOf(uri),
    });
  }

  /** The terminals of a session, for a program that needs no handle on it. */
  terminalsOf(session: URI): SessionTerminals {
    const listen = (listener: (event: HostEvent) => void) => this.onNotification(listener);
    return new SessionTerminals(session, { commands: this.#commands, connection: this.connection, listen });
  }

  /**
   * Deletes a session with all its files. `worktree` says what becomes of work that only its own worktree has: it is kept unless it is
   * `discard`. With `ask` the session is not deleted where there is such work: the error's `data.code` is `unmergedWork`.
   * `agentCopy: 'delete'` also deletes the conversation in the agent's own store. Where that fails, the session is kept, and the
   * error's `data.code` is `agentCopyKept`.
   *
   * @example
   * ```ts
   * await host.disposeSession(session.uri, { worktree: 'discard' });
   * ```
   */
  async disposeSession(session: URI, options: Omit<DisposeSessionParams, 'session'> = {}): Promise<void> {
    await this.#commands.request('disposeSession', { session, ...options });
  }

  listSessions(params: ListSessionsParams = {}, options?: CommandOptions): Promise<ListSessionsResult> {
    return this.#commands.request('listSessions', params, options);
  }

  fetchContent(uri: URI, options: FetchContentOptions = {}): Promise<Content> {
    return fetchContent(this.#commands, uri, options);
  }

  /** With `provider`, the result also says what a user would have to trust before sessions of that agent work there; with `branches`, its branches. */
  browseDirectory(
    uri: URI,
    { provider, branches, ...options }: CommandOptions & { readonly provider?: string; readonly branches?: true } = {},
  ): Promise<BrowseDirectoryResult> {
    const asked = { ...(provider !== undefined && { provider }), ...(branches && { branches }) };
    return this.#commands.request('browseDirectory', { uri, ...asked }, options);
  }

  /** Resolves when the installation has begun; `notify/progress` and `root.state` report the rest. */
  async installAgent(provider: string, options?: CommandOptions): Promise<void> {
    await this.#commands.request('installAgent', { provider }, options);
  }

  async removeAgent(provider: string, options?: CommandOptions): Promise<void> {
    await this.#commands.request('removeAgent', { provider }, options);
  }

  /** Installs the newer version of an agent that its `availability` names. Resolves when that has begun, like `installAgent`. */
  async updateAgent(provider: string, options?: CommandOptions): Promise<void> {
    await this.#commands.request('updateAgent', { provider }, options);
  }

  /** Ends an installation or an update that runs; the version that was there before stays. Resolves when no process of it is left. */
  async cancelInstall(provider: string, options?: CommandOptions): Promise<void> {
    await this.#commands.request('cancelInstall', { provider }, options);
  }

  async ping(options?: CommandOptions): Promise<void> {
    await this.#commands.request('ping', {}, options);
  }

  /** Both requests go out together; the second one fails with the first, whose error is thrown. */
  async #openNew(uri: URI, created: Promise<unknown>): Promise<SessionHandle> {
    const [creation, opening] = await Promise.allSettled([created, this.openSession(uri)]);
    if (creation.status === 'rejected') {
      if (opening.status === 'fulfilled') opening.value.dispose();
      throw creation.reason;
    }
    if (opening.status === 'rejected') throw opening.reason;
    if (opening.value.gone.value === undefined) return opening.value;
    // That was a handle on the session that had this URI before.
    opening.value.dispose();
    return this.openSession(uri);
  }

  /**
   * Looks only at what this client itself relies on: the reducers cope with anything else, and the host has checked what it
   * passes on.
   */
  #listen(peer: RpcPeer): void {
    this.#tools.listen(peer);
    peer.onNotification('action', {
      parse: (params) => {
        const { envelope } = (params ?? {}) as Partial<ActionParams>;
        if (!Number.isSafeInteger(envelope?.serverSeq) || typeof envelope?.action?.type !== 'string') {
          throw new TypeError('not an envelope');
        }
        return envelope;
      },
      handle: (envelope) => {
        if (envelope.action.type === 'changes/changed') this.work.receive(envelope.action, envelope.serverSeq);
        else this.#sync.receive(envelope);
      },
    });
    peer.onNotification('notification', {
      parse: (params) => {
        const { notification } = (params ?? {}) as Partial<NotificationParams>;
        if (typeof notification?.type !== 'string') throw new TypeError('not a notification');
        return notification;
      },
      handle: (notification) => {
        if (notification.type === 'notify/sessionRemoved') {
          this.#sync.markGone(notification.session);
          this.#files?.remove(notification.session);
        }
        this.#events.fire(notification);
      },
    });
  }

  async #handshake(peer: RpcPeer): ReturnType<ConnectionUser['handshake']> {
    const done = await this.#sync.handshake(peer);
    await this.#files?.offer(peer);
    this.#tools.offerAgain(peer, done.host.protocolVersion);
    return done;
  }

  #followConnection(): void {
    let wasConnected = false;
    this.connection.subscribe((current) => {
      if (current.state === 'closed') {
        this.#keepAlive.dispose();
        this.#tools.close();
        this.#sync.failPending(current.reason);
      }
      if (current.state !== 'connected') return;
      if (wasConnected) this.#events.fire({ type: 'client/listsStale' });
      wasConnected = true;
    });
  }
}

function transportOf(options: HostClientOptions): (signal: AbortSignal) => ReturnType<typeof createWebSocketTransport> {
  if (options.transport !== undefined) return options.transport;
  const { url, token, sessionFs } = options;
  return (signal) => createWebSocketTransport({ url, token, signal, keepsFiles: sessionFs !== undefined });
}
