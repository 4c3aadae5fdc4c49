import type { ActionEnvelope, URI } from '@agenthost/protocol';
import { type CloseReason, RpcPeer, type Transport } from '@agenthost/rpc';
import { WebSocket } from 'ws';
import type { HostLog } from '../../hostLog.js';
import { linkProof } from './linkKeys.js';
import {
  type AgentsParams,
  type DroppedParams,
  type FollowResult,
  type HelloParams,
  LINK_PATH,
  LINK_VERSION,
  MAX_LINK_FRAME_BYTES,
  MIN_LINK_VERSION,
  type MovedParams,
  type NotifyParams,
  type PingResult,
  type SettledParams,
  type SummariesParams,
} from './linkMessages.js';
import type { LinkCallParams, LinkCallResult } from './linkTools.js';

/** What comes over a link. */
export interface LinkEvents {
  followed(uri: URI, result: FollowResult): void;
  action(uri: URI, envelope: ActionEnvelope): void;
  settled(params: SettledParams): void;
  dropped(params: DroppedParams): void;
  /** `isWhole`: all that was told of it is stored. */
  moved(uri: URI, isWhole: boolean): void;
  notified(params: NotifyParams): void;
  /** Its agents have changed. Not checked: it may be newer than this host. */
  agents(agents: unknown): void;
  closed(): void;
  /** The owner of a session calls a tool of a client of this host; nothing when it follows none of them. */
  callTool?(params: LinkCallParams, signal: AbortSignal): Promise<LinkCallResult> | undefined;
}

export interface LinkTarget {
  readonly id: string;
  readonly url: string;
  readonly linkKey: string;
}

const CONNECT_MS = 3_000;
const PING_MS = 1_000;
/** A host that does not answer for this long is not there, or not reachable from here. */
const SILENCE_MS = 3_000;
/** Bytes that may wait to be sent; more, and the link is cut. */
const MAX_WAITING_BYTES = 32 * 1024 * 1024;

/** A connection from this host to another one, for the sessions that the other owns. */
export class Link {
  readonly hostId: string;
  readonly #peer: RpcPeer;
  readonly #pings: NodeJS.Timeout;
  /** The highest that both sides speak. */
  #version = MIN_LINK_VERSION;

  /** Rejects when the other host can't be reached, or refuses. */
  static async connect(
    from: Pick<HelloParams, 'hostId' | 'clients'>,
    target: LinkTarget,
    events: LinkEvents,
    log: HostLog,
  ): Promise<Link> {
    const link = new Link(target.id, await Link.dial(from.hostId, target, log), events, log);
    const hello: HelloParams = { ...from, minVersion: MIN_LINK_VERSION, maxVersion: LINK_VERSION };
    try {
      const theirs = (await link.#peer.request('link.hello', hello, { timeoutMs: SILENCE_MS })) as HelloParams;
      link.#version = Math.min(theirs.maxVersion, LINK_VERSION);
      return link;
    } catch (error) {
      link.close();
      throw error;
    }
  }

  /** The connection below a link. The tests put a network of their own in its place. */
  static async dial(from: string, target: LinkTarget, log: HostLog): Promise<Transport> {
    const url = new URL(LINK_PATH, target.url);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(url, {
      headers: { authorization: linkProof(target.linkKey, from, target.id) },
      handshakeTimeout: CONNECT_MS,
      maxPayload: MAX_LINK_FRAME_BYTES,
      perMessageDeflate: false,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    socket.on('error', (error) => log.debug(`the link to ${target.id} failed: ${error.message}`));
    return socketTransport(socket);
  }

  private constructor(hostId: string, transport: Transport, events: LinkEvents, log: HostLog) {
    this.hostId = hostId;
    const peer = new RpcPeer(transport, {
      maxFrameBytes: MAX_LINK_FRAME_BYTES,
      maxValues: Number.POSITIVE_INFINITY,
      onError: (error) => log.debug(`the link to ${hostId}: ${error.message}`),
    });
    this.#peer = peer;
    const parse = <T>(params: unknown) => params as T;
    peer.onNotification('link.followed', {
      parse: parse<FollowResult & { uri: URI }>,
      handle: ({ uri, ...result }) => events.followed(uri, result),
    });
    peer.onNotification('action', {
      parse: parse<{ envelope: ActionEnvelope }>,
      handle: ({ envelope }) => {
        if ('session' in envelope.action) events.action(envelope.action.session, envelope);
      },
    });
    peer.onNotification('link.settled', { parse: parse<SettledParams>, handle: (params) => events.settled(params) });
    peer.onNotification('link.dropped', { parse: parse<DroppedParams>, handle: (params) => events.dropped(params) });
    peer.onNotification('link.moved', {
      parse: parse<MovedParams>,
      handle: ({ uri, isWhole = false }) => events.moved(uri, isWhole),
    });
    peer.onNotification('link.notify', { parse: parse<NotifyParams>, handle: (params) => events.notified(params) });
    peer.onNotification('link.agents', {
      parse: parse<Partial<AgentsParams> | undefined>,
      handle: (params) => events.agents(params?.agents),
    });
    peer.onRequest('link.summaries', {
      parse: parse<SummariesParams>,
      handle: ({ items }) => {
        for (const item of items) events.notified(item);
        return {};
      },
    });
    peer.onRequest('link.callTool', {
      parse: parse<LinkCallParams>,
      handle: async (params, { signal }): Promise<LinkCallResult> =>
        (await events.callTool?.(params, signal)) ?? { isGone: true },
    });
    this.#pings = setInterval(() => {
      this.ping().catch(() => this.close());
    }, PING_MS).unref();
    peer.onClose(() => {
      clearInterval(this.#pings);
      events.closed();
    });
  }

  get isOpen(): boolean {
    return this.#peer.closeReason === undefined;
  }

  /** Whether the other host knows routes. */
  get hasRoutes(): boolean {
    return this.#version >= 2;
  }

  /** How long ago that host has reached the database. Rejects when it is silent. */
  async ping(): Promise<number> {
    const { beatAgeMs } = (await this.#peer.request('link.ping', {}, { timeoutMs: SILENCE_MS })) as PingResult;
    return beatAgeMs;
  }

  request(method: string, params: object, options?: { readonly timeoutMs: number }): Promise<unknown> {
    return this.#peer.request(method, params, options);
  }

  notify(method: string, params: object): void {
    if (this.isOpen) this.#peer.notify(method, params);
  }

  close(): void {
    this.#peer.dispose();
  }
}

function socketTransport(socket: WebSocket): Transport {
  return {
    onMessage: (listener) => {
      const onMessage = (data: unknown) => listener(String(data));
      socket.on('message', onMessage);
      return { dispose: () => void socket.off('message', onMessage) };
    },
    onClose: (listener) => {
      const onClose = (code: number, reason: Buffer) => listener({ code, message: String(reason) });
      socket.on('close', onClose);
      return { dispose: () => void socket.off('close', onClose) };
    },
    send: (frame) => {
      if (socket.bufferedAmount > MAX_WAITING_BYTES) socket.terminate();
      else socket.send(frame);
    },
    close: (_reason?: CloseReason) => socket.terminate(),
  };
}
