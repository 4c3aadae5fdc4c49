import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { HostUnreachableError } from '@agenthost/client';
import { SUBPROTOCOL } from '@agenthost/protocol';

export interface UpgradeOptions {
  readonly url: URL;
  readonly token: string;
  readonly authority?: string;
  readonly signal: AbortSignal;
}

export interface Refusal {
  readonly status: number;
  readonly reason: string;
}

export type Upgraded =
  | { readonly socket: Socket; readonly head: Buffer; readonly refusal?: never }
  | { readonly socket?: never; readonly head?: never; readonly refusal: Refusal };

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const MAX_REASON_CHARS = 300;

/** The handshake of a WebSocket. A refusal is returned with its reason. */
export function upgrade({ url, token, authority, signal }: UpgradeOptions): Promise<Upgraded> {
  // Not imported: an import as modules loads everything that they have, including a WebSocket.
  const { createHash, randomBytes } = process.getBuiltinModule('node:crypto');
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
  const { request } = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
  const key = randomBytes(16).toString('base64');
  const address = new URL(url.pathname === '/' ? '/ws' : url.pathname, url);
  address.protocol = isSecure ? 'https:' : 'http:';
  return new Promise((resolve, reject) => {
    const outgoing = request(address, {
      signal,
      agent: false,
      ...(authority !== undefined && { ca: [...defaultAuthorities(), authority] }),
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': key,
        'sec-websocket-protocol': SUBPROTOCOL,
        authorization: `Bearer ${token}`,
      },
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      reject(signal.aborted ? signal.reason : new HostUnreachableError(reasonOf(error, address), { cause: error }));
    });
    outgoing.on('response', (response) => {
      readReason(response).then((reason) => resolve({ refusal: { status: response.statusCode ?? 0, reason } }), reject);
    });
    outgoing.on('upgrade', (response, socket, head) => {
      const accepted = createHash('sha1').update(`${key}${GUID}`).digest('base64');
      if (response.headers['sec-websocket-accept'] === accepted) return resolve({ socket: socket as Socket, head });
      socket.destroy();
      reject(new HostUnreachableError(`what answers at ${address.origin} is no host`));
    });
    outgoing.end();
  });
}

/** Those of the system. */
export function defaultAuthorities(): readonly string[] {
  return process.getBuiltinModule('node:tls').getCACertificates('default');
}

async function readReason(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_REASON_CHARS) break;
  }
  return text.slice(0, MAX_REASON_CHARS).trim() || (response.statusMessage ?? '');
}

function reasonOf({ code, message }: NodeJS.ErrnoException, { origin }: URL): string {
  if (code === 'ECONNREFUSED') return `nothing listens at ${origin}`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `${origin} has no address`;
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code ?? ''))
    return `the certificate of ${origin} is not trusted here (${code}), name it in NODE_EXTRA_CA_CERTS`;
  return `${origin}: ${message}`;
}
