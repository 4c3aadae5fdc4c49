/** Just enough of RFC 6455 to put the client's transport to the test without a dependency; the host has a real server. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type CloseReason, type Frame, frameToBytes, Inbox, type Transport } from '@agenthost/rpc';

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;

export interface WebSocketServer {
  readonly url: string;
  /** The other end of each connection, in order. */
  accept(): Promise<{ readonly transport: Transport; readonly request: IncomingMessage }>;
  close(): void;
}

export async function startWebSocketServer(options: { readonly refuse?: boolean } = {}): Promise<WebSocketServer> {
  const waiting: ((accepted: { transport: Transport; request: IncomingMessage }) => void)[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer();
  server.on('upgrade', (request, socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (options.refuse) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash('sha1').update(key).digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: agenthost\r\n\r\n`,
    );
    waiting.shift()?.({ transport: serverTransport(socket), request });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accept: () => new Promise((resolve) => waiting.push(resolve)),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function serverTransport(socket: Duplex): Transport {
  const close = ({ code = 1000, message }: CloseReason = { message: 'closed by the server' }) => {
    if (!inbox.ended) {
      socket.write(encodeFrame(CLOSE, Buffer.concat([Buffer.from([code >> 8, code & 255]), Buffer.from(message)])));
    }
    inbox.close({ code, message });
  };
  const inbox = new Inbox(close);
  let data = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    data = Buffer.concat([data, chunk]);
    for (let frame = decodeFrame(data); frame; frame = decodeFrame(data)) {
      data = data.subarray(frame.length);
      if (frame.opcode === TEXT) inbox.receive(frame.payload.toString('utf8'));
      if (frame.opcode !== CLOSE) continue;
      if (!inbox.ended) socket.write(encodeFrame(CLOSE, frame.payload.subarray(0, 2)));
      inbox.end({ code: frame.payload.readUInt16BE(0), message: frame.payload.subarray(2).toString() });
      socket.end();
    }
  });
  socket.on('close', () => inbox.end({ code: 1006, message: 'gone' }));
  return {
    send: (frame: Frame) => {
      const opcode = typeof frame === 'string' ? TEXT : BINARY;
      if (!inbox.ended) socket.write(encodeFrame(opcode, Buffer.from(frameToBytes(frame))));
    },
    onMessage: (listener) => inbox.onMessage(listener),
    onClose: (listener) => inbox.onClose(listener),
    close,
  };
}

function encodeFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/** Clients mask what they send. Fragmented messages are not sent by those that we test. */
function decodeFrame(data: Buffer): { opcode: number; payload: Buffer; length: number } | undefined {
  if (data.length < 6) return undefined;
  const short = data.readUInt8(1) & 127;
  const lengthEnd = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (data.length < lengthEnd + 4) return undefined;
  const size = short === 126 ? data.readUInt16BE(2) : short === 127 ? Number(data.readBigUInt64BE(2)) : short;
  const length = lengthEnd + 4 + size;
  if (data.length < length) return undefined;
  const mask = data.subarray(lengthEnd, lengthEnd + 4);
  const payload = data.subarray(lengthEnd + 4, length).map((byte, index) => byte ^ mask.readUInt8(index & 3));
  return { opcode: data.readUInt8(0) & 15, payload: Buffer.from(payload), length };
}
