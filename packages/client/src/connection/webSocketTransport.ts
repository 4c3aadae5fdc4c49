import { FILES_SUBPROTOCOL, SUBPROTOCOL, TOKEN_SUBPROTOCOL_PREFIX } from '@agenthost/protocol';
import { type CloseReason, type Frame, frameToText, Inbox, type InboxOptions, type Transport } from '@agenthost/rpc';
import { closeError, HostUnreachableError } from '../errors.js';

export interface WebSocketTransportOptions extends InboxOptions {
  /** `http(s):` or `ws(s):`; without a path it is `/ws`. */
  readonly url: string | URL;
  readonly token?: string | undefined;
  /** This client keeps the sessions' files: whole files go over the connection. */
  readonly keepsFiles?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** How much the other side may leave unread before the transport closes itself. Default 16 MiB. */
  readonly maxBufferedBytes?: number;
}

const DEFAULT_MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
const NORMAL_CLOSE = 1000;
/** Codes below can't be given to `close()`; 3000–4999 are for libraries and applications. */
const FIRST_APPLICATION_CODE = 3000;
const MAX_CLOSE_REASON_CHARS = 40;

/**
 * A transport over the WebSocket that browsers and Node have. Resolves when it is open.
 *
 * @example
 * ```ts
 * const host = await connect({
 *   transport: (signal) => createWebSocketTransport({ url, token, signal, maxBufferedBytes: 1_000_000 }),
 * });
 * ```
 */
export function createWebSocketTransport(options: WebSocketTransportOptions): Promise<Transport> {
  const { signal } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const url = webSocketUrl(options.url);
    const socket = openSocket(url, options);
    const transport = wrap(socket, options);
    const finish = (settle: () => void) => {
      signal?.removeEventListener('abort', onAbort);
      closed.dispose();
      settle();
    };
    const onAbort = () => {
      finish(() => reject(signal?.reason));
      transport.close();
    };
    const closed = transport.onClose((reason) => finish(() => reject(openError(url, reason))));
    socket.addEventListener('open', () => finish(() => resolve(transport)), { once: true });
    signal?.addEventListener('abort', onAbort);
  });
}

/** The token is never a part of it: addresses end up in logs. */
export function webSocketUrl(from: string | URL): string {
  const url = new URL(from);
  if (url.protocol === 'http:') url.protocol = 'ws:';
  else if (url.protocol === 'https:') url.protocol = 'wss:';
  else if (url.protocol !== 'ws:' && url.protocol !== 'wss:') {
    throw new TypeError(`a host's address begins with http:, https:, ws: or wss:, not ${url.protocol}`);
  }
  if (url.pathname === '/') url.pathname = '/ws';
  url.hash = '';
  return url.href;
}

/**
 * A page can only offer the token as a subprotocol, and the browser says where the page is from. Outside of a browser nothing
 * says that, so the host wants the token in the header; Node's WebSocket takes headers where browsers take subprotocols only.
 */
function openSocket(url: string, { token, keepsFiles }: WebSocketTransportOptions): WebSocket {
  const protocols = [SUBPROTOCOL, ...(keepsFiles ? [FILES_SUBPROTOCOL] : [])];
  if (token === undefined) return new WebSocket(url, protocols);
  if (!isNode()) return new WebSocket(url, [...protocols, `${TOKEN_SUBPROTOCOL_PREFIX}${token}`]);
  return new WebSocket(url, { protocols, headers: { authorization: `Bearer ${token}` } } as unknown as string[]);
}

function isNode(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  return process?.versions?.node !== undefined;
}

function wrap(socket: WebSocket, options: WebSocketTransportOptions): Transport {
  const { maxBufferedBytes = DEFAULT_MAX_BUFFERED_BYTES } = options;
  const close = (reason: CloseReason = { message: 'closed by this side' }) => {
    const { code = NORMAL_CLOSE, message } = reason;
    socket.close(code >= FIRST_APPLICATION_CODE ? code : NORMAL_CLOSE, message.slice(0, MAX_CLOSE_REASON_CHARS));
    inbox.close(reason);
  };
  const inbox = new Inbox(close, options);
  // Text that was sent as a binary frame is still text; a Blob would arrive out of order.
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    inbox.receive(typeof data === 'string' ? data : frameToText(new Uint8Array(data as ArrayBuffer)));
  });
  socket.addEventListener('close', ({ code, reason, wasClean }) => {
    inbox.end({ code, message: reason || (wasClean ? 'closed by the host' : 'the connection broke') });
  });
  return {
    send: (frame: Frame) => {
      if (inbox.ended || socket.readyState !== WebSocket.OPEN) return;
      socket.send(frameToText(frame));
      if (socket.bufferedAmount > maxBufferedBytes) close({ message: 'the host does not read what is sent' });
    },
    onMessage: (listener) => inbox.onMessage(listener),
    onClose: (listener) => inbox.onClose(listener),
    close,
  };
}

function openError(url: string, reason: CloseReason): Error {
  return closeError(reason) ?? new HostUnreachableError(`${url} did not accept the connection (${reason.message})`);
}
