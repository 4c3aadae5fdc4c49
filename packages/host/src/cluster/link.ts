import type { ActionEnvelope, URI } from '@agenthost/protocol';
import { type CloseReason, RpcPeer, type Transport } from '@agenthost/rpc';
import { WebSocket } from 'ws';
import type { HostLog } from '../hostLog.js';
import { linkProof } from './linkKeys.js';
import {
  type FollowResult,
  type HelloParams,
  LINK_PATH,
  LINK_VERSION,
  MAX_LINK_FRAME_BYTES,
  MIN_LINK_VERSION,
  type NotifyParams,
  type PingResult,
  type SettledParams,
} from './linkMessages.js';

/** What comes over a link. */
export interface LinkEvents {
  followed(uri: URI, result: FollowResult): void;
  action(uri: URI, envelope: ActionEnvelope): void;
  settled(params: SettledParams): void;
  moved(uri: URI): void;
  notified(params: NotifyParams): void;
  closed(): void;
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

  /** Rejects when the other host can't be reached, or refuses. */
  static async connect(from: string, target: LinkTarget, events: LinkEvents, log: HostLog): Promise<Link> {
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
    const link = new Link(target.id, socketTransport(socket), events, log);
    const hello: HelloParams = { hostId: from, minVersion: MIN_LINK_VERSION, maxVersion: LINK_VERSION };
    try {
      await link.#peer.request('link.hello', hello, { timeoutMs: SILENCE_MS });
      return link;
    } catch (error) {
      link.close();
      throw error;
    }
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
    peer.onNotification('link.moved', { parse: parse<{ uri: URI }>, handle: ({ uri }) => events.moved(uri) });
    peer.onNotification('link.notify', { parse: parse<NotifyParams>, handle: (params) => events.notified(params) });
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
