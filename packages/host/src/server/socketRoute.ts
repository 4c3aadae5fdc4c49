import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Transport } from '@agenthost/rpc';
import type { Credential } from '../connection/credential.js';
import type { FrameTransport } from '../connection/frameTransport.js';
import { EncodedFrame } from '../state/delivery.js';

/** WebSockets on a separate path, for a gateway that speaks another protocol. The server checks access. */
export interface SocketRoute {
  /** Matches exactly this path. */
  readonly path: string;
  /** The query parameter with the token, for clients that can't send it elsewhere. The query is never logged. */
  readonly tokenParameter?: string;
  /** For programs that have no token but another proof. */
  readonly identify?: (headers: IncomingHttpHeaders) => Credential | undefined;
  /** The largest frame and the most unread bytes, where they differ from those of clients. */
  readonly admitsFiles?: boolean;
  readonly maxBufferedBytes?: number;
  readonly onConnection: (transport: Transport, credential: Credential) => void;
}

export function findSocketRoute(
  routes: readonly SocketRoute[],
  { url = '' }: IncomingMessage,
): SocketRoute | undefined {
  const path = pathOf(url);
  return routes.find((route) => route.path === path && (route.tokenParameter !== undefined || path === url));
}

export function queryToken({ tokenParameter }: SocketRoute, { url = '' }: IncomingMessage): string | undefined {
  if (tokenParameter === undefined) return undefined;
  return new URLSearchParams(url.slice(pathOf(url).length)).get(tokenParameter) ?? undefined;
}

/** Frame by frame: frames for a single client need no encoding in advance. */
export function transportOver(frames: FrameTransport): Transport {
  return {
    onMessage: (listener) => frames.onMessage(listener),
    onClose: (listener) => frames.onClose(listener),
    close: (reason) => frames.close(reason),
    send: (frame) =>
      frames.write([new EncodedFrame(typeof frame === 'string' ? frame : new TextDecoder().decode(frame))]),
  };
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? '';
}
