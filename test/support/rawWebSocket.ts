import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { RawAddress } from './rawClient.js';

interface RawHandshake {
  /** Goes out with the request. */
  readonly behind?: Buffer;
  readonly subprotocol?: string;
}

/** A socket behind the handshake of WebSockets, for frames that no library would send. */
export async function rawWebSocket(
  { url, token }: RawAddress,
  { behind = Buffer.alloc(0), subprotocol }: RawHandshake = {},
): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  socket.on('error', () => {});
  const headers = [
    'GET /ws HTTP/1.1',
    `Host: ${url.host}`,
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    `Authorization: Bearer ${token}`,
    ...(subprotocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${subprotocol}`]),
  ];
  socket.write(Buffer.concat([Buffer.from(`${headers.join('\r\n')}\r\n\r\n`), behind]));
  const [answer] = (await once(socket, 'data')) as [Buffer];
  if (!String(answer).startsWith('HTTP/1.1 101')) throw new Error(`not let in: ${String(answer)}`);
  const rest = answer.subarray(answer.indexOf('\r\n\r\n') + 4);
  if (rest.length > 0) socket.unshift(rest);
  return socket;
}

/** One frame, masked with zeros as the smallest mask that there is; for up to 125 bytes. */
export function maskedFrame(opcode: number, text: string): Buffer {
  const payload = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}
