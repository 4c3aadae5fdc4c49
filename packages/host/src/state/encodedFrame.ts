import { Buffer } from 'node:buffer';

/** A frame for any number of receivers: encoded once, framed for WebSockets once, shared by all of them. */
export class EncodedFrame {
  readonly text: string;
  #payloadBytes = -1;
  #isWritten = false;
  #webSocketFrame: Buffer | undefined;

  constructor(text: string) {
    this.text = text;
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
    if (this.#payloadBytes < 0) this.#payloadBytes = Buffer.byteLength(this.text);
    return headerBytes(this.#payloadBytes) + this.#payloadBytes;
  }

  /** Puts `webSocketFrame` into a buffer. The first time straight from the text: most frames are needed only once. */
  writeTo(buffer: Buffer, at: number): void {
    if (this.#isWritten) this.webSocketFrame.copy(buffer, at);
    else this.#encode(buffer, at);
    this.#isWritten = true;
  }

  #encode(buffer: Buffer, at: number): void {
    const header = this.webSocketBytes - this.#payloadBytes;
    buffer[at] = FIN_TEXT;
    if (header === 2) buffer[at + 1] = this.#payloadBytes;
    else if (header === 4) {
      buffer[at + 1] = 126;
      buffer.writeUInt16BE(this.#payloadBytes, at + 2);
    } else {
      buffer[at + 1] = 127;
      buffer.writeBigUInt64BE(BigInt(this.#payloadBytes), at + 2);
    }
    buffer.write(this.text, at + header);
  }
}

const FIN_TEXT = 0x81;

function headerBytes(payloadBytes: number): number {
  return payloadBytes < 126 ? 2 : payloadBytes < 65_536 ? 4 : 10;
}
