/**
 * A fake: the real host lives in another package and would be a circular dependency; the end-to-end suite runs the client
 * against that one. This one speaks the real protocol through a real RpcPeer with the real reducers and schemas, orders
 * actions, replays, refuses and counts, and can be told to misbehave. It has no agents: tests dispatch what one would.
 */
import {
  type Action,
  type ActionEnvelope,
  type ClientAction,
  type Commands,
  createRootState,
  createSessionState,
  DEFAULT_SNAPSHOT_TURNS,
  ERROR_CODE,
  type Notification,
  ROOT_URI,
  type RootState,
  rootReducer,
  type SessionAction,
  type SessionState,
  type Snapshot,
  sessionReducer,
  type Turn,
  type URI,
} from '@agenthost/protocol';
import { type ReconnectResult, withNewestTurns } from '@agenthost/protocol/internal';
import { COMMAND_SCHEMAS, SCHEMAS } from '@agenthost/protocol/schemas';
import {
  type CloseReason,
  createMemoryTransportPair,
  type Link,
  RpcError,
  RpcPeer,
  type Transport,
} from '@agenthost/rpc';
import { rejectionOf } from './rejectionOf.js';

interface HostedSession {
  state: SessionState;
  readonly accepted: Map<string, number>;
  readonly each: Map<string, number[]>;
  /** By client and number: what it was accepted as. */
  readonly echoes: Map<string, ActionEnvelope>;
}

interface Seat {
  readonly peer: RpcPeer;
  readonly subscriptions: Set<URI>;
  clientId: string | undefined;
}

type Handlers = { readonly [M in keyof Commands]?: (seat: Seat, params: Commands[M]['params']) => unknown };

export type HostInput<A = SessionAction> = A extends SessionAction ? Omit<A, 'session' | 'at'> : never;

export class FakeHost {
  readonly sessions = new Map<URI, HostedSession>();
  /** Every request and notification that arrived. */
  readonly received: { readonly method: string; readonly params: unknown }[] = [];
  root: RootState = createRootState();
  serverSeq = 100;
  instanceId = 'first';
  protocolVersion = 1;
  connectionsMade = 0;
  /** Set: attempts to connect fail with it. */
  unreachable: Error | undefined;
  /** Set: every connection is closed with it at once. */
  closeWith: CloseReason | undefined;
  /** Set: these commands are answered with it. */
  readonly refuse = new Map<string, RpcError>();
  /** These commands are not answered at all. */
  readonly silent = new Set<string>();
  /** Called right behind the answer to a command. */
  onAnswered: ((method: string) => void) | undefined;
  /** Nothing leaves the host any more. */
  mute = false;
  /** Nothing that arrives is looked at any more. */
  deaf = false;
  link: Link | undefined;
  /** Of new sessions. */
  lifecycle: SessionState['lifecycle'] = 'creating';
  readonly #seats = new Set<Seat>();
  readonly #known = new Set<string>();
  #log: ActionEnvelope[] = [];
  #oldestReplay = 0;
  #clock = 1_000_000;

  /** The factory to give to `connect`. */
  readonly transport = async (): Promise<Transport> => {
    this.connectionsMade++;
    if (this.unreachable) throw this.unreachable;
    const { a, b } = createMemoryTransportPair(this.#linkOptions());
    this.#seat(b);
    if (this.closeWith) b.close(this.closeWith);
    return a;
  };

  stateOf(uri: URI): SessionState {
    return this.#session(uri).state;
  }

  addSession(uri: URI, state: Partial<SessionState> = {}): SessionState {
    const created = createSessionState({ resource: uri, provider: 'shell', createdAt: ++this.#clock });
    const session = {
      state: { ...created, lifecycle: 'ready' as const, ...state },
      accepted: new Map(),
      each: new Map(),
      echoes: new Map(),
    };
    this.sessions.set(uri, session);
    return session.state;
  }

  removeSession(uri: URI): void {
    this.sessions.delete(uri);
    for (const seat of this.#seats) seat.subscriptions.delete(uri);
    this.notify({ type: 'notify/sessionRemoved', session: uri });
  }

  /** What an agent would bring about. */
  dispatch(session: URI, input: HostInput): void {
    this.#order({ ...input, session, at: ++this.#clock } as SessionAction, undefined);
  }

  changeAgents(agents: RootState['agents']): void {
    this.#order({ type: 'root/agentsChanged', agents }, undefined);
  }

  notify(notification: Notification): void {
    for (const seat of this.#seats) this.#send(seat, 'notification', { notification });
  }

  /** Breaks every connection. */
  drop(reason: CloseReason = { code: 1006, message: 'the cable was cut' }): void {
    for (const seat of [...this.#seats]) seat.peer.close(reason);
    this.mute = false;
    this.deaf = false;
  }

  /** Sessions and numbers survive, the replay buffer and the connections don't. */
  restart(instanceId = 'second'): void {
    this.drop();
    this.instanceId = instanceId;
    this.#log = [];
    this.#known.clear();
    this.serverSeq += 1_000;
  }

  /** What is asked for from now on is beyond the replay buffer. */
  forgetReplay(): void {
    this.#oldestReplay = this.serverSeq + 1;
  }

  subscribers(uri: URI): number {
    return [...this.#seats].filter((seat) => seat.subscriptions.has(uri)).length;
  }

  requests(method: string): readonly unknown[] {
    return this.received.filter((message) => message.method === method).map(({ params }) => params);
  }

  sendRaw(envelope: ActionEnvelope): void {
    for (const seat of this.#seats) this.#send(seat, 'action', { envelope });
  }

  #linkOptions(): { link?: Link } {
    return this.link ? { link: this.link } : {};
  }

  #seat(transport: Transport): void {
    const peer = new RpcPeer(transport);
    const seat: Seat = { peer, subscriptions: new Set(), clientId: undefined };
    this.#seats.add(seat);
    peer.onClose(() => this.#seats.delete(seat));
    for (const method of Object.keys(COMMAND_SCHEMAS) as (keyof Commands)[]) {
      peer.onRequest(method, {
        parse: (params) => COMMAND_SCHEMAS[method].params.parse(params),
        handle: (params) => this.#answer(seat, method, params),
      });
    }
    peer.onNotification('unsubscribe', {
      parse: (params) => SCHEMAS.UnsubscribeParams.parse(params),
      handle: (params) => {
        this.received.push({ method: 'unsubscribe', params });
        seat.subscriptions.delete(params.resource);
      },
    });
    peer.onNotification('dispatchAction', {
      parse: (params) => SCHEMAS.DispatchActionParams.parse(params),
      handle: ({ clientSeq, action }) => this.#receive(seat, clientSeq, action),
    });
  }

  #answer(seat: Seat, method: keyof Commands, params: unknown): unknown {
    if (this.deaf || this.silent.has(method)) return new Promise(() => {});
    this.received.push({ method, params });
    const refusal = this.refuse.get(method);
    if (refusal) throw refusal;
    if (seat.clientId === undefined && !['initialize', 'reconnect', 'ping'].includes(method)) {
      throw new RpcError(ERROR_CODE.invalidRequest, 'initialize first');
    }
    const handler = this.#handlers[method] as ((seat: Seat, params: unknown) => unknown) | undefined;
    if (!handler) throw new RpcError(ERROR_CODE.methodNotFound, `no ${method} in the fake`);
    const result = handler(seat, params);
    queueMicrotask(() => this.onAnswered?.(method));
    return this.mute ? new Promise(() => {}) : result;
  }

  readonly #handlers: Handlers = {
    initialize: (seat, { clientId, initialSubscriptions = [] }) => {
      this.#sit(seat, clientId);
      for (const uri of initialSubscriptions) seat.subscriptions.add(uri);
      return {
        protocolVersion: this.protocolVersion,
        serverSeq: this.serverSeq,
        snapshots: initialSubscriptions.map((uri) => this.#snapshot(uri)),
        capabilities: { sessions: true, tools: true, permissions: true },
        serverInfo: this.#serverInfo(),
        defaultDirectory: 'file:///home/someone',
      };
    },
    reconnect: (seat, params) => this.#resume(seat, params),
    subscribe: (seat, { resource, turns }) => {
      const snapshot = this.#snapshot(resource, turns, seat.clientId);
      seat.subscriptions.add(resource);
      return snapshot;
    },
    createSession: (_, { session, workingDirectory }) => {
      if (this.sessions.has(session)) throw new RpcError(ERROR_CODE.sessionAlreadyExists, 'it exists');
      const state = this.addSession(session, { lifecycle: this.lifecycle });
      const summary = { ...state.summary, ...(workingDirectory !== undefined && { workingDirectory }) };
      this.#session(session).state = { ...state, summary };
      this.notify({ type: 'notify/sessionAdded', summary });
      return null;
    },
    forkSession: (_, { source, session }) => {
      const { turns } = this.stateOf(source);
      this.addSession(session, { turns });
      return null;
    },
    disposeSession: (_, { session }) => {
      this.removeSession(session);
      return null;
    },
    listSessions: () => {
      const items = [...this.sessions.values()].map(({ state }) => state.summary);
      return { items, total: items.length };
    },
    fetchTurns: (_, { session, range: { before, limit } }) => {
      const turns = this.stateOf(session).turns;
      const end = before === undefined ? turns.length : turns.findIndex((turn) => turn.id === before);
      if (end < 0) throw new RpcError(ERROR_CODE.notFound, 'unknown turn');
      const start = Math.max(0, end - limit);
      return { turns: turns.slice(start, end), hasMore: start > 0 };
    },
    installAgent: () => null,
    removeAgent: () => null,
    listDevices: () => ({ items: [] }),
    updateAgent: () => null,
    cancelInstall: () => null,
    beginLogin: () => ({ login: 'login-1' }),
    sendToLogin: () => null,
    endLogin: () => null,
    checkLogin: () => ({ login: { state: 'ready' } }),
    setAgentKey: () => ({ isChecked: true }),
    logOutAgent: () => null,
    listNativeSessions: () => ({ items: [], total: 0 }),
    fetchNativeTurns: () => ({ turns: [], hasMore: false }),
    continueNativeSession: () => null,
    browseDirectory: (_, { uri }) => ({ entries: [{ name: 'src', type: 'directory', uri: `${uri}/src` }] }),
    fetchContent: (_, { range = { offset: 0, length: 1 } }) => {
      const bytes = this.content.slice(range.offset, range.offset + range.length);
      const data = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
      return { data, encoding: 'base64', mimeType: 'text/plain', size: this.content.length };
    },
    ping: () => ({}),
  };

  content = new Uint8Array();

  /** Older hosts say nothing to an action that they have accepted before. */
  answersRepeats = true;

  /** Older hosts tell the highest alone. */
  tellsEachAccepted = false;

  #serverInfo() {
    return { name: 'fake', version: '0', instanceId: this.instanceId };
  }

  /** A client has one connection. */
  #sit(seat: Seat, clientId: string): void {
    for (const other of [...this.#seats]) {
      if (other !== seat && other.clientId === clientId) other.peer.close({ code: 4402, message: 'replaced' });
    }
    seat.clientId = clientId;
    this.#known.add(clientId);
  }

  #resume(seat: Seat, params: Commands['reconnect']['params']): ReconnectResult {
    const { clientId, instanceId, lastSeenServerSeq, subscriptions } = params;
    this.#sit(seat, clientId);
    const there = subscriptions.filter((uri) => uri === ROOT_URI || this.sessions.has(uri));
    for (const uri of there) seat.subscriptions.add(uri);
    const accepted = [...this.sessions].map(([uri, session]) => [uri, session.accepted.get(clientId) ?? 0] as const);
    const base = {
      protocolVersion: this.protocolVersion,
      serverInfo: this.#serverInfo(),
      serverSeq: this.serverSeq,
      missing: subscriptions.filter((uri) => !there.includes(uri)),
      acceptedClientSeq: Object.fromEntries(accepted),
      ...(this.tellsEachAccepted && { recentlyAccepted: this.#recentlyAccepted(clientId) }),
    };
    const missed = this.#log.filter(({ serverSeq }) => serverSeq > lastSeenServerSeq);
    if (
      instanceId !== this.instanceId ||
      lastSeenServerSeq < this.#oldestReplay ||
      lastSeenServerSeq > this.serverSeq
    ) {
      return { ...base, type: 'snapshot', snapshots: there.map((uri) => this.#snapshot(uri)) };
    }
    return { ...base, type: 'replay', actions: missed.filter(({ action }) => there.includes(resourceOf(action))) };
  }

  #recentlyAccepted(clientId: string): Record<string, number[]> {
    return Object.fromEntries([...this.sessions].map(([uri, session]) => [uri, session.each.get(clientId) ?? []]));
  }

  #receive(seat: Seat, clientSeq: number, action: ClientAction): void {
    this.received.push({ method: 'dispatchAction', params: { clientSeq, action } });
    if (this.deaf || seat.clientId === undefined) return;
    const clientId = seat.clientId;
    const session = this.sessions.get(action.session);
    if (session && clientSeq <= (session.accepted.get(clientId) ?? 0)) {
      const echo = session.echoes.get(`${clientId}#${clientSeq}`);
      if (echo && this.answersRepeats) this.#send(seat, 'action', { envelope: { ...echo, action, repeated: true } });
      return;
    }
    const rejectionReason = rejectionOf(session?.state, action);
    const origin = { clientId, clientSeq };
    if (rejectionReason !== undefined) {
      this.#send(seat, 'action', { envelope: { action, serverSeq: this.serverSeq, origin, rejectionReason } });
      return;
    }
    session?.accepted.set(clientId, clientSeq);
    session?.each.set(clientId, [...(session.each.get(clientId) ?? []), clientSeq]);
    const by = { clientId, name: 'as the host says' };
    const echo = this.#order({ ...action, at: ++this.#clock, by }, origin, seat);
    session?.echoes.set(`${clientId}#${clientSeq}`, echo);
  }

  #order(action: Action, origin: ActionEnvelope['origin'], sender?: Seat): ActionEnvelope {
    const envelope: ActionEnvelope = { action, serverSeq: ++this.serverSeq, ...(origin && { origin }) };
    this.#log.push(envelope);
    const resource = resourceOf(action);
    if (action.type === 'root/agentsChanged') this.root = rootReducer(this.root, action);
    else if (action.type !== 'changes/changed')
      this.#session(resource).state = sessionReducer(this.stateOf(resource), action);
    for (const seat of this.#seats) {
      if (seat === sender || seat.subscriptions.has(resource)) this.#send(seat, 'action', { envelope });
    }
    return envelope;
  }

  #send(seat: Seat, method: string, params: object): void {
    if (!this.mute) seat.peer.notify(method, params);
  }

  #snapshot(resource: URI, turns = DEFAULT_SNAPSHOT_TURNS, clientId = ''): Snapshot {
    if (resource === ROOT_URI) return { resource, state: this.root, fromSeq: this.serverSeq };
    const recentlyAccepted = this.tellsEachAccepted ? this.#session(resource).each.get(clientId) : undefined;
    return {
      resource,
      state: withNewestTurns(this.stateOf(resource), turns),
      fromSeq: this.serverSeq,
      ...(recentlyAccepted && { recentlyAccepted }),
    };
  }

  #session(uri: URI): HostedSession {
    const session = this.sessions.get(uri);
    if (!session) throw new RpcError(ERROR_CODE.sessionNotFound, `no session ${uri}`);
    return session;
  }
}

export function endedTurn(id: string): Turn {
  const userMessage = { text: `message of ${id}` };
  return { id, userMessage, responseParts: [], toolCalls: [], state: 'complete', startedAt: 1, endedAt: 2 };
}

export function endedTurns(count: number, from = 0): Turn[] {
  return Array.from({ length: count }, (_, index) => endedTurn(`t${from + index}`));
}

function resourceOf(action: Action): URI {
  return 'session' in action ? action.session : ROOT_URI;
}
