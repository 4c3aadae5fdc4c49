import { Buffer } from 'node:buffer';

/** A frame for any number of receivers: encoded once, framed for WebSockets once, shared by all of them. */
export class EncodedFrame {
  readonly text: string;
  #webSocketFrame: Buffer | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** An unmasked, unfragmented text frame (RFC 6455, 5.2), ready for the socket. */
  get webSocketFrame(): Buffer {
    this.#webSocketFrame ??= frameText(this.text);
    return this.#webSocketFrame;
  }
}

const FIN_TEXT = 0x81;

function frameText(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafe(header + length);
  frame[0] = FIN_TEXT;
  if (header === 2) frame[1] = length;
  else if (header === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, header);
  return frame;
}
