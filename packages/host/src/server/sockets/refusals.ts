import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Refusal } from '../requestGuard.js';
import { findRoute } from '../routes.js';
import { SECURITY_HEADERS } from '../securityHeaders.js';

export const SOCKET_PATH = '/ws';

/** How long a refused client has to read the reason. */
export const REFUSAL_MS = 2_000;

export function routeRefusal(request: IncomingMessage): Refusal | undefined {
  return findRoute(request) ? undefined : { status: 404, reason: 'There is nothing here.' };
}

export function pathRefusal(request: IncomingMessage): Refusal | undefined {
  // Matches exactly: a query could carry a token into another log.
  return request.url === SOCKET_PATH ? undefined : { status: 404, reason: `WebSockets are served at ${SOCKET_PATH}.` };
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Answers a refused upgrade. */
export function refuse(socket: Duplex, { status, reason }: Refusal): void {
  const headers = [
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
    'content-type: text/plain; charset=utf-8',
    `content-length: ${Buffer.byteLength(reason)}`,
  ];
  socket.end(
    `HTTP/1.1 ${status} ${status === 401 ? 'Unauthorized' : 'Refused'}\r\n${headers.join('\r\n')}\r\n\r\n${reason}`,
  );
  // A client that never hangs up would keep its descriptor.
  setTimeout(() => socket.destroy(), REFUSAL_MS).unref();
}
