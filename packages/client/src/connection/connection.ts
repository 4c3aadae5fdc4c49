import {
  type ClientNotifications,
  PROTOCOL_VERSION,
  type Role,
  type ServerInfo,
  type SharedSession,
  type URI,
} from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import {
  type CloseReason,
  ConnectionClosedError,
  type Disposable,
  RpcPeer,
  type Schedule,
  type Transport,
} from '@agenthost/rpc';
import {
  ClientClosedError,
  ClientError,
  closeError,
  HostUnreachableError,
  OriginRefusedError,
  ReplacedError,
  SessionFsRefusedError,
  UnauthorizedError,
  UnsupportedVersionError,
} from '../errors.js';
import { type Observable, ObservableValue, type ReportError } from '../observable.js';
import { backoffDelay } from './backoff.js';
import { onWake } from './keepAlive.js';

export type ConnectionState =
  | { readonly state: 'connecting' }
  | { readonly state: 'connected' }
  /** `at` is when that attempt begins, in milliseconds since 1970; in the past while it is being made. */
  | { readonly state: 'reconnecting'; readonly attempt: number; readonly at: number }
  | { readonly state: 'closed'; readonly reason: ClientError };

/** Makes a new transport for each attempt. Should give up when the signal aborts; what it yields later is closed. */
export type TransportFactory = (signal: AbortSignal) => Promise<Transport>;

/** What the host said of itself in the handshake. */
export interface HostIdentity {
  readonly protocolVersion: number;
  readonly serverInfo: ServerInfo;
  readonly role?: Role | undefined;
  readonly shared?: SharedSession | undefined;
  readonly defaultDirectory?: URI | undefined;
}

/** What makes a new connection useful. */
export interface ConnectionUser {
  /** Called in the turn in which the peer is made, so that its handlers miss nothing. */
  listen(peer: RpcPeer): void;
  /**
   * Asks the host for what is needed and changes nothing yet. `commit` is called in the very turn in which the peer becomes the
   * current one, so that nothing that is sent meanwhile can fall between the two.
   */
  handshake(peer: RpcPeer): Promise<{ readonly host: HostIdentity; readonly commit: () => void }>;
}

export interface ConnectionOptions {
  readonly clientId: string;
  readonly transport: TransportFactory;
  /** Whether a first attempt that failed is followed by others. */
  readonly retryFirst: boolean;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly random: () => number;
  readonly schedule: Schedule;
  readonly reportError: ReportError;
}

/** A connection that lived shorter than this doesn't count as a success, lest a host that hangs up be called in a tight loop. */
const STABLE_MS = 5_000;
/** As far as the pause grows after such connections: the host is there. Sessions that go from host to host cut their clients off. */
const MAX_SHORT_ATTEMPT = 5;

/**
 * What the host sends may be larger than what it takes: a snapshot or a replay is one frame. A client that refused it would
 * come back, be sent the same again, and never get further.
 */
const HOST_FRAME_LIMITS = { maxFrameBytes: 256 * 1024 * 1024, maxDepth: 128 } as const;

/** Keeps one connection to the host up, until it is closed or the host says something that another attempt can't change. */
export class Connection {
  readonly state: Observable<ConnectionState>;
  readonly #state: ObservableValue<ConnectionState>;
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  readonly #wake: Disposable;
  /** Also while it shakes hands. */
  #newest: RpcPeer | undefined;
  #peer: RpcPeer | undefined;
  #host: HostIdentity | undefined;
  #skipPause: (() => void) | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.#state = new ObservableValue<ConnectionState>({ state: 'connecting' }, options.reportError);
    this.state = this.#state;
    this.#wake = onWake(() => this.retryNow());
  }

  /** Connects, and goes on until the close. */
  start(user: ConnectionUser): void {
    void this.#run(user);
  }

  /** The host that this is, or was last, connected to. */
  get host(): HostIdentity | undefined {
    return this.#host;
  }

  /** The version that both sides speak; before the first handshake our own. */
  get protocolVersion(): number {
    return this.#host?.protocolVersion ?? PROTOCOL_VERSION;
  }

  /** The peer after its handshake, while its connection is open. */
  get peer(): RpcPeer | undefined {
    return this.#peer?.closeReason === undefined ? this.#peer : undefined;
  }

  /** Answers whether there was a connection to send it on. */
  notify<M extends keyof ClientNotifications>(method: M, params: ClientNotifications[M]): boolean {
    const { peer } = this;
    peer?.notify(method, params);
    return peer !== undefined;
  }

  /** Ends the wait for the next attempt, if it is waiting. */
  retryNow(): void {
    this.#skipPause?.();
  }

  /** Gives up the present connection, but not the host: another one is made. */
  drop(message: string): void {
    this.#newest?.close({ message });
  }

  close(reason: ClientError = new ClientClosedError()): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(reason);
    this.#wake.dispose();
    this.#skipPause?.();
    this.#peer?.dispose();
    this.#peer = undefined;
    this.#state.set({ state: 'closed', reason });
  }

  async #run(user: ConnectionUser): Promise<void> {
    let attempt = 0;
    let mayRetry = this.#options.retryFirst;
    while (!this.#closing.signal.aborted) {
      const outcome = await this.#connectOnce(user);
      if (outcome.connectedFor >= STABLE_MS) attempt = 0;
      if (outcome.connectedFor >= 0) {
        mayRetry = true;
        attempt = Math.min(attempt, MAX_SHORT_ATTEMPT - 1);
      }
      if (!mayRetry || isFinal(outcome.error)) this.close(outcome.error);
      else if (!this.#closing.signal.aborted) await this.#pause(++attempt);
    }
  }

  /** Returns when the attempt has failed, or its connection has ended. */
  async #connectOnce(user: ConnectionUser): Promise<{ readonly error: ClientError; readonly connectedFor: number }> {
    let connectedAt: number | undefined;
    try {
      const peer = await this.#establish(user);
      connectedAt = performance.now();
      const reason = await new Promise<CloseReason>((resolve) => peer.onClose(resolve));
      throw new ConnectionClosedError(reason);
    } catch (error) {
      return {
        error: connectError(error, this.#options.clientId),
        connectedFor: connectedAt === undefined ? -1 : performance.now() - connectedAt,
      };
    }
  }

  async #establish(user: ConnectionUser): Promise<RpcPeer> {
    const { connectTimeoutMs, schedule } = this.#options;
    const attempt = new AbortController();
    const late = () => attempt.abort(new HostUnreachableError(`no connection within ${connectTimeoutMs} ms`));
    const timer = schedule(late, connectTimeoutMs);
    const signal = AbortSignal.any([attempt.signal, this.#closing.signal]);
    try {
      const transport = await this.#openTransport(signal);
      const peer = new RpcPeer(transport, {
        ...HOST_FRAME_LIMITS,
        requestTimeoutMs: this.#options.requestTimeoutMs,
        onError: this.#options.reportError,
      });
      signal.addEventListener('abort', () => peer.close({ message: 'given up' }));
      this.#newest = peer;
      user.listen(peer);
      const { host, commit } = await user.handshake(peer).catch((error) => {
        peer.dispose();
        throw signal.aborted ? signal.reason : error;
      });
      if (peer.closeReason !== undefined) throw new ConnectionClosedError(peer.closeReason);
      this.#peer = peer;
      this.#host = host;
      commit();
      this.#state.set({ state: 'connected' });
      return peer;
    } finally {
      timer.dispose();
    }
  }

  async #openTransport(signal: AbortSignal): Promise<Transport> {
    signal.throwIfAborted();
    const opening = Promise.resolve().then(() => this.#options.transport(signal));
    let giveUp: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      giveUp = () => reject(signal.reason);
      signal.addEventListener('abort', giveUp);
    });
    try {
      return await Promise.race([opening, aborted]);
    } catch (error) {
      opening.then(
        (transport) => transport.close(),
        () => undefined,
      );
      throw error;
    } finally {
      if (giveUp) signal.removeEventListener('abort', giveUp);
    }
  }

  async #pause(attempt: number): Promise<void> {
    const delay = backoffDelay(attempt, this.#options.random);
    const over = new Promise<void>((resolve) => {
      const timer = this.#options.schedule(resolve, delay);
      this.#skipPause = () => {
        timer.dispose();
        resolve();
      };
    });
    this.#state.set({ state: 'reconnecting', attempt, at: Date.now() + delay });
    await over;
    this.#skipPause = undefined;
  }
}

function isFinal(error: ClientError): boolean {
  const final = [UnauthorizedError, OriginRefusedError, UnsupportedVersionError, ReplacedError, SessionFsRefusedError];
  return final.some((kind) => error instanceof kind);
}

function connectError(error: unknown, clientId: string): ClientError {
  if (error instanceof ClientError) return error;
  if (error instanceof ConnectionClosedError) {
    return closeError(error.reason, clientId) ?? new HostUnreachableError(error.reason.message, { cause: error });
  }
  return new HostUnreachableError(errorMessage(error), { cause: error });
}
