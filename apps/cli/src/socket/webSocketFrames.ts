// The framing of RFC 6455, as far as a client of our own host needs it: no extensions, text and control frames.

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

export interface WebSocketFrame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly payload: Buffer;
}

/** The host's data violates the protocol, or is too large. */
export class FramingError extends Error {}

const MAX_CONTROL_BYTES = 125;

/** Masked with `mask`, as a client's frames must be. */
export function encodeFrame(opcode: number, payload: Buffer, mask: Buffer): Buffer {
  const { length } = payload;
  const extended = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const frame = Buffer.allocUnsafe(2 + extended + 4 + length);
  frame[0] = 0x80 | opcode;
  frame[1] = 0x80 | (extended === 0 ? length : extended === 2 ? 126 : 127);
  if (extended === 2) frame.writeUInt16BE(length, 2);
  if (extended === 8) frame.writeBigUInt64BE(BigInt(length), 2);
  const start = 2 + extended + 4;
  mask.copy(frame, start - 4);
  for (let at = 0; at < length; at++) frame[start + at] = (payload[at] ?? 0) ^ (mask[at & 3] ?? 0);
  return frame;
}

/** Takes bytes as they come and yields whole frames. */
export class FrameReader {
  readonly #maxBytes: number;
  /** Parts of the unfinished message. A part counts at least one, so that empty ones are bounded too. */
  #messageBytes = 0;
  #chunks: Buffer[] = [];
  #held = 0;
  /** How many bytes are needed before parsing again is worth it. */
  #needed = 2;

  /** Maximum size of a message over all its frames. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  *push(chunk: Buffer): Generator<WebSocketFrame> {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    while (this.#held >= this.#needed) {
      const bytes = this.#chunks.length === 1 ? (this.#chunks[0] ?? chunk) : Buffer.concat(this.#chunks);
      const frame = this.#parse(bytes);
      this.#chunks = [frame ? bytes.subarray(frame.end) : bytes];
      this.#held = this.#chunks[0]?.length ?? 0;
      if (!frame) continue;
      this.#needed = 2;
      yield frame;
    }
  }

  /** Without a whole frame, `#needed` grows. */
  #parse(bytes: Buffer): (WebSocketFrame & { readonly end: number }) | undefined {
    const [first = 0, second = 0] = bytes;
    const opcode = first & 0x0f;
    if ((first & 0x70) !== 0 || (second & 0x80) !== 0) throw new FramingError('a frame has bits that it must not have');
    const short = second & 0x7f;
    if (opcode >= OPCODE.close && (short > MAX_CONTROL_BYTES || (first & 0x80) === 0)) {
      throw new FramingError('a control frame is too long');
    }
    const start = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (bytes.length < start) {
      this.#needed = start;
      return undefined;
    }
    const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
    const isControl = opcode >= OPCODE.close;
    const size = isControl ? length : this.#messageBytes + Math.max(length, 1);
    if (size > this.#maxBytes) throw new FramingError(`a message of ${size} bytes or more is too large`);
    const end = start + length;
    if (bytes.length < end) {
      this.#needed = end;
      return undefined;
    }
    const isFinal = (first & 0x80) !== 0;
    if (!isControl) this.#messageBytes = isFinal ? 0 : size;
    return { opcode, isFinal, payload: bytes.subarray(start, end), end };
  }
}
