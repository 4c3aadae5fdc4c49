import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { SUBPROTOCOL } from '@agenthost/protocol';
import { WebSocketServer } from 'ws';
import { REFUSAL_MS } from './refusals.js';

/** A client may have sent its first request before it reads the refusal. It is neither read nor kept. */
const MAX_PAYLOAD_BYTES = 16 * 1024;

/**
 * Sockets that are opened only to be closed with a reason: a page can't see why an upgrade was refused, only why a socket was closed.
 * Nothing of such a client is processed: its data is bounded and dropped, and it is ended if it does not hang up.
 */
export class RefusedSockets {
  readonly #server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: MAX_PAYLOAD_BYTES,
    handleProtocols: () => SUBPROTOCOL,
  });

  /** The request has offered `SUBPROTOCOL`. */
  refuse(request: IncomingMessage, socket: Duplex, head: Buffer, code: number, reason: string): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      // A malformed or oversize frame: without a listener the error would end the process. `ws` drops what follows.
      webSocket.on('error', () => {});
      webSocket.close(code, reason);
      const timer = setTimeout(() => webSocket.terminate(), REFUSAL_MS).unref();
      webSocket.on('close', () => clearTimeout(timer));
    });
  }

  close(): void {
    for (const webSocket of this.#server.clients) webSocket.terminate();
    this.#server.close();
  }
}
