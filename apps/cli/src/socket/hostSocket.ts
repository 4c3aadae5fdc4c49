import type { Socket } from 'node:net';
import { HostUnreachableError, UnauthorizedError } from '@agenthost/client';
import { errorMessage } from '@agenthost/protocol/internal';
import { type CloseReason, type Frame, frameToBytes, Inbox, type Transport } from '@agenthost/rpc';
import { upgrade } from './upgrade.js';
import { encodeFrame, FrameReader, OPCODE } from './webSocketFrames.js';

export interface HostSocketOptions {
  readonly url: URL;
  readonly token: string;
  /** A certificate authority that is trusted besides those of the system. */
  readonly authority?: string;
  readonly signal: AbortSignal;
}

const MAX_MESSAGE_BYTES = 256 * 1024 * 1024;
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
const MAX_CLOSE_REASON_BYTES = 120;
const NORMAL_CLOSE = 1000;
const ABNORMAL_CLOSE = 1006;
/** How long the host may take to answer a close frame. */
const CLOSE_MS = 500;

/**
 * A WebSocket to the host that needs only node:http: Node's own costs more to load (35 ms) than all the rest of a short
 * command.
 */
export async function openHostSocket(options: HostSocketOptions): Promise<Transport> {
  const { url } = options;
  const { socket, head, refusal } = await upgrade(options);
  if (socket) return transportOver(socket, head);
  const { status, reason } = refusal;
  if (status === 401) throw new UnauthorizedError(reason);
  throw new HostUnreachableError(`${url.origin} answered ${status}: ${reason}`);
}

function transportOver(socket: Socket, head: Buffer): Transport {
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  const reader = new FrameReader(MAX_MESSAGE_BYTES);
  let parts: Buffer[] = [];
  let goodbye: CloseReason | undefined;
  const write = (opcode: number, payload: Buffer) => {
    if (socket.writable) socket.write(encodeFrame(opcode, payload, randomBytes(4)));
  };
  const close = (reason: CloseReason = { message: 'closed by this side' }) => {
    if (inbox.ended) return;
    const code = Buffer.alloc(2);
    code.writeUInt16BE(NORMAL_CLOSE);
    write(OPCODE.close, Buffer.concat([code, Buffer.from(reason.message).subarray(0, MAX_CLOSE_REASON_BYTES)]));
    socket.end();
    setTimeout(() => socket.destroy(), CLOSE_MS).unref();
    inbox.close(reason);
  };
  const inbox = new Inbox(close);
  const take = (chunk: Buffer) => {
    for (const { opcode, isFinal, payload } of reader.push(chunk)) {
      if (opcode === OPCODE.ping) write(OPCODE.pong, payload);
      else if (opcode === OPCODE.close) {
        const code = payload.length >= 2 ? payload.readUInt16BE() : NORMAL_CLOSE;
        goodbye = { code, message: payload.toString('utf8', 2) || 'closed by the host' };
        write(OPCODE.close, payload.subarray(0, 2));
        socket.end();
      } else if (opcode !== OPCODE.pong) {
        parts.push(payload);
        if (!isFinal) continue;
        inbox.receive(parts.length === 1 ? payload.toString('utf8') : Buffer.concat(parts).toString('utf8'));
        parts = [];
      }
    }
  };
  const guarded = (chunk: Buffer) => {
    try {
      take(chunk);
    } catch (error) {
      goodbye = { code: ABNORMAL_CLOSE, message: errorMessage(error) };
      socket.destroy();
    }
  };
  socket.on('data', guarded);
  socket.on('error', () => {});
  socket.on('close', () => inbox.end(goodbye ?? { code: ABNORMAL_CLOSE, message: 'the connection broke' }));
  if (head.length > 0) guarded(head);
  return {
    send: (frame: Frame) => {
      if (inbox.ended || goodbye) return;
      write(OPCODE.text, Buffer.from(frameToBytes(frame)));
      if (socket.writableLength > MAX_BUFFERED_BYTES) close({ message: 'the host does not read what is sent' });
    },
    onMessage: (listener) => inbox.onMessage(listener),
    onClose: (listener) => inbox.onClose(listener),
    close,
  };
}
