import { type Frame, frameToBytes } from '../peer/frame.js';

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

/** Writes frames as lines and counts what the other side has not taken yet. */
export class LineWriter {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #bufferedBytes = 0;

  constructor(writable: WritableStream<Uint8Array>, onError: (error: unknown) => void) {
    this.#writer = writable.getWriter();
    this.#writer.closed.catch(onError);
  }

  /** False when the line was not written, because more than `maxBufferedBytes` would wait behind another. */
  write(frame: Frame, maxBufferedBytes: number): boolean {
    const line = toLine(frame);
    // A single long line says nothing about the reader, so it may go out when nothing else waits.
    if (this.#bufferedBytes > 0 && this.#bufferedBytes + line.length > maxBufferedBytes) return false;
    this.#bufferedBytes += line.length;
    const settle = () => {
      this.#bufferedBytes -= line.length;
    };
    // A failure is told by `closed`.
    this.#writer.write(line).then(settle, settle);
    return true;
  }

  /** Settles when everything that was written has been taken, or cannot be any more. */
  async close(): Promise<void> {
    await this.#writer.close().catch(() => undefined);
  }

  abort(reason: unknown): void {
    this.#writer.abort(reason).catch(() => undefined);
  }
}

/** In JSON a raw line break can only be white space between tokens, so a space in its place changes nothing. */
function toLine(frame: Frame): Uint8Array {
  const bytes = frameToBytes(frame);
  const line = new Uint8Array(bytes.length + 1);
  line.set(bytes);
  replaceAll(line, NEWLINE, SPACE);
  replaceAll(line, CARRIAGE_RETURN, SPACE);
  line[bytes.length] = NEWLINE;
  return line;
}

function replaceAll(bytes: Uint8Array, value: number, replacement: number): void {
  for (let at = bytes.indexOf(value); at !== -1; at = bytes.indexOf(value, at + 1)) bytes[at] = replacement;
}
