import type { Duplex } from 'node:stream';
import { CLOSE_CODE } from '@agenthost/protocol';
import { type CloseReason, type Disposable, Inbox } from '@agenthost/rpc';
import type { RawData, WebSocket } from 'ws';
import { type FrameTransport, MAX_FILE_FRAME_BYTES } from '../../connection/frameTransport.js';
import type { EncodedFrame } from '../../state/delivery.js';
import type { Traffic } from './traffic.js';

export interface WebSocketLimits {
  /** Maximum number of unread bytes for a client; beyond it the client is disconnected. */
  readonly maxBufferedBytes: number;
  /** Average frames per second; above it the socket is not read for a while. */
  readonly maxFramesPerSecond: number;
  readonly pingIntervalMs: number;
  /** How long a disconnected client has to read what waits and the reason; then all of it is dropped. */
  readonly goodbyeMs: number;
}

export const DEFAULT_WEB_SOCKET_LIMITS: WebSocketLimits = {
  maxBufferedBytes: 8 * 1024 * 1024,
  maxFramesPerSecond: 100_000,
  pingIntervalMs: 30_000,
  goodbyeMs: 10_000,
};

export interface WebSocketTransportOptions {
  /** A larger frame ends the connection, until it admits files. */
  readonly maxReceivedBytes: number;
  /** Called when more than a little is held for the client. */
  readonly onHeld?: () => void;
  /** Counts what goes over the socket. */
  readonly traffic?: Traffic;
}

/** The connection below: writes bypass the pacing of reads. */
export interface WebSocketSocket extends Duplex {
  readonly raw: Duplex;
}

const MUCH_HELD_BYTES = 256 * 1024;

const TOO_SLOW: CloseReason = { code: CLOSE_CODE.tooSlow, message: 'the client does not read what it is sent' };
const TOO_MUCH: CloseReason = { code: CLOSE_CODE.tooSlow, message: 'the sockets of this token hold too much' };

/** Frames that several sockets get alike are assembled once. */
const joined = new WeakMap<readonly EncodedFrame[], Buffer>();

/** A WebSocket that writes frames as they were encoded, with one write per batch. */
export class WebSocketTransport implements FrameTransport {
  maxFrameBytes?: number;
  #maxReceivedBytes: number;
  readonly #webSocket: WebSocket;
  readonly #socket: Duplex;
  readonly #limits: WebSocketLimits;
  readonly #onHeld: (() => void) | undefined;
  readonly #traffic: Traffic | undefined;
  readonly #inbox: Inbox;
  readonly #pingTimer: NodeJS.Timeout;
  /** The data of the last ping, until it is answered. */
  #ping: Buffer | undefined;
  #goodbye: NodeJS.Timeout | undefined;
  #isAlive = true;
  /** The largest write that exceeds the limit by itself, until everything was read. */
  #largest = 0;
  #budget: number;
  #budgetAt = performance.now();
  #closeReason: CloseReason | undefined;
  readonly #unfinished = new UnfinishedMessage();

  constructor(
    webSocket: WebSocket,
    socket: WebSocketSocket,
    limits: WebSocketLimits,
    { maxReceivedBytes, onHeld, traffic }: WebSocketTransportOptions,
  ) {
    this.#maxReceivedBytes = maxReceivedBytes;
    this.#onHeld = onHeld;
    this.#traffic = traffic;
    this.#webSocket = webSocket;
    this.#socket = socket.raw;
    this.#limits = limits;
    this.#budget = limits.maxFramesPerSecond;
    this.#inbox = new Inbox((reason) => this.close(reason));
    webSocket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    webSocket.on('pong', (data) => {
      this.#controlFrame(data);
      this.#isAlive = true;
    });
    webSocket.on('ping', (data) => {
      this.#controlFrame(data);
      this.#answerPing(data);
    });
    webSocket.on('error', () => webSocket.terminate());
    // Before and after `ws`, which already listens.
    socket.prependListener('data', (piece: Buffer) => this.#unfinished.arrived(piece));
    socket.on('data', () => {
      this.#unfinished.handled();
      this.#checkHeld();
    });
    socket.raw.on('drain', () => {
      this.#largest = 0;
      this.#sendPong();
    });
    webSocket.on('close', (code, reason) => {
      clearInterval(this.#pingTimer);
      clearTimeout(this.#goodbye);
      this.#inbox.end(this.#closeReason ?? { code, message: reason.toString() || 'the client closed the connection' });
    });
    this.#pingTimer = setInterval(() => this.#checkAlive(), limits.pingIntervalMs).unref();
  }

  admitFiles(): void {
    this.maxFrameBytes = MAX_FILE_FRAME_BYTES;
    this.#maxReceivedBytes = MAX_FILE_FRAME_BYTES;
  }

  onMessage(listener: (text: string) => void): Disposable {
    return this.#inbox.onMessage(listener);
  }

  onClose(listener: (reason: CloseReason) => void): Disposable {
    return this.#inbox.onClose(listener);
  }

  write(frames: readonly EncodedFrame[]): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    const { maxBufferedBytes } = this.#limits;
    const bytes = join(frames);
    // A long snapshot is no sign of a slow reader: a client disconnected for it would reconnect and be disconnected again.
    if (bytes.length > maxBufferedBytes) this.#largest = Math.max(this.#largest, bytes.length);
    this.#socket.write(bytes);
    if (this.#traffic) this.#traffic.sentBytes += bytes.length;
    if (this.#socket.writableLength > maxBufferedBytes + this.#largest) {
      this.close(TOO_SLOW);
      if (this.#traffic) this.#traffic.cutOff++;
      // Nothing more is added, so that the waiting data stays the same.
      this.#goodbye = setTimeout(() => this.#webSocket.terminate(), this.#limits.goodbyeMs).unref();
    }
    this.#checkHeld();
  }

  /** Unread data for the client, and its unfinished message. */
  get heldBytes(): number {
    return this.#socket.destroyed ? 0 : this.#socket.writableLength + this.#unfinished.heldBytes;
  }

  #checkHeld(): void {
    if (this.heldBytes > MUCH_HELD_BYTES) this.#onHeld?.();
  }

  close(reason: CloseReason = { message: 'closed by the host' }): void {
    if (this.#closeReason) return;
    this.#closeReason = reason;
    // A reason has at most 123 bytes.
    const text = Buffer.from(reason.message)
      .subarray(0, 120)
      .toString()
      .replace(/\uFFFD$/, '');
    this.#webSocket.close(reason.code ?? 1000, text);
    this.#inbox.close(reason);
  }

  /** Without a close frame, because nothing would read it. Waiting data is dropped. */
  cutOff(reason: CloseReason = TOO_MUCH): void {
    this.#closeReason ??= reason;
    if (this.#traffic && reason === TOO_MUCH) this.#traffic.cutOff++;
    this.#webSocket.terminate();
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#unfinished.gotMessage();
    if (this.#traffic) {
      this.#traffic.receivedFrames++;
      this.#traffic.receivedBytes += (data as Buffer).length;
    }
    if (isBinary) {
      this.close({ code: 1003, message: 'text frames only' });
      return;
    }
    if ((data as Buffer).length > this.#maxReceivedBytes) {
      this.close({ code: 1009, message: 'the frame is far longer than a frame may be' });
      return;
    }
    this.#slowDown();
    this.#inbox.receive(data.toString());
  }

  #controlFrame(data: Buffer): void {
    this.#unfinished.gotControlFrame(data);
    this.#slowDown();
  }

  /** A bucket that refills with time; when it is empty the socket waits, and with it the sender. Nothing is dropped. */
  #slowDown(): void {
    this.#refill();
    this.#budget--;
    if (this.#budget > 0 || this.#webSocket.isPaused) return;
    this.#webSocket.pause();
    this.#resumeLater();
  }

  /** One read may contain hundreds of frames: the pause is as long as the excess. */
  #resumeLater(): void {
    const owedMs = (-this.#budget / this.#limits.maxFramesPerSecond) * 1000;
    setTimeout(
      () => {
        this.#refill();
        if (this.#budget > 0) this.#webSocket.resume();
        else this.#resumeLater();
      },
      Math.max(owedMs, 50),
    ).unref();
  }

  #refill(): void {
    const { maxFramesPerSecond } = this.#limits;
    const now = performance.now();
    const grown = ((now - this.#budgetAt) / 1000) * maxFramesPerSecond;
    this.#budget = Math.min(maxFramesPerSecond, this.#budget + grown);
    this.#budgetAt = now;
  }

  /** Of several unread pings the newest is answered (RFC 6455, 5.5.3): otherwise the answers would have no bound. */
  #answerPing(data: Buffer): void {
    const isNew = this.#ping === undefined;
    // A copy, because the data is a view of all that was read with it.
    this.#ping = Buffer.from(data);
    if (isNew) setImmediate(() => this.#sendPong());
  }

  #sendPong(): void {
    if (this.#ping === undefined || this.#socket.writableNeedDrain) return;
    const data = this.#ping;
    this.#ping = undefined;
    this.#webSocket.pong(data);
  }

  #checkAlive(): void {
    if (!this.#isAlive) {
      this.cutOff({ code: 1006, message: 'the client does not answer' });
      return;
    }
    this.#isAlive = false;
    this.#webSocket.ping();
  }
}

function join(frames: readonly EncodedFrame[]): Buffer {
  const [first] = frames;
  if (first && frames.length === 1) return first.webSocketFrame;
  let buffer = joined.get(frames);
  if (!buffer) {
    buffer = Buffer.allocUnsafe(frames.reduce((sum, frame) => sum + frame.webSocketBytes, 0));
    let at = 0;
    for (const frame of frames) {
      frame.writeTo(buffer, at);
      at += frame.webSocketBytes;
    }
    joined.set(frames, buffer);
  }
  return buffer;
}

/** Counted for each piece on top of its bytes: a parser keeps an object per piece, also for one byte. */
const PIECE_COST = 256;
/** Two bytes and a mask. */
const CONTROL_HEADER_BYTES = 6;

/**
 * Measures what an unfinished message makes the host hold. A parser keeps views of all that was read together with the parts of
 * the message, so control frames between the parts count too while such a message exists.
 */
export class UnfinishedMessage {
  /** Bytes of the message itself. */
  #unfinishedBytes = 0;
  #heldBytes = 0;

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Called before a parser gets it. */
  arrived(piece: Buffer): void {
    this.#unfinishedBytes += piece.length;
    this.#heldBytes += piece.length + PIECE_COST;
  }

  /** It may come between the parts of a message without being one of them. */
  gotControlFrame(data: Buffer): void {
    this.#unfinishedBytes = Math.max(0, this.#unfinishedBytes - CONTROL_HEADER_BYTES - data.length);
  }

  gotMessage(): void {
    this.#unfinishedBytes = 0;
  }

  /** Called after a parser had the piece. */
  handled(): void {
    if (this.#unfinishedBytes === 0) this.#heldBytes = 0;
  }
}
