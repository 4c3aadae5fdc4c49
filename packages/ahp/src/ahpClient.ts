import { type ClientSeqStore, type Host, type Schedule, SessionGoneError } from '@agenthost/client';
import { ERROR_CODE, REJECTION, type Role, type SessionSummary, type URI } from '@agenthost/protocol';
import { type Disposable, RpcError } from '@agenthost/rpc';
import { patchAction, patchSnapshot } from './downlevel.js';
import type { AhpLimits } from './limits.js';
import type { LocalState } from './localState.js';
import { AhpOutlet } from './outlet.js';
import { type Origin, SessionLink } from './sessionLink.js';
import { SessionList } from './sessionList.js';
import { agentsOf, chatOf, rootOf, sessionOf } from './state.js';
import { AHP_ROOT, type AhpAction, type AhpEnvelope, type AhpSnapshot } from './types.js';
import { type Channel, parseChannel } from './uris.js';
import { type AhpVersion, VERSION_TRAITS, type VersionTraits } from './versions.js';

export interface AhpClientOptions {
  readonly clientId: string;
  readonly credentialId: string;
  readonly version: AhpVersion;
  readonly host: Host;
  readonly lastSent: () => number;
  readonly local: LocalState;
  readonly nextSeq: () => number;
  readonly currentSeq: () => number;
  /** To every client, this one too, on what they are subscribed to. */
  readonly broadcast: (channel: URI, action: AhpAction, from: AhpClient, origin?: Origin) => void;
  readonly isProvisional: (session: URI) => boolean;
  /** A session is in use: all may know of it, if they don't. */
  readonly announce: (summary: SessionSummary) => void;
  readonly limits: AhpLimits;
  readonly schedule: Schedule;
}

/** An AHP client, which outlives its sockets: what it is subscribed to, what it was sent, and its own client of our host. */
export class AhpClient {
  readonly clientId: string;
  readonly credentialId: string;
  readonly version: AhpVersion;
  readonly traits: VersionTraits;
  readonly host: Host;
  readonly outlet: AhpOutlet;
  readonly sessions: SessionList;
  readonly #options: AhpClientOptions;
  readonly #links = new Map<URI, Promise<SessionLink>>();
  readonly #opened = new Map<URI, SessionLink>();
  readonly #channels = new Set<URI>();
  /** Whose state is on its way. */
  readonly #subscribing = new Set<URI>();
  readonly #subscriptions: Disposable[];
  #activeSessions: number | undefined;

  constructor(options: AhpClientOptions) {
    this.#options = options;
    this.clientId = options.clientId;
    this.credentialId = options.credentialId;
    this.version = options.version;
    this.traits = VERSION_TRAITS[options.version];
    this.host = options.host;
    const { limits, schedule, isProvisional, announce } = options;
    this.outlet = new AhpOutlet({ limits, schedule, currentSeq: options.currentSeq() });
    this.sessions = new SessionList({
      host: this.host,
      traits: this.traits,
      tell: (method, params) => this.outlet.tell(method, params),
      onCount: (more) => this.#countSessions(more),
      onRemoved: (session) => this.#removed(session),
      isProvisional,
      announce,
    });
    this.#subscriptions = [
      this.host.onNotification((event) => this.sessions.hostEvent(event)),
      this.host.root.state.subscribe(({ agents }) =>
        this.emit(AHP_ROOT, { type: 'root/agentsChanged', agents: agentsOf(agents) }),
      ),
    ];
  }

  get role(): Role {
    return this.host.role;
  }

  /** Loads what is needed; what it gives back subscribes, and takes the snapshot in the same turn. */
  async subscribe(uri: URI, turns?: number): Promise<() => AhpSnapshot> {
    const { maxSubscriptions } = this.#options.limits;
    const isKnown = this.#channels.has(uri) || this.#subscribing.has(uri);
    if (!isKnown && this.#channels.size + this.#subscribing.size >= maxSubscriptions) {
      throw new RpcError(ERROR_CODE.tooManyRequests, `more than ${maxSubscriptions} subscriptions: end some of them`);
    }
    if (!this.#channels.has(uri)) this.#subscribing.add(uri);
    return this.#load(uri, turns).finally(() => this.#subscribing.delete(uri));
  }

  async #load(uri: URI, turns: number | undefined): Promise<() => AhpSnapshot> {
    if (uri === AHP_ROOT) {
      const { total } = await this.host.listSessions({ limit: 1 });
      return () => {
        this.#activeSessions = total;
        return this.#snapshot(uri, undefined, undefined);
      };
    }
    const channel = parseChannel(uri);
    if (!channel) throw new RpcError(ERROR_CODE.notFound, `there is no channel ${uri.slice(0, 200)}`);
    const link = await this.link(channel.session);
    if (channel.kind !== 'session') await link.loadTurns(turns ?? this.#options.limits.maxSnapshotTurns);
    return () => this.#snapshot(uri, channel, link);
  }

  unsubscribe(uri: URI): void {
    this.#channels.delete(uri);
    const channel = parseChannel(uri);
    if (!channel) return;
    const link = this.#opened.get(channel.session);
    if (channel.kind === 'changeset') link?.unwatchChangeset(channel.turnId);
    if (channel.kind === 'session') this.leaveSession(channel.session);
    if ([...this.#channels].some((other) => parseChannel(other)?.session === channel.session)) return;
    this.#dropLink(channel.session);
  }

  get channels(): ReadonlySet<URI> {
    return this.#channels;
  }

  /** What it missed on these channels, or `undefined` when it needs snapshots. */
  missed(since: number, channels: readonly URI[]): readonly AhpEnvelope[] | undefined {
    for (const link of this.#opened.values()) link.flush();
    if (since > this.#options.currentSeq() || channels.some((uri) => !this.#channels.has(uri))) return undefined;
    return this.outlet.replay.since(since)?.filter(({ channel }) => channels.includes(channel));
  }

  dispatch(uri: URI, action: AhpAction, clientSeq: number): void {
    const origin = { clientSeq };
    if (uri === AHP_ROOT) {
      this.#takeLocal(uri, action, origin, undefined);
      return;
    }
    const channel = parseChannel(uri);
    if (!channel || channel.kind === 'changeset') {
      this.reject(uri, action, origin, 'unknown channel');
      return;
    }
    const { kind, session } = channel;
    this.link(session).then(
      (link) => link.dispatch(kind, uri, action, origin),
      (error: unknown) =>
        this.reject(uri, action, origin, error instanceof SessionGoneError ? REJECTION.unknownSession : String(error)),
    );
  }

  emit(channel: URI, action: AhpAction, origin?: Origin): void {
    if (!origin && !this.#channels.has(channel)) return;
    const envelope: AhpEnvelope = {
      channel,
      action: patchAction(action, this.traits),
      serverSeq: this.#options.nextSeq(),
      ...(origin && { origin: { clientId: this.clientId, ...origin } }),
    };
    this.outlet.send(envelope);
  }

  reject(channel: URI, action: AhpAction, origin: Origin, rejectionReason: string): void {
    const serverSeq = this.#options.nextSeq();
    const envelope = { channel, action, serverSeq, origin: { clientId: this.clientId, ...origin }, rejectionReason };
    this.outlet.send(envelope);
  }

  /** It is no active client of this session any more. */
  leaveSession(session: URI): void {
    if (!this.#options.local.removeActiveClient(session, this)) return;
    const action = { type: 'session/activeClientRemoved', clientId: this.clientId };
    this.#options.broadcast(session, action, this);
  }

  /** The ids of the models that this agent offers. */
  modelsOf(provider: string): readonly string[] {
    const agent = this.host.root.state.value.agents.find((candidate) => candidate.provider === provider);
    return agent?.models.map(({ id }) => id) ?? [];
  }

  link(session: URI): Promise<SessionLink> {
    const known = this.#links.get(session);
    if (known) return known;
    const opening = this.#open(session);
    this.#links.set(session, opening);
    opening.catch(() => this.#links.delete(session));
    return opening;
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    for (const session of [...this.#links.keys()]) this.#dropLink(session);
    this.host.close();
  }

  async #open(uri: URI): Promise<SessionLink> {
    const session = await this.host.openSession(uri);
    this.sessions.statuses.learn(session.confirmed.value.summary);
    const { provider } = session.confirmed.value.summary;
    const link = new SessionLink({
      session,
      hostClientId: this.host.clientId,
      lastSent: this.#options.lastSent,
      models: () => this.modelsOf(provider),
      emit: (channel, action, origin) => {
        if (origin && isLocal(action)) this.#takeLocal(channel, action, origin, uri);
        else this.emit(channel, action, origin);
      },
      reject: (channel, action, origin, reason) => this.reject(channel, action, origin, reason),
      onTurn: ({ summary }) => this.#options.announce(summary),
      onJump: () => this.#jumped(),
      limits: this.#options.limits,
      schedule: this.#options.schedule,
    });
    this.#opened.set(uri, link);
    return link;
  }

  #takeLocal(uri: URI, action: AhpAction, origin: Origin, session: URI | undefined): void {
    const refusal = this.#options.local.apply(action, session, this);
    if (refusal !== undefined) this.reject(uri, action, origin, refusal);
    else this.#options.broadcast(uri, action, this, origin);
  }

  /** Also one that is still being opened. */
  #dropLink(session: URI): void {
    const opening = this.#links.get(session);
    this.#opened.delete(session);
    this.#links.delete(session);
    opening?.then(
      (link) => {
        if (this.#opened.get(session) === link) this.#opened.delete(session);
        link.dispose();
      },
      () => undefined,
    );
  }

  /** There is no way to send a snapshot that was not asked for: the client has to come back, and is given one then. */
  #jumped(): void {
    this.outlet.replay.forget(this.#options.nextSeq());
    this.outlet.socket?.close('the state has to be loaded anew');
  }

  #snapshot(uri: URI, channel: Channel | undefined, link: SessionLink | undefined): AhpSnapshot {
    link?.flush();
    this.#channels.add(uri);
    const state = this.#stateOf(channel, link);
    return patchSnapshot({ resource: uri, state, fromSeq: this.#options.currentSeq() }, this.traits);
  }

  #stateOf(channel: Channel | undefined, link: SessionLink | undefined): AhpSnapshot['state'] {
    const { local } = this.#options;
    if (!channel || !link) return rootOf(this.host.root.state.value, local.config, this.#activeSessions);
    switch (channel.kind) {
      case 'session':
        return sessionOf(link.state, local.of(channel.session, this));
      case 'chat':
        return chatOf(link.state, local.of(channel.session, this));
      case 'changeset':
        return link.watchChangeset(channel.turnId);
    }
  }

  #removed(session: URI): void {
    this.#options.local.forgetSession(session);
    for (const uri of this.#channels) if (parseChannel(uri)?.session === session) this.#channels.delete(uri);
    this.#dropLink(session);
  }

  #countSessions(more: number): void {
    if (this.#activeSessions === undefined) return;
    this.#activeSessions += more;
    this.emit(AHP_ROOT, { type: 'root/activeSessionsChanged', activeSessions: this.#activeSessions });
  }
}

/** Kept in the gateway, and told to all AHP clients. */
function isLocal({ type }: AhpAction): boolean {
  return (
    type === 'chat/draftChanged' ||
    type === 'chat/inputAnswerChanged' ||
    type === 'session/activeClientSet' ||
    type === 'session/activeClientRemoved' ||
    type === 'session/configChanged'
  );
}

/** Remembers the number that the client of our host used last. */
export function rememberingSeq(): ClientSeqStore & { readonly last: number } {
  let last = 0;
  return {
    load: () => last,
    save: (number) => {
      last = number;
    },
    get last() {
      return last;
    },
  };
}
