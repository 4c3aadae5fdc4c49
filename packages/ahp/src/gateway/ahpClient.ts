import { type HostClient, SessionGoneError } from '@agenthost/client';
import { ERROR_CODE, REJECTION, type Role, type URI } from '@agenthost/protocol';
import { type Disposable, RpcError, type Schedule } from '@agenthost/rpc';
import type { Reviews } from '../translate/changesets.js';
import { patchAction, patchSnapshot } from '../translate/downlevel.js';
import { agentsOf, chatOf, NO_MODEL, rootOf, type SessionView, sessionOf } from '../translate/state.js';
import { type Channel, type ChannelKind, channelNames, chatUri, parseChannel } from '../translate/uris.js';
import { AHP_ROOT, type AhpAction, type AhpConfig, type AhpEnvelope, type AhpSnapshot } from '../types.js';
import type { SpokenVersion, VersionTraits } from '../versions.js';
import { AgentSettings } from './agentSettings.js';
import type { AhpLimits } from './limits.js';
import { REVIEWED } from './localRoles.js';
import { type LocalState, modelDraft } from './localState.js';
import { AhpOutlet } from './outlet.js';
import { type Echo, type Origin, SessionLink } from './sessionLink.js';
import { SessionList } from './sessionList.js';
import { SessionNames } from './sessionNames.js';

/** The target of an AHP action: the root, or a channel of one of our sessions. */
export type Place = 'root' | Channel;

export interface AhpClientOptions {
  readonly clientId: string;
  readonly credentialId: string;
  readonly spoken: SpokenVersion;
  /** As in `SessionNamesOptions`. */
  readonly wantsSpecifiedNames: boolean;
  readonly host: HostClient;
  readonly lastSent: () => number;
  readonly local: LocalState;
  readonly nextSeq: () => number;
  readonly currentSeq: () => number;
  /** Sends to every client, including this one, on the channels that they are subscribed to. */
  readonly broadcast: (place: Place, action: AhpAction, from: AhpClient, echo?: Echo) => void;
  readonly limits: AhpLimits;
  readonly schedule: Schedule;
}

/** An AHP client, which outlives its sockets: its subscriptions, what it was sent, and its own client of our host. */
export class AhpClient {
  readonly clientId: string;
  readonly credentialId: string;
  readonly spoken: SpokenVersion;
  readonly wantsSpecifiedNames: boolean;
  readonly host: HostClient;
  readonly outlet: AhpOutlet;
  readonly sessions: SessionList;
  readonly names: SessionNames;
  readonly settings: AgentSettings;
  readonly #options: AhpClientOptions;
  readonly #links = new Map<URI, Promise<SessionLink>>();
  readonly #opened = new Map<URI, SessionLink>();
  /** By the names that the client uses. */
  readonly #channels = new Set<URI>();
  /** Other names of chats that the client is subscribed to. */
  readonly #chatNames = new Map<URI, URI>();
  /** Channels whose state is being loaded. */
  readonly #subscribing = new Set<URI>();
  readonly #subscriptions: Disposable[];
  #activeSessions: number | undefined;

  constructor(options: AhpClientOptions) {
    this.#options = options;
    this.clientId = options.clientId;
    this.credentialId = options.credentialId;
    this.spoken = options.spoken;
    this.wantsSpecifiedNames = options.wantsSpecifiedNames;
    this.host = options.host;
    const { limits, schedule } = options;
    this.outlet = new AhpOutlet({ limits, schedule, currentSeq: options.currentSeq() });
    this.settings = new AgentSettings(this.host);
    this.names = new SessionNames({
      providers: () => this.host.root.state.value.agents.map(({ provider }) => provider),
      open: async (session) => (await this.host.openSession(session, { turns: 1 })).dispose(),
      wantsSpecified: options.wantsSpecifiedNames,
    });
    this.sessions = new SessionList({
      host: this.host,
      traits: this.traits,
      names: this.names,
      tell: (method, params) => this.outlet.tell(method, params),
      onChat: (session, action) => this.emit({ kind: 'session', session }, action),
      onCount: (more) => this.#countSessions(more),
      onRemoved: (session) => this.#removed(session),
    });
    this.#subscriptions = [
      this.host.onNotification((event) => this.sessions.hostEvent(event)),
      this.host.root.state.subscribe(({ agents }) =>
        this.emit('root', { type: 'root/agentsChanged', agents: agentsOf(agents) }),
      ),
    ];
  }

  get role(): Role {
    return this.host.role;
  }

  get traits(): VersionTraits {
    return this.spoken.traits;
  }

  /**
   * Loads what is needed; the result subscribes and takes the snapshot in the same turn of the event loop. `isReopened` means that
   * the client shows the snapshot and nothing that it had before.
   */
  async subscribe(
    uri: URI,
    { turns, isReopened = true }: { readonly turns?: number | undefined; readonly isReopened?: boolean } = {},
  ): Promise<() => AhpSnapshot> {
    const { maxSubscriptions } = this.#options.limits;
    const isKnown = this.#channels.has(uri) || this.#subscribing.has(uri);
    if (!isKnown && this.#channels.size + this.#subscribing.size >= maxSubscriptions) {
      throw new RpcError(ERROR_CODE.tooManyRequests, `more than ${maxSubscriptions} subscriptions: end some of them`);
    }
    if (!this.#channels.has(uri)) this.#subscribing.add(uri);
    return this.#load(uri, turns, isReopened).finally(() => this.#subscribing.delete(uri));
  }

  async #load(uri: URI, turns: number | undefined, isReopened: boolean): Promise<() => AhpSnapshot> {
    if (uri === AHP_ROOT) {
      const { total } = await this.host.listSessions({ limit: 1 });
      return () => {
        this.#activeSessions = total;
        this.#channels.add(uri);
        return this.#snapshot(uri, rootOf(this.host.root.state.value, this.#options.local.config, total));
      };
    }
    const named = parseChannel(uri);
    if (!named) throw new RpcError(ERROR_CODE.notFound, `there is no channel ${uri.slice(0, 200)}`);
    const channel = { ...named, session: await this.names.find(named.session) };
    const link = await this.link(channel.session);
    if (channel.kind === 'changeset' && channel.turnId === undefined) await link.loadChanges();
    if (channel.kind !== 'session') await link.loadTurns(turns ?? this.#options.limits.maxSnapshotTurns);
    return () => {
      link.flush();
      this.#channels.add(uri);
      this.names.use(named.session, channel.session);
      if (channel.kind === 'chat' && isReopened) link.reopened();
      if (channel.kind === 'chat' && uri !== chatUri(channel.session)) this.#chatNames.set(uri, channel.session);
      return this.#snapshot(uri, this.#stateOf(channel, link, uri));
    };
  }

  unsubscribe(uri: URI): void {
    this.#channels.delete(uri);
    this.#chatNames.delete(uri);
    const channel = this.#knownChannel(uri);
    if (!channel) return;
    const { session } = channel;
    const link = this.#opened.get(session);
    const others = [...this.#channels].map((other) => this.#knownChannel(other));
    const isSame = (other: Channel | undefined) =>
      other?.kind === channel.kind && other.session === session && turnOf(other) === turnOf(channel);
    // It may be subscribed by its other name.
    if (channel.kind === 'changeset' && !others.some(isSame)) link?.unwatchChangeset(channel.turnId);
    if (channel.kind === 'session') this.leaveSession(session);
    if (!others.some((other) => other?.session === session)) this.#dropLink(session);
  }

  get channels(): ReadonlySet<URI> {
    return this.#channels;
  }

  looksAt(session: URI): boolean {
    return [...this.#channels].some((uri) => this.#knownChannel(uri)?.session === session);
  }

  /** What it missed on these channels, or `undefined` when it needs snapshots. */
  missed(since: number, channels: readonly URI[]): readonly AhpEnvelope[] | undefined {
    for (const link of this.#opened.values()) link.flush();
    if (since > this.#options.currentSeq() || channels.some((uri) => !this.#channels.has(uri))) return undefined;
    return this.outlet.replay.since(since)?.filter(({ channel }) => channels.includes(channel));
  }

  dispatch(uri: URI, action: AhpAction, clientSeq: number): void {
    const echo: Echo = { channel: uri, action, origin: { clientSeq } };
    if (uri === AHP_ROOT) {
      this.#takeLocal('root', echo);
      return;
    }
    const named = parseChannel(uri);
    if (!named) {
      this.reject(echo, 'unknown channel');
      return;
    }
    const known = this.names.known(named.session);
    const opening =
      known === undefined ? this.names.find(named.session).then((session) => this.link(session)) : this.link(known);
    opening.then(
      (link) => link.dispatch(named, echo),
      (error: unknown) =>
        this.reject(echo, error instanceof SessionGoneError ? REJECTION.unknownSession : String(error)),
    );
  }

  /** On every channel of that place that the client is subscribed to; its own action is answered in any case. */
  emit(place: Place, action: AhpAction, echo?: Echo): void {
    if (action.type === REVIEWED && !echo && !this.traits.hasReviews) return;
    const names = place === 'root' ? [AHP_ROOT] : this.#namesOf(place);
    const subscribed = names.filter((name) => this.#channels.has(name));
    const answered = echo && (names.includes(echo.channel) ? echo.channel : (subscribed[0] ?? names[0]));
    const channels = new Set([...(answered === undefined ? [] : [answered]), ...subscribed]);
    for (const channel of channels) this.#send(channel, action, channel === answered ? echo?.origin : undefined);
  }

  reject({ channel, action, origin }: Echo, rejectionReason: string): void {
    const serverSeq = this.#options.nextSeq();
    const envelope = { channel, action, serverSeq, origin: { clientId: this.clientId, ...origin }, rejectionReason };
    this.outlet.send(envelope);
  }

  /** It is no longer an active client of this session. */
  leaveSession(session: URI): void {
    if (!this.#options.local.removeActiveClient(session, this)) return;
    const action = { type: 'session/activeClientRemoved', clientId: this.clientId };
    this.#options.broadcast({ kind: 'session', session }, action, this);
  }

  /** The sessions that the client has open. */
  get opened(): ReadonlyMap<URI, SessionLink> {
    return this.#opened;
  }

  /** The client's own data when it creates the session; invalid parts are left out. */
  becomeActive(session: URI, activeClient: unknown): void {
    if (activeClient === undefined) return;
    this.#options.local.apply({ type: 'session/activeClientSet', activeClient }, session, this);
  }

  /** What could be chosen for a new session of this client. */
  beginsWith(session: URI, config: AhpConfig): void {
    this.#options.local.beginsWith(session, config);
  }

  /** Resolves with it, or after a moment. */
  soon(settled: Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = this.#options.schedule(resolve, this.#options.limits.firstSettingsMs);
    settled.finally(() => timer.dispose()).then(resolve, resolve);
    return promise;
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
    const { summary } = session.confirmed.value;
    this.sessions.statuses.learn(summary);
    this.settings.learn(summary.provider, session.confirmed.value.settings);
    const link = new SessionLink({
      session,
      work: this.host.work,
      hostClientId: this.host.clientId,
      reviews: () => this.#options.local.reviewsOf(uri),
      review: (echo, shown) => this.#review(uri, echo, shown),
      lastSent: this.#options.lastSent,
      models: () => this.modelsOf(summary.provider),
      emit: (channel, action, echo) => this.emit({ session: uri, ...channel }, action, echo),
      takeLocal: (channel, echo) => this.#takeLocal({ session: uri, ...channel }, echo),
      reject: (echo, reason) => this.reject(echo, reason),
      onModel: (model) => this.#modelChanged(uri, model),
      onSettings: (settings) => this.settings.learn(summary.provider, settings),
      onJump: () => this.#jumped(),
      limits: this.#options.limits,
      schedule: this.#options.schedule,
    });
    this.#opened.set(uri, link);
    return link;
  }

  #namesOf(place: Channel): readonly URI[] {
    const names = channelNames(place.session, place);
    if (place.kind !== 'chat') return names;
    return [...names, ...[...this.#chatNames].flatMap(([name, session]) => (session === place.session ? [name] : []))];
  }

  #send(channel: URI, action: AhpAction, origin: Origin | undefined): void {
    this.outlet.send({
      channel,
      action: patchAction(action, this.traits),
      serverSeq: this.#options.nextSeq(),
      ...(origin && { origin: { clientId: this.clientId, ...origin } }),
    });
  }

  /** Kept in the gateway, and sent to all AHP clients. */
  #takeLocal(place: Place, echo: Echo): void {
    const session = place === 'root' ? undefined : place.session;
    const refusal = this.#options.local.apply(echo.action, session, this);
    if (refusal !== undefined) this.reject(echo, refusal);
    else this.#options.broadcast(place, echo.action, this, echo);
  }

  #review(session: URI, echo: Echo, shown: Reviews): void {
    const { local, broadcast } = this.#options;
    const refusal = local.review(session, echo.action, shown, this);
    if (refusal !== undefined) this.reject(echo, refusal);
    else broadcast({ kind: 'changeset', session }, echo.action, this, echo);
  }

  /** The next message is for another model, and so is the draft. */
  #modelChanged(session: URI, model: string): void {
    const { local, broadcast } = this.#options;
    const place: Channel = { kind: 'chat', session };
    const kept = local.setDraftModel(session, this, model);
    if (kept === 'none') this.emit(place, { type: 'chat/draftChanged', draft: modelDraft(model) });
    else if (kept) broadcast(place, { type: 'chat/draftChanged', draft: kept }, this);
  }

  /** Includes one that is still being opened. */
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

  /** AHP can't send a snapshot that was not requested: the client has to reconnect, and gets one then. */
  #jumped(): void {
    this.outlet.replay.forget(this.#options.nextSeq());
    this.outlet.socket?.close('the state has to be loaded again');
  }

  #snapshot(resource: URI, state: AhpSnapshot['state']): AhpSnapshot {
    return patchSnapshot({ resource, state, fromSeq: this.#options.currentSeq() }, this.traits);
  }

  #stateOf(channel: Channel, link: SessionLink, uri: URI): AhpSnapshot['state'] {
    if (channel.kind === 'changeset') return link.watchChangeset(channel.turnId);
    const { summary } = link.state;
    const local = this.#options.local.of(channel.session, this);
    const view: SessionView = {
      ...local,
      draft: local.draft ?? modelDraft(summary.model ?? NO_MODEL.id),
      name: this.names.nameOf(channel.session),
      isReadOnly: this.role === 'viewer',
      chats: this.sessions.chatsOf(channel.session),
    };
    if (channel.kind === 'session') return sessionOf(link.state, view);
    return { ...chatOf(link.state, view), resource: uri };
  }

  /** The target of a channel, if it is known without asking. */
  #knownChannel(uri: URI): Channel | undefined {
    const named = parseChannel(uri);
    const session = named && this.names.known(named.session);
    return named && session !== undefined ? { ...named, session } : undefined;
  }

  #removed(session: URI): void {
    this.#options.local.forgetSession(session);
    for (const uri of this.#channels) {
      if (this.#knownChannel(uri)?.session !== session) continue;
      this.#channels.delete(uri);
      this.#chatNames.delete(uri);
    }
    this.#dropLink(session);
    this.names.forget(session);
  }

  #countSessions(more: number): void {
    if (this.#activeSessions === undefined) return;
    this.#activeSessions += more;
    this.emit('root', { type: 'root/activeSessionsChanged', activeSessions: this.#activeSessions });
  }
}

function turnOf(channel: ChannelKind): string | undefined {
  return channel.kind === 'changeset' ? channel.turnId : undefined;
}
