import { type ClientSeqStore, type Host, type HostEvent, type Schedule, SessionGoneError } from '@agenthost/client';
import { ERROR_CODE, type SessionSummary, type SessionSummaryChanges, type URI } from '@agenthost/protocol';
import { type Disposable, RpcError } from '@agenthost/rpc';
import { patchAction, patchFolders, patchSnapshot } from './downlevel.js';
import type { AhpLimits } from './limits.js';
import type { LocalState } from './localState.js';
import { ReplayBuffer } from './replayBuffer.js';
import { type Origin, SessionLink } from './sessionLink.js';
import { agentsOf, chatOf, rootOf, sessionOf, summaryOf } from './state.js';
import { KnownStatuses, summaryChangesOf } from './summaryChanges.js';
import { AHP_ROOT, type AhpAction, type AhpEnvelope, type AhpSessionSummary, type AhpSnapshot } from './types.js';
import { type Channel, parseChannel } from './uris.js';
import { type AhpVersion, VERSION_TRAITS, type VersionTraits } from './versions.js';

/** Where a client can be told something: its socket, as long as it has one. */
export interface AhpOutlet {
  notify(method: string, params: object): void;
  close(reason: string, code?: number): void;
}

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
  /** Sessions that it made and nobody has used yet, as the host told of them. */
  readonly made = new Map<URI, SessionSummary | undefined>();
  /** Its socket. */
  outlet: AhpOutlet | undefined;
  /** False while the socket waits for the answer to its handshake: what comes meanwhile is in that answer. */
  isLive = false;
  readonly #options: AhpClientOptions;
  readonly #links = new Map<URI, Promise<SessionLink>>();
  readonly #opened = new Map<URI, SessionLink>();
  readonly #channels = new Set<URI>();
  readonly #replay: ReplayBuffer;
  readonly #statuses = new KnownStatuses();
  readonly #subscriptions: Disposable[];
  #activeSessions: number | undefined;

  constructor(options: AhpClientOptions) {
    this.#options = options;
    this.clientId = options.clientId;
    this.credentialId = options.credentialId;
    this.version = options.version;
    this.traits = VERSION_TRAITS[options.version];
    this.host = options.host;
    this.#replay = new ReplayBuffer(options.limits, options.currentSeq());
    this.#subscriptions = [
      this.host.onNotification((event) => this.#hostEvent(event)),
      this.host.root.state.subscribe(({ agents }) =>
        this.emit(AHP_ROOT, { type: 'root/agentsChanged', agents: agentsOf(agents) }),
      ),
    ];
  }

  /** Loads what is needed; what it gives back subscribes, and takes the snapshot in the same turn. */
  async subscribe(uri: URI, turns?: number): Promise<() => AhpSnapshot> {
    if (!this.#channels.has(uri) && this.#channels.size >= this.#options.limits.maxSubscriptions) {
      throw new RpcError(
        ERROR_CODE.tooManyRequests,
        `more than ${this.#options.limits.maxSubscriptions} subscriptions`,
      );
    }
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
    return this.#replay.since(since)?.filter(({ channel }) => channels.includes(channel));
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
        this.reject(uri, action, origin, error instanceof SessionGoneError ? 'unknown session' : String(error)),
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
    this.#replay.add(envelope);
    this.#tell('action', envelope);
  }

  reject(channel: URI, action: AhpAction, origin: Origin, rejectionReason: string): void {
    const serverSeq = this.#options.nextSeq();
    const envelope = { channel, action, serverSeq, origin: { clientId: this.clientId, ...origin }, rejectionReason };
    this.#replay.add(envelope);
    this.#tell('action', envelope);
  }

  #tell(method: string, params: object): void {
    if (this.isLive) this.outlet?.notify(method, params);
  }

  /** One page of the list, without sessions that were only made to be thrown away. */
  async list(params: { readonly limit?: number; readonly cursor?: string }) {
    const { items, nextCursor } = await this.host.listSessions(params);
    for (const item of items) this.#statuses.learn(item);
    const shown = items.filter(({ resource }) => !this.#options.isProvisional(resource));
    return { items: shown.map((item) => this.#listed(item)), ...(nextCursor !== undefined && { nextCursor }) };
  }

  announced(summary: SessionSummary): void {
    this.#statuses.learn(summary);
    this.#tell('root/sessionAdded', { channel: AHP_ROOT, summary: this.#listed(summary) });
    this.#countSessions(1);
  }

  /** It is no active client of this session any more. */
  leaveSession(session: URI): void {
    if (!this.#options.local.removeActiveClient(session, this.clientId)) return;
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
    this.#statuses.learn(session.confirmed.value.summary);
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
    const refusal = this.#options.local.apply(action, session, this.clientId);
    if (refusal !== undefined) this.reject(uri, action, origin, refusal);
    else this.#options.broadcast(uri, action, this, origin);
  }

  #dropLink(session: URI): void {
    const link = this.#opened.get(session);
    this.#opened.delete(session);
    this.#links.delete(session);
    link?.dispose();
  }

  /** There is no way to send a snapshot that was not asked for: the client has to come back, and is given one then. */
  #jumped(): void {
    this.#replay.forget(this.#options.nextSeq());
    this.outlet?.close('the state has to be loaded anew');
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
        return sessionOf(link.state, local.of(channel.session));
      case 'chat':
        return chatOf(link.state, local.of(channel.session));
      case 'changeset':
        return link.watchChangeset(channel.turnId);
    }
  }

  #listed(summary: SessionSummary): AhpSessionSummary {
    return patchFolders(summaryOf(summary), this.traits);
  }

  #hostEvent(event: HostEvent): void {
    if (event.type === 'notify/sessionAdded') this.#sessionAdded(event.summary);
    else if (event.type === 'notify/sessionRemoved') this.#sessionRemoved(event.session);
    else if (event.type === 'notify/sessionSummaryChanged') this.#summaryChanged(event.session, event.changes);
  }

  #summaryChanged(session: URI, changes: SessionSummaryChanges): void {
    const status = this.#statuses.change(session, changes);
    if (this.made.has(session)) this.#madeChanged(session, changes as Partial<SessionSummary>);
    if (this.#options.isProvisional(session)) return;
    const told = patchFolders(summaryChangesOf(changes, status), this.traits);
    if (Object.keys(told).length === 0) return;
    this.#tell('root/sessionSummaryChanged', { channel: AHP_ROOT, session, changes: told });
  }

  #sessionAdded(summary: SessionSummary): void {
    this.#statuses.learn(summary);
    if (this.made.has(summary.resource)) this.made.set(summary.resource, summary);
    if (!this.#options.isProvisional(summary.resource)) this.announced(summary);
  }

  #sessionRemoved(session: URI): void {
    const wasHidden = this.#options.isProvisional(session);
    this.#statuses.forget(session);
    this.#options.local.forgetSession(session);
    this.made.delete(session);
    for (const uri of this.#channels) if (parseChannel(uri)?.session === session) this.#channels.delete(uri);
    this.#dropLink(session);
    if (wasHidden) return;
    this.#tell('root/sessionRemoved', { channel: AHP_ROOT, session });
    this.#countSessions(-1);
  }

  #countSessions(more: number): void {
    if (this.#activeSessions === undefined) return;
    this.#activeSessions += more;
    this.emit(AHP_ROOT, { type: 'root/activeSessionsChanged', activeSessions: this.#activeSessions });
  }

  #madeChanged(session: URI, changes: Partial<SessionSummary>): void {
    const summary = this.made.get(session);
    if (!summary) return;
    const now = { ...summary, ...changes };
    this.made.set(session, now);
    // What is told is gathered: a short turn may be over when its beginning would be told.
    if (now.status !== 'idle' || !now.isRead || now.modifiedAt !== now.createdAt) this.#options.announce(now);
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
