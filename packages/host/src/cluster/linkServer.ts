import {
  type ActionEnvelope,
  type Author,
  ERROR_CODE,
  PROTOCOL_VERSION,
  type Role,
  type URI,
} from '@agenthost/protocol';
import { refuse } from '@agenthost/protocol/internal';
import { SCHEMAS } from '@agenthost/protocol/schemas';
import { LateResult, RpcError, RpcPeer, type Transport } from '@agenthost/rpc';
import type { HostLog } from '../hostLog.js';
import type { Session } from '../sessions/session.js';
import type { SessionHub } from '../sessions/sessionHub.js';
import { acceptedKey } from '../sessions/turn/acceptedSequences.js';
import { type Delivery, EncodedFrame } from '../state/delivery.js';
import { originOf, type Subscriber } from '../state/publisher.js';
import type { Cluster } from './cluster.js';
import {
  type CommandParams,
  type DispatchParams,
  type FollowResult,
  type HelloParams,
  LINK_VERSION,
  type LinkClient,
  MAX_LINK_FRAME_BYTES,
  MIN_LINK_VERSION,
  type NotifyParams,
  type PingResult,
  type SettledParams,
  type ViewersParams,
} from './linkMessages.js';

export interface LinkServerOptions {
  readonly hostId: string;
  /** The sessions that this host owns. */
  readonly hub: SessionHub;
  readonly cluster: Pick<Cluster, 'beatAgeMs' | 'isSure'>;
  readonly delivery: Delivery;
  /** Carries out a client's command here. */
  readonly runCommand: (method: string, params: object, as: LinkClient) => Promise<unknown>;
  readonly log: HostLog;
}

/** Turns and bytes of the state that a follower mirrors. */
const MIRROR_ROOM = { turns: 50, bytes: 8 * 1024 * 1024 };

/** One link from another host, whose clients look at sessions of this one. */
export class LinkServer {
  readonly #options: LinkServerOptions;
  readonly #peer: RpcPeer;
  readonly #followers = new Map<URI, LinkFollower>();
  readonly #transport: Transport;
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
    this.#register();
    this.#peer.onClose(() => this.#closed());
  }

  /** Tells the other host what all clients are told. */
  notify(params: NotifyParams): void {
    if (this.#peer.closeReason === undefined) this.#peer.notify('link.notify', params);
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
      handle: ({ minVersion, maxVersion }) => {
        if (maxVersion < MIN_LINK_VERSION || minVersion > LINK_VERSION) {
          throw new RpcError(ERROR_CODE.invalidRequest, `no common version of links: ${minVersion} to ${maxVersion}`);
        }
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
    peer.onRequest('link.follow', { parse: parse<{ uri: URI }>, handle: ({ uri }) => this.#follow(uri) });
    peer.onRequest('link.command', {
      parse: parse<CommandParams>,
      handle: ({ method, params, as }) => this.#options.runCommand(method, params, as),
    });
    peer.onNotification('link.unfollow', {
      parse: parse<{ uri: URI }>,
      handle: ({ uri }) => this.#unfollow(uri),
    });
    peer.onNotification('link.viewers', {
      parse: parse<ViewersParams>,
      handle: ({ uri, authors }) => this.#followers.get(uri)?.setAuthors(authors),
    });
    peer.onNotification('link.dispatch', { parse: parse<DispatchParams>, handle: (params) => this.#dispatch(params) });
  }

  async #follow(uri: URI): Promise<LateResult<object>> {
    const { hub, cluster } = this.#options;
    // It would wait for the database, and is somebody else's by then.
    if (!hub.loaded(uri) && !cluster.isSure) {
      throw new RpcError(ERROR_CODE.tooManyRequests, "this host can't reach the database right now");
    }
    const letGo = hub.hold(uri);
    try {
      const session = await hub.open(uri);
      return new LateResult(() => {
        this.#unfollow(uri);
        const follower = new LinkFollower(uri, session, this.#options.hostId, {
          deliver: (frames) => this.#write(frames),
          moved: () => this.#moved(uri),
        });
        this.#followers.set(uri, follower);
        const { state, incarnation = '' } = session.subscribe(follower, MIRROR_ROOM);
        letGo();
        const result: FollowResult = {
          state: state as FollowResult['state'],
          incarnation,
          accepted: session.accepted.entries(),
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
    this.#followers.get(uri)?.end();
    this.#followers.delete(uri);
  }

  /** The session goes: the other host looks where it is now. */
  #moved(uri: URI): void {
    this.#unfollow(uri);
    if (this.#peer.closeReason === undefined) this.#peer.notify('link.moved', { uri });
  }

  #dispatch({ uri, clientSeq, action, as }: DispatchParams): void {
    const follower = this.#followers.get(uri);
    if (!follower) {
      this.#moved(uri);
      return;
    }
    const settle = (envelope: ActionEnvelope) => {
      const client = acceptedKey(originOf(sender, 0));
      const params: SettledParams = { uri, client, envelope };
      if (this.#peer.closeReason === undefined) this.#peer.notify('link.settled', params);
    };
    const sender = new LinkSender(follower, as, (frame) => {
      const { params } = JSON.parse(frame.text) as { params: { envelope: ActionEnvelope } };
      settle(params.envelope);
    });
    // A newer host may know actions that this one does not.
    if (SCHEMAS.ClientAction.safeParse(action).success) follower.session.dispatchFromClient(sender, clientSeq, action);
    else settle({ action, serverSeq: 0, origin: originOf(sender, clientSeq), ...refuse('invalidAction') });
  }

  #closed(): void {
    for (const uri of [...this.#followers.keys()]) this.#unfollow(uri);
  }
}

interface FollowerLink {
  deliver(frames: readonly EncodedFrame[]): void;
  moved(): void;
}

/** All clients of another host that look at one session: to the session, one subscriber. */
class LinkFollower implements Subscriber {
  readonly uri: URI;
  readonly session: Session;
  readonly author: Author;
  readonly protocolVersion = PROTOCOL_VERSION;
  authors: readonly Author[] = [];
  readonly #to: FollowerLink;

  constructor(uri: URI, session: Session, hostId: string, to: FollowerLink) {
    this.uri = uri;
    this.session = session;
    this.author = { clientId: hostId };
    this.#to = to;
  }

  setAuthors(authors: readonly Author[]): void {
    this.authors = authors;
    this.session.viewersChanged();
  }

  deliver(frames: readonly EncodedFrame[]): void {
    this.#to.deliver(frames);
  }

  cutOff(): void {
    this.#to.moved();
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
