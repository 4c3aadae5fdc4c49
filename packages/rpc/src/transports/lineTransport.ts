import type { Disposable } from '../events.js';
import { type Frame, frameToBytes, frameToText } from '../peer/frame.js';
import { Inbox, type InboxOptions } from '../peer/inbox.js';
import { DEFAULT_MESSAGE_LIMITS } from '../peer/message.js';
import type { CloseReason, Transport } from '../transport.js';
import { LineSplitter } from './lineSplitter.js';

const DEFAULT_MAX_BUFFERED_BYTES = 16 * 1024 * 1024;
const DEFAULT_LINGER_MS = 2_000;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

export interface LineTransportOptions extends InboxOptions {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  /** A longer line is reported as an oversize frame as soon as it is longer, and its rest is discarded. Default 4 MiB. */
  readonly maxLineBytes?: number;
  /** How much may wait for the other side to read it before the transport closes. Default 16 MiB. */
  readonly maxBufferedBytes?: number;
  /**
   * How long, in milliseconds, the last lines get to leave after a close, and to arrive after writing failed (a process that
   * is gone may have left an explanation in the pipe). Default 2,000.
   */
  readonly lingerMs?: number;
}

/**
 * One frame per line, over Web Streams. Node's streams become Web Streams with `Readable.toWeb` and `Writable.toWeb`.
 *
 * @example
 * ```ts
 * import { spawn } from 'node:child_process';
 * import { Readable, Writable } from 'node:stream';
 *
 * const { stdin, stdout } = spawn('my-agent', { stdio: ['pipe', 'pipe', 'inherit'] });
 * const transport = createLineTransport({
 *   readable: Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
 *   writable: Writable.toWeb(stdin),
 * });
 * const agent = new RpcPeer(transport);
 * ```
 */
export function createLineTransport(options: LineTransportOptions): Transport {
  return new LineTransport(options);
}

class LineTransport implements Transport {
  readonly #inbox: Inbox;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: LineWriter;
  readonly #splitter: LineSplitter;
  readonly #maxBufferedBytes: number;
  readonly #lingerMs: number;
  #state: 'open' | 'writingFailed' | 'closed' = 'open';
  #lingerTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LineTransportOptions) {
    const { readable, writable, maxLineBytes = DEFAULT_MESSAGE_LIMITS.maxFrameBytes } = options;
    this.#maxBufferedBytes = options.maxBufferedBytes ?? DEFAULT_MAX_BUFFERED_BYTES;
    this.#lingerMs = options.lingerMs ?? DEFAULT_LINGER_MS;
    this.#inbox = new Inbox((reason) => this.close(reason), options);
    this.#splitter = new LineSplitter({
      maxLineBytes,
      onLine: (line) => this.#inbox.receive(frameToText(line)),
      onOversizeLine: () => this.#inbox.receiveOversize(maxLineBytes),
    });
    this.#reader = readable.getReader();
    this.#writer = new LineWriter(writable, (error) => this.#writingFailed(error));
    void this.#read();
  }

  send(frame: Frame): void {
    if (this.#state !== 'open' || this.#writer.write(frame, this.#maxBufferedBytes)) return;
    const reason = { message: `the other side left more than ${this.#maxBufferedBytes} bytes unread` };
    this.#abort(reason);
    this.#inbox.close(reason);
  }

  onMessage(listener: (text: string) => void): Disposable {
    return this.#inbox.onMessage(listener);
  }

  onOversizeFrame(listener: (maxBytes: number) => void): Disposable {
    return this.#inbox.onOversizeFrame(listener);
  }

  onClose(listener: (reason: CloseReason) => void): Disposable {
    return this.#inbox.onClose(listener);
  }

  close(reason: CloseReason = { message: 'closed by this side' }): void {
    if (this.#state === 'writingFailed') this.#abort(reason);
    else void this.#finishWriting();
    this.#inbox.close(reason);
  }

  async #read(): Promise<void> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        // After the close it only reads on so that the other side can finish writing.
        if (this.#state !== 'closed') this.#splitter.push(value);
      }
      if (this.#state === 'closed') return;
      this.#splitter.end();
      void this.#finishWriting();
      this.#inbox.end({ message: 'the stream ended' });
    } catch (error) {
      if (this.#state === 'closed') return;
      const reason = { message: `reading failed: ${messageOf(error)}` };
      this.#abort(reason);
      this.#inbox.end(reason);
    }
  }

  #writingFailed(error: unknown): void {
    if (this.#state !== 'open') return;
    this.#state = 'writingFailed';
    const reason = { message: `writing failed: ${messageOf(error)}` };
    this.#lingerTimer = setTimeout(() => {
      this.#abort(reason);
      this.#inbox.end(reason);
    }, this.#lingerMs);
  }

  /** Lets what was written leave before the reader is cancelled, since some streams fail both ways when one is cancelled. */
  async #finishWriting(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    clearTimeout(this.#lingerTimer);
    this.#lingerTimer = setTimeout(
      () => this.#abort({ message: 'the other side did not read to the end' }),
      this.#lingerMs,
    );
    await this.#writer.close();
    clearTimeout(this.#lingerTimer);
    this.#cancelReader();
  }

  #abort(reason: CloseReason): void {
    this.#state = 'closed';
    clearTimeout(this.#lingerTimer);
    this.#writer.abort(new Error(reason.message));
    this.#cancelReader();
  }

  #cancelReader(): void {
    this.#reader.cancel().catch(() => undefined);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Writes frames as lines and counts what the other side has not taken yet. */
class LineWriter {
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
    // `closed` reports a failure.
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
