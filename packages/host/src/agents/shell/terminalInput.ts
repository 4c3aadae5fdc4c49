import { writeSync } from 'node:fs';
import type { IPty } from '@lydell/node-pty';
import { interruptForeground } from '../../processes/interruptForeground.js';
import type { ToolInput, ToolInputProblem } from '../agent.js';

/** Bytes that may wait because the program does not read. */
const MAX_WAITING_BYTES = 64 * 1024;
/** A terminal cuts longer lines without a word. */
const MAX_LINE_BYTES = process.platform === 'linux' ? 4_095 : 1_023;
/** A terminal takes about that many bytes that nobody has read; a Ctrl+C after them would only be noticed when they are. */
const MAX_UNREAD_BYTES = 4_000;
const RETRY_MS = 20;

const ENTER = '\r';
const CTRL_C = '\x03';
const CTRL_D = '\x04';

/** What of node-pty's terminal is needed here. */
interface Keyboard {
  readonly fd: number;
  readonly pid: number;
  readonly _socket: { readonly destroyed: boolean };
}

/** What users type into the terminal of one command. It is written as soon as the terminal takes it, and kept nowhere. */
export class TerminalInput {
  #waiting = Buffer.alloc(0);
  #keyboard: Keyboard | undefined;
  #typedBytes = 0;
  #retry: NodeJS.Timeout | undefined;
  #isOver = false;

  /** The command runs. What was typed before goes first. */
  attach(terminal: IPty): void {
    this.#keyboard = terminal as IPty & Keyboard;
    this.#flush();
  }

  end(): void {
    this.#isOver = true;
    this.#waiting = Buffer.alloc(0);
    clearTimeout(this.#retry);
  }

  give({ kind, text = '' }: ToolInput): ToolInputProblem | undefined {
    if (this.#isOver || this.#keyboard?._socket.destroyed) return 'callNotRunning';
    if (kind === 'interrupt') return this.#interrupt();
    const lines = text.split('\n');
    if (lines.some((line) => Buffer.byteLength(line) > MAX_LINE_BYTES)) return 'inputTooLong';
    return this.#type(kind === 'line' ? lines.map((line) => line + ENTER).join('') : CTRL_D);
  }

  /** As a terminal does it: what waits is dropped, what runs in the foreground is interrupted, unless it takes Ctrl+C as a key. */
  #interrupt(): ToolInputProblem | undefined {
    const isFull = this.#keyboard !== undefined && this.#typedBytes > MAX_UNREAD_BYTES;
    this.#waiting = Buffer.alloc(0);
    this.#typedBytes = 0;
    if (isFull && interruptForeground(this.#keyboard?.pid ?? 0)) return undefined;
    return this.#type(CTRL_C);
  }

  #type(typed: string): ToolInputProblem | undefined {
    const bytes = Buffer.from(typed);
    if (this.#waiting.length + bytes.length > MAX_WAITING_BYTES) return 'inputFull';
    this.#typedBytes += bytes.length;
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    this.#flush();
    return undefined;
  }

  /** By hand: the stream of node-pty blocks the whole process until the program has read enough. */
  #flush(): void {
    clearTimeout(this.#retry);
    // The descriptor is closed with the stream, and may be that of another file by now.
    while (this.#keyboard && !this.#keyboard._socket.destroyed && !this.#isOver && this.#waiting.length > 0) {
      try {
        this.#waiting = this.#waiting.subarray(writeSync(this.#keyboard.fd, this.#waiting));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') this.#retry = setTimeout(() => this.#flush(), RETRY_MS);
        return;
      }
    }
  }
}
