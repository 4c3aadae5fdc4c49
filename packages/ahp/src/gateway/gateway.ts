import { connect } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import type { Disposable, Schedule, Transport } from '@agenthost/rpc';
import { scheduleWithTimer } from '@agenthost/rpc/internal';
import type { AhpAction } from '../types.js';
import type { SpokenVersion } from '../versions.js';
import { AhpClient, type Place } from './ahpClient.js';
import { AhpConnection } from './connection.js';
import { type AhpLimits, DEFAULT_AHP_LIMITS } from './limits.js';
import { isToldTo } from './localRoles.js';
import { LocalState } from './localState.js';
import { rememberingSeq } from './seqMemory.js';
import type { Echo } from './sessionLink.js';

export interface AhpLog {
  debug(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

/** The credential that a client was admitted with. */
export interface AhpCredential {
  readonly credentialId: string;
  /** Opens a new connection to our host, with the rights of that credential. */
  readonly openHost: () => Promise<Transport> | Transport;
}

export interface AhpGatewayOptions {
  readonly log: AhpLog;
  readonly limits?: Partial<AhpLimits>;
  readonly schedule?: Schedule;
  /** The first number of an envelope. It rises from one start of the gateway to the next, so that no client has seen a later one. */
  readonly firstSeq?: number;
}

export interface ClientIdentity {
  readonly clientId: string;
  readonly name: string;
  readonly spoken: SpokenVersion;
  /** The client names all sessions `ahp-session:/<id>`, including those that others made. */
  readonly wantsSpecifiedNames: boolean;
}

const MAX_WARNINGS = 100;

const CLOSE_GOING_AWAY = 1001;
const CLOSE_POLICY = 1008;
const CLOSE_TRY_LATER = 1013;

/**
 * Speaks the public Agent Host Protocol in front of one host. Stores nothing: what it holds ends with it.
 *
 * @example
 * ```ts
 * import type { Host } from '@agenthost/host';
 * import { createMemoryTransportPair, type Transport } from '@agenthost/rpc';
 *
 * declare const host: Host;
 * declare const socket: Transport;
 *
 * const gateway = new AhpGateway({ log: console });
 * const openHost = () => {
 *   const { a, b } = createMemoryTransportPair();
 *   host.attach(b);
 *   return a;
 * };
 * gateway.accept(socket, { credentialId: 'owner', openHost });
 * ```
 */
export class AhpGateway {
  /** @internal */
  readonly limits: AhpLimits;
  /** @internal */
  readonly log: AhpLog;
  /** @internal */
  readonly local: LocalState;
  readonly #schedule: Schedule;
  readonly #connections = new Set<AhpConnection>();
  readonly #warned = new Set<string>();
  readonly #clients = new Set<AhpClient>();
  /** Clients without a socket, with their timeouts, in the order in which they left. */
  readonly #away = new Map<AhpClient, Disposable[]>();
  #seq: number;
  #isClosed = false;

  constructor(options: AhpGatewayOptions) {
    this.limits = { ...DEFAULT_AHP_LIMITS, ...options.limits };
    this.log = options.log;
    this.local = new LocalState(this.limits);
    this.#schedule = options.schedule ?? scheduleWithTimer;
    this.#seq = options.firstSeq ?? Date.now() * 1_000;
  }

  /** @internal */
  get currentSeq(): number {
    return this.#seq;
  }

  /** @internal For what a client can cause as often as it likes: the first time each, and of a few kinds only. */
  warnOnce(message: string): void {
    if (this.#warned.has(message) || this.#warned.size >= MAX_WARNINGS) {
      this.log.debug(message);
      return;
    }
    this.#warned.add(message);
    this.log.warn(message);
  }

  /** Accepts a socket whose credential was checked. */
  accept(transport: Transport, credential: AhpCredential): void {
    if (this.#isClosed || this.#isFull(credential)) {
      transport.close({ code: CLOSE_TRY_LATER, message: 'too many connections: close one, or try again later' });
      return;
    }
    const connection = new AhpConnection(transport, credential, this);
    this.#connections.add(connection);
    connection.onClose(() => this.#connections.delete(connection));
  }

  /** @internal A new client. */
  async createClient(identity: ClientIdentity, { credentialId, openHost }: AhpCredential): Promise<AhpClient> {
    const seq = rememberingSeq();
    const host = await connect({
      transport: async () => openHost(),
      clientInfo: { name: identity.name },
      clientSeq: seq,
      keepAliveMs: 0,
      onError: (error) => this.log.debug(`AHP: ${String(error)}`),
    });
    const client = new AhpClient({
      clientId: identity.clientId,
      credentialId,
      spoken: identity.spoken,
      wantsSpecifiedNames: identity.wantsSpecifiedNames,
      host,
      lastSent: () => seq.last,
      local: this.local,
      nextSeq: () => ++this.#seq,
      currentSeq: () => this.#seq,
      broadcast: (place, action, from, echo) => this.#broadcast(place, action, from, echo),
      limits: this.limits,
      schedule: this.#schedule,
    });
    this.#clients.add(client);
    host.connection.subscribe(({ state }) => {
      if (state === 'closed') this.#shutOut(client);
    });
    return client;
  }

  /** @internal Those of this name that come from the same place. A client may have several sockets, and then there are several of it. */
  clientsNamed(clientId: string, { credentialId }: Pick<AhpCredential, 'credentialId'>): AhpClient[] {
    return [...this.#clients].filter((client) => client.clientId === clientId && client.credentialId === credentialId);
  }

  /** @internal It has a socket again, which is told nothing before the answer to its handshake. */
  hold(client: AhpClient, connection: AhpConnection): void {
    for (const timer of this.#away.get(client) ?? []) timer.dispose();
    this.#away.delete(client);
    client.outlet.use(connection);
  }

  /** @internal In the turn in which the answer is sent. */
  attach(client: AhpClient, connection: AhpConnection): void {
    client.outlet.open(connection);
  }

  /** @internal Its socket is gone; it may come back for a while. */
  detach(client: AhpClient, connection: AhpConnection): void {
    if (client.outlet.socket !== connection) return;
    client.outlet.use(undefined);
    if (!this.#clients.has(client)) return;
    const leave = () => {
      for (const session of this.local.sessionsOf(client)) {
        if (!this.#isElsewhere(client)) client.leaveSession(session);
      }
    };
    this.#away.set(client, [
      this.#schedule(leave, this.limits.activeClientMs),
      this.#schedule(() => this.#end(client), this.limits.awayMs),
    ]);
    const [first] = this.#away.keys();
    if (this.#away.size > this.limits.maxAwayClients && first) this.#end(first);
  }

  dispose(): void {
    this.#isClosed = true;
    for (const connection of this.#connections) connection.close('the gateway stops', CLOSE_GOING_AWAY);
    for (const timers of this.#away.values()) for (const timer of timers) timer.dispose();
    this.#away.clear();
    for (const client of this.#clients) client.dispose();
    this.#clients.clear();
  }

  #isFull({ credentialId }: AhpCredential): boolean {
    const { maxConnections, maxConnectionsPerToken } = this.limits;
    const own = [...this.#connections].filter((connection) => connection.credentialId === credentialId);
    return this.#connections.size >= maxConnections || own.length >= maxConnectionsPerToken;
  }

  #isElsewhere(client: AhpClient): boolean {
    return this.clientsNamed(client.clientId, client).some(({ outlet }) => outlet.socket !== undefined);
  }

  #broadcast(place: Place, action: AhpAction, from: AhpClient, echo: Echo | undefined): void {
    for (const client of this.#clients) {
      if (isToldTo(client, action, from)) client.emit(place, action, client === from ? echo : undefined);
    }
  }

  /** Another client watches the session, possibly the same window with a new socket: then it belongs to that one. */
  #inherits(session: URI): boolean {
    const heir = [...this.#clients].find((client) => client.looksAt(session));
    heir?.sessions.made.add(session);
    return heir !== undefined;
  }

  /** The host has ended its connection for good, e.g. because its token was revoked. */
  #shutOut(client: AhpClient): void {
    if (!this.#clients.has(client)) return;
    const { socket } = client.outlet;
    this.#end(client);
    socket?.close('the host has ended this connection: the token may have been revoked', CLOSE_POLICY);
  }

  /** Removes it for good, with its unused sessions. */
  #end(client: AhpClient): void {
    for (const timer of this.#away.get(client) ?? []) timer.dispose();
    this.#away.delete(client);
    this.#clients.delete(client);
    if (!this.#isElsewhere(client)) for (const session of this.local.sessionsOf(client)) client.leaveSession(session);
    const unused = [...client.sessions.made].filter((session) => !this.#inherits(session));
    void Promise.allSettled(unused.map((session) => client.host.disposeSession(session))).then(() => client.dispose());
  }
}
