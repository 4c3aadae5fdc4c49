import { type Frame, frameToText } from '../peer/frame.js';
import { Inbox, type InboxOptions } from '../peer/inbox.js';
import type { CloseReason, Transport } from '../transport.js';

/** What browsers' MessagePort and Node's worker_threads MessagePort have in common. */
export interface MessagePortLike {
  postMessage(message: unknown): void;
  addEventListener(type: string, listener: (event: Event) => void): void;
  removeEventListener(type: string, listener: (event: Event) => void): void;
  start(): void;
  close(): void;
}

// Frames are posted as strings, so an object cannot be taken for one.
interface CloseMarker {
  readonly rpcClose: CloseReason;
}

/**
 * Takes over the port: closing the transport closes it. A marker tells the other side, because browsers don't
 * reliably fire 'close'; where the event exists it covers a side that died without one. Messages that are neither a string
 * nor the marker are ignored.
 *
 * @example
 * ```ts
 * const { port1, port2 } = new MessageChannel();
 * const page = new RpcPeer(createMessagePortTransport(port1));
 * const worker = new RpcPeer(createMessagePortTransport(port2));
 * ```
 */
export function createMessagePortTransport(port: MessagePortLike, options: InboxOptions = {}): Transport {
  const release = () => {
    port.removeEventListener('message', onMessage);
    port.removeEventListener('close', onPortClose);
    port.close();
  };
  const end = (reason: CloseReason) => {
    if (inbox.ended) return;
    release();
    inbox.end(reason);
  };
  const close = (reason: CloseReason = { message: 'closed by this side' }) => {
    if (!inbox.ended) {
      port.postMessage({ rpcClose: reason } satisfies CloseMarker);
      release();
    }
    inbox.close(reason);
  };
  const inbox = new Inbox(close, options);
  const onMessage = (event: Event) => {
    const { data } = event as MessageEvent<unknown>;
    if (typeof data === 'string') inbox.receive(data);
    else if (isCloseMarker(data)) end(data.rpcClose);
  };
  const onPortClose = () => end({ message: 'the port was closed' });
  port.addEventListener('message', onMessage);
  port.addEventListener('close', onPortClose);
  port.start();
  return {
    send: (frame: Frame) => {
      if (!inbox.ended) port.postMessage(frameToText(frame));
    },
    onMessage: (listener) => inbox.onMessage(listener),
    onClose: (listener) => inbox.onClose(listener),
    close,
  };
}

function isCloseMarker(data: unknown): data is CloseMarker {
  if (typeof data !== 'object' || data === null) return false;
  const reason = (data as Partial<CloseMarker>).rpcClose;
  return typeof reason === 'object' && reason !== null && typeof reason.message === 'string';
}
