import { Buffer } from 'node:buffer';

/** What stands before and after the text of many frames, in ASCII. */
export interface Around {
  readonly before: string;
  readonly after: string;
  readonly beforeBytes: Buffer;
  readonly afterBytes: Buffer;
}

export function around(before: string, after: string): Around {
  return { before, after, beforeBytes: Buffer.from(before), afterBytes: Buffer.from(after) };
}

const NOTHING = around('', '');

/** A frame for any number of receivers: encoded once, framed for WebSockets once, shared by all of them. */
export class EncodedFrame {
  readonly #inner: string;
  readonly #around: Around;
  #innerBytes: number;
  #isWritten = false;
  #webSocketFrame: Buffer | undefined;

  /** `innerBytes`: how many bytes `inner` has, where that is known. */
  constructor(inner: string, around: Around = NOTHING, innerBytes = -1) {
    this.#inner = inner;
    this.#around = around;
    this.#innerBytes = innerBytes;
  }

  get text(): string {
    const { before, after } = this.#around;
    return `${before}${this.#inner}${after}`;
  }

  /** Of the text, in code units. */
  get length(): number {
    const { before, after } = this.#around;
    return before.length + this.#inner.length + after.length;
  }

  /** An unmasked, unfragmented text frame (RFC 6455, 5.2), ready for the socket. */
  get webSocketFrame(): Buffer {
    if (!this.#webSocketFrame) {
      this.#webSocketFrame = Buffer.allocUnsafe(this.webSocketBytes);
      this.#encode(this.#webSocketFrame, 0);
    }
    return this.#webSocketFrame;
  }

  /** How long `webSocketFrame` is. */
  get webSocketBytes(): number {
    const payload = this.#payloadBytes;
    return headerBytes(payload) + payload;
  }

  /** Puts `webSocketFrame` into a buffer. The first time straight from the text: most frames are needed only once. */
  writeTo(buffer: Buffer, at: number): void {
    if (this.#isWritten) this.webSocketFrame.copy(buffer, at);
    else this.#encode(buffer, at);
    this.#isWritten = true;
  }

  get #payloadBytes(): number {
    if (this.#innerBytes < 0) this.#innerBytes = Buffer.byteLength(this.#inner);
    const { before, after } = this.#around;
    return before.length + this.#innerBytes + after.length;
  }

  #encode(buffer: Buffer, start: number): void {
    const { beforeBytes, afterBytes } = this.#around;
    let at = writeHeader(buffer, start, this.#payloadBytes);
    at += beforeBytes.copy(buffer, at);
    at += buffer.write(this.#inner, at);
    afterBytes.copy(buffer, at);
  }
}

const FIN_TEXT = 0x81;

function headerBytes(payloadBytes: number): number {
  return payloadBytes < 126 ? 2 : payloadBytes < 65_536 ? 4 : 10;
}

/** Returns where the payload begins. */
function writeHeader(buffer: Buffer, at: number, payloadBytes: number): number {
  buffer[at] = FIN_TEXT;
  if (payloadBytes < 126) {
    buffer[at + 1] = payloadBytes;
  } else if (payloadBytes < 65_536) {
    buffer[at + 1] = 126;
    buffer[at + 2] = payloadBytes >> 8;
    buffer[at + 3] = payloadBytes & 255;
  } else {
    buffer[at + 1] = 127;
    buffer.writeBigUInt64BE(BigInt(payloadBytes), at + 2);
  }
  return at + headerBytes(payloadBytes);
}
