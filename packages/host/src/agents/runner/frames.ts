/** One message between the host and the runner: a JSON object, and bytes where it has some. */
export interface Frame {
  readonly head: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

/** The script and the environment of a command are in one. */
const MAX_HEAD_BYTES = 2 * 1024 * 1024;
export const MAX_FRAME_BYTES = 64 * 1024;
const PREFIX = 8;
const EMPTY = Buffer.alloc(0);

export function encodeFrame(head: object, bytes: Uint8Array = EMPTY): Buffer {
  const json = Buffer.from(JSON.stringify(head));
  if (json.length > MAX_HEAD_BYTES || bytes.length > MAX_FRAME_BYTES) {
    throw new Error('The command and its environment are too large to be passed on. Put it into a file and run that.');
  }
  const prefix = Buffer.allocUnsafe(PREFIX);
  prefix.writeUInt32BE(json.length, 0);
  prefix.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([prefix, json, bytes]);
}

/** Puts frames together from the pieces of a socket. Throws for one that is too large or not a frame. */
export class FrameReader {
  #pieces: Buffer[] = [];
  #length = 0;
  /** How many bytes are needed for the next step. */
  #needed = PREFIX;

  push(piece: Buffer): Frame[] {
    this.#pieces.push(piece);
    this.#length += piece.length;
    const frames: Frame[] = [];
    while (this.#length >= this.#needed) {
      const all = this.#pieces.length === 1 ? (this.#pieces[0] ?? EMPTY) : Buffer.concat(this.#pieces);
      const headBytes = all.readUInt32BE(0);
      const bodyBytes = all.readUInt32BE(4);
      if (headBytes > MAX_HEAD_BYTES || bodyBytes > MAX_FRAME_BYTES) throw new Error('a frame is too large');
      const end = PREFIX + headBytes + bodyBytes;
      if (all.length >= end) {
        const head: unknown = JSON.parse(all.toString('utf8', PREFIX, PREFIX + headBytes));
        if (typeof head !== 'object' || head === null) throw new Error('a frame is not an object');
        frames.push({ head: head as Frame['head'], bytes: all.subarray(PREFIX + headBytes, end) });
      }
      const rest = all.length >= end ? all.subarray(end) : all;
      this.#pieces = rest.length > 0 ? [rest] : [];
      this.#length = rest.length;
      this.#needed = all.length >= end ? PREFIX : end;
    }
    return frames;
  }
}
