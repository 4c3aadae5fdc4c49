import {
  type ActionEnvelope,
  type AgentInfo,
  type Author,
  ERROR_CODE,
  PROTOCOL_VERSION,
  type Role,
  type URI,
} from '@agenthost/protocol';
import { DEFAULT_SPACE, errorMessage, refuse } from '@agenthost/protocol/internal';
import { SCHEMAS } from '@agenthost/protocol/schemas';
import { LateResult, RpcError, RpcPeer, type Transport } from '@agenthost/rpc';
import type { HostLog } from '../../hostLog.js';
import type { Session } from '../../sessions/session.js';
import type { SessionHub } from '../../sessions/sessionHub.js';
import { notFound } from '../../sessions/sessionLoader.js';
import { acceptedKey } from '../../sessions/turn/acceptedSequences.js';
import { type Delivery, EncodedFrame } from '../../state/delivery.js';
import { type Lookers, NO_LOOKERS, originOf, type Subscriber } from '../../state/publisher.js';
import type { Cluster } from '../cluster.js';
import { SummaryOutbox } from '../summaryOutbox.js';
import {
  type AgentsParams,
  type BindParams,
  type BindResult,
  type CommandParams,
  type DispatchParams,
  type DroppedParams,
  type FollowParams,
  type FollowResult,
  type HelloParams,
  LINK_VERSION,
  type LinkClient,
  type ListenParams,
  MAX_LINK_FRAME_BYTES,
  MIN_LINK_VERSION,
  type MovedParams,
  type NotifyParams,
  type PingResult,
  type ReleaseParams,
  type SettledParams,
  SPACES_SINCE,
  type SummariesParams,
  type ViewersParams,
} from './linkMessages.js';
import { LinkTools } from './linkTools.js';

export interface LinkServerOptions {
  readonly hostId: string;
  /** The sessions that this host owns. */
  readonly hub: SessionHub;
  readonly cluster: Pick<Cluster, 'beatAgeMs' | 'isSure'>;
  readonly delivery: Delivery;
  /** Carries out a client's command here. */
  readonly runCommand: (
    method: string,
    params: object,
    as: Pick<LinkClient, 'role' | 'space'> | undefined,
  ) => Promise<unknown>;
  /** Takes a session from the host that has it. */
  readonly take: (uri: URI) => Promise<void>;
  /** The agents of this host. */
  readonly agents: () => readonly AgentInfo[];
  readonly log: HostLog;
}

/** Turns and bytes of the state that a follower mirrors. */
const MIRROR_ROOM = { turns: 50, bytes: 8 * 1024 * 1024 };
/** A host that speaks version 1 has checked the role of its client, and does not say it. */
const CHECKED_THERE = { role: 'driver' } as const;

/** One link from another host, whose clients look at sessions of this one. */
export class LinkServer {
  readonly #options: LinkServerOptions;
  readonly #peer: RpcPeer;
  readonly #followers = new Map<URI, LinkFollower>();
  readonly #transport: Transport;
  readonly #tools: LinkTools;
  /** What the other host speaks; `undefined` until it says so. */
  #version: number | undefined;
  readonly #summaries: SummaryOutbox;
  /** How many clients the other host has; `undefined` where it does not say. */
  #clients: number | undefined;
  /** The next answer does not wait for what is being stored: a database that is away must not look like a host that is. */
  #isAtOnce = false;

  constructor(transport: Transport, options: LinkServerOptions) {
    this.#options = options;
    this.#transport = transport;
    const { delivery, log } = options;
    // Answers go through the delivery like envelopes: a snapshot and the stream after it fit exactly (FOL3).
    const receiver = { deliver: (frames: readonly EncodedFrame[]) => this.#write(frames) };
    const ordered: Transport = {
      onMessage: (listener) => transport.onMessage(listener),
      onClose: (listener) => transport.onClose(listener),
      close: (reason) => transport.close(reason),
      send: (text) => {
        const frame = new EncodedFrame(typeof text === 'string' ? text : new TextDecoder().decode(text));
        if (this.#isAtOnce) this.#write([frame]);
        else delivery.enqueue({ frame, receivers: [receiver] });
        this.#isAtOnce = false;
      },
    };
    this.#peer = new RpcPeer(ordered, {
      maxFrameBytes: MAX_LINK_FRAME_BYTES,
      maxValues: Number.POSITIVE_INFINITY,
      maxIncomingRequests: 1_024,
      onError: (error) => log.debug(`a link: ${error.message}`),
    });
    this.#summaries = new SummaryOutbox({
      send: (items) => {
        const params: SummariesParams = { items };
        // Without a limit: it may wait for a database that is away. That the other host is gone is noticed by its pings.
        return this.#peer.request('link.summaries', params, { timeoutMs: Number.POSITIVE_INFINITY });
      },
      onFailure: (error) => {
        log.debug(`a link: summaries were not taken: ${errorMessage(error)}`);
        this.close();
      },
    });
    this.#tools = new LinkTools(this.#peer, (uri) => this.#followers.get(uri)?.session);
    this.#register();
    this.#peer.onClose(() => this.#closed());
  }

  /** How many clients of the other host hear of sessions, as far as it says. */
  get clients(): number {
    return this.#clients ?? 0;
  }

  /** Tells the other host what clients are told. Summaries are told only where somebody listens. */
  notify(params: NotifyParams): void {
    if (this.#peer.closeReason !== undefined || !this.#mayHear(params)) return;
    const { notification } = params;
    const { type } = notification;
    if (this.#clients !== undefined && (type === 'notify/sessionAdded' || type === 'notify/sessionSummaryChanged')) {
      const session = type === 'notify/sessionAdded' ? notification.summary.resource : notification.session;
      if (this.#clients > 0) this.#summaries.put(session, params);
      return;
    }
    // Also to a host without clients: it may still have a mirror of it.
    if (type === 'notify/sessionRemoved') this.#summaries.remove(notification.session);
    this.#peer.notify('link.notify', params);
  }

  /** A host without spaces would tell everybody. */
  #mayHear({ space = DEFAULT_SPACE }: NotifyParams): boolean {
    return space === DEFAULT_SPACE || (this.#version ?? 0) >= SPACES_SINCE;
  }

  /** The first time when the other host has said who it is. */
  tellAgents(agents: readonly AgentInfo[]): void {
    const params: AgentsParams = { agents };
    if (this.#version !== undefined && this.#peer.closeReason === undefined) this.#peer.notify('link.agents', params);
  }

  close(): void {
    this.#peer.dispose();
  }

  #write(frames: readonly EncodedFrame[]): void {
    if (this.#peer.closeReason !== undefined) return;
    for (const frame of frames) this.#transport.send(frame.text);
  }

  #register(): void {
    const peer = this.#peer;
    const parse = <T>(params: unknown) => params as T;
    peer.onRequest('link.hello', {
      parse: parse<HelloParams>,
      handle: ({ minVersion, maxVersion, clients }) => {
        if (maxVersion < MIN_LINK_VERSION || minVersion > LINK_VERSION) {
          throw new RpcError(ERROR_CODE.invalidRequest, `no common version of links: ${minVersion} to ${maxVersion}`);
        }
        this.#version = maxVersion;
        this.tellAgents(this.#options.agents());
        this.#clients = clients;
        this.#isAtOnce = true;
        return { hostId: this.#options.hostId, minVersion: MIN_LINK_VERSION, maxVersion: LINK_VERSION };
      },
    });
    peer.onRequest('link.ping', {
      parse: parse<object>,
      handle: (): PingResult => {
        this.#isAtOnce = true;
        return { beatAgeMs: this.#options.cluster.beatAgeMs };
      },
    });
    peer.onRequest('link.listen', { parse: parse<ListenParams>, handle: ({ clients }) => this.#listen(clients) });
    peer.onRequest('link.follow', { parse: parse<FollowParams>, handle: (params) => this.#follow(params) });
    peer.onRequest('link.command', {
      parse: parse<CommandParams>,
      handle: ({ method, params, as = this.#version === 1 ? CHECKED_THERE : undefined }) =>
        this.#options.runCommand(method, params, as),
    });
    peer.onRequest('link.take', {
      parse: parse<{ uri: URI }>,
      handle: ({ uri }) => this.#options.take(uri).then(() => null),
    });
    peer.onRequest('link.release', {
      parse: parse<ReleaseParams>,
      handle: ({ uri, to }) => this.#options.hub.drain.giveTo(uri, to).then(() => null),
    });
    peer.onRequest('link.bind', { parse: parse<BindParams>, handle: (params) => this.#bind(params) });
    peer.onNotification('link.unfollow', {
      parse: parse<{ uri: URI }>,
      handle: ({ uri }) => this.#unfollow(uri),
    });
    peer.onNotification('link.viewers', {
      parse: parse<ViewersParams>,
      handle: ({ uri, authors, lookers }) => this.#followers.get(uri)?.setAuthors(authors, lookers),
    });
    peer.onNotification('link.dispatch', { parse: parse<DispatchParams>, handle: (params) => this.#dispatch(params) });
  }

  /** What was told before is in the lists of that host when this is answered; the rest it hears. */
  async #listen(clients: number): Promise<object> {
    this.#clients = clients;
    if (clients > 0) await this.#options.hub.indexWritten();
    else this.#summaries.clear();
    return {};
  }

  async #follow({ uri, space = DEFAULT_SPACE, goesOn }: FollowParams): Promise<LateResult<object>> {
    const { hub, cluster } = this.#options;
    // It would wait for the database, and is somebody else's by then.
    if (!hub.loaded(uri) && !cluster.isSure) {
      throw new RpcError(ERROR_CODE.tooManyRequests, "this host can't reach the database right now");
    }
    if ((await hub.spaceOf(uri)) !== space) throw notFound(uri);
    const letGo = hub.hold(uri);
    try {
      const session = await hub.open(uri);
      if (session.space !== space) throw notFound(uri);
      return new LateResult(() => {
        // In this moment: the other host may have heard of its removal, and would not hear of it again.
        if (session.isClosed) {
          letGo();
          throw new RpcError(ERROR_CODE.tooManyRequests, `${uri} was closed just now`);
        }
        this.#unfollow(uri);
        const follower = new LinkFollower(uri, session, this.#options.hostId, {
          deliver: (frames) => this.#write(frames),
          moved: (isWhole) => this.#moved(uri, isWhole),
        });
        this.#followers.set(uri, follower);
        const { state, incarnation = '', fromSeq } = session.subscribe(follower, MIRROR_ROOM);
        letGo();
        const result: FollowResult = {
          state: state as FollowResult['state'],
          incarnation,
          accepted: session.accepted.entries(),
          space,
          fromSeq,
          told: goesOn ? session.told() : undefined,
        };
        // In the stream itself, where nothing can come between it and the first action.
        this.#peer.notify('link.followed', { uri, ...result });
        return {};
      });
    } catch (error) {
      letGo();
      throw error;
    }
  }

  #unfollow(uri: URI): void {
    this.#tools.ended(uri);
    this.#followers.get(uri)?.end();
    this.#followers.delete(uri);
  }

  /** The session goes: the other host looks where it is now. */
  #moved(uri: URI, isWhole = false): void {
    this.#unfollow(uri);
    const params: MovedParams = { uri, isWhole };
    if (this.#peer.closeReason === undefined) this.#peer.notify('link.moved', params);
  }

  /** Its clients have connected there: what they sent over other connections is dropped from now on (FOL4). */
  #bind({ uri, clients }: BindParams): BindResult {
    const { routes } = this.#followers.get(uri)?.session ?? {};
    if (!routes) throw new RpcError(ERROR_CODE.sessionNotFound, `${uri} is not followed`);
    this.#isAtOnce = true;
    return { routes: clients.map((client) => routes.bind(client)) };
  }

  #dispatch({ uri, route, clientSeq, action, as }: DispatchParams): void {
    const follower = this.#followers.get(uri);
    if (!follower) {
      this.#moved(uri);
      return;
    }
    const settle = (envelope: ActionEnvelope) => {
      const params: SettledParams = { uri, client, route, envelope };
      if (this.#peer.closeReason === undefined) this.#peer.notify('link.settled', params);
    };
    const sender = new LinkSender(follower, as, (frame) => {
      const { params } = JSON.parse(frame.text) as { params: { envelope: ActionEnvelope } };
      settle(params.envelope);
    });
    const client = acceptedKey(originOf(sender, 0));
    if (route !== undefined && follower.session.routes?.isNewest(client, route) === false) {
      const dropped: DroppedParams = { uri, client, route, clientSeq };
      this.#peer.notify('link.dropped', dropped);
      return;
    }
    // A newer host may know actions that this one does not.
    if (SCHEMAS.ClientAction.safeParse(action).success) follower.session.dispatchFromClient(sender, clientSeq, action);
    else settle({ action, serverSeq: 0, origin: originOf(sender, clientSeq), ...refuse('invalidAction') });
  }

  #closed(): void {
    this.#summaries.clear();
    for (const uri of [...this.#followers.keys()]) this.#unfollow(uri);
  }
}

interface FollowerLink {
  deliver(frames: readonly EncodedFrame[]): void;
  moved(isWhole?: boolean): void;
}

/** All clients of another host that look at one session: to the session, one subscriber. */
class LinkFollower implements Subscriber {
  readonly uri: URI;
  readonly session: Session;
  readonly author: Author;
  readonly protocolVersion = PROTOCOL_VERSION;
  authors: readonly Author[] = [];
  readonly #to: FollowerLink;
  #lookers = NO_LOOKERS;

  constructor(uri: URI, session: Session, hostId: string, to: FollowerLink) {
    this.uri = uri;
    this.session = session;
    this.author = { clientId: hostId };
    this.#to = to;
  }

  setAuthors(authors: readonly Author[], lookers?: Lookers): void {
    this.authors = authors;
    this.#lookers = lookers ?? { anybody: authors.length > 0, devices: [] };
    this.session.looksChanged();
  }

  lookersOf(): Lookers {
    return this.#lookers;
  }

  deliver(frames: readonly EncodedFrame[]): void {
    this.#to.deliver(frames);
  }

  cutOff(): void {
    this.#to.moved();
  }

  sessionMoved(): void {
    this.#to.moved(true);
  }

  end(): void {
    this.session.unsubscribe(this);
  }
}

/** A client of another host that sends an action. It gets the echo as all others there do; what is for it alone is passed on. */
class LinkSender implements Subscriber {
  readonly author: Author;
  readonly tokenName: string | undefined;
  readonly protocolVersion: number;
  readonly role: Role;
  readonly via: Subscriber;
  readonly #answer: (frame: EncodedFrame) => void;

  constructor(
    via: Subscriber,
    { author, tokenName, protocolVersion, role }: LinkClient,
    answer: (frame: EncodedFrame) => void,
  ) {
    this.via = via;
    this.author = author;
    this.tokenName = tokenName;
    this.protocolVersion = protocolVersion;
    this.role = role;
    this.#answer = answer;
  }

  deliver(frames: readonly EncodedFrame[]): void {
    for (const frame of frames) this.#answer(frame);
  }

  cutOff(reason: string): void {
    this.via.cutOff(reason);
  }
}
