import type { IPty } from '@lydell/node-pty';
import { interruptForeground } from '../../processes/interruptForeground.js';
import { type Keyboard, TerminalWriter } from '../../processes/terminalWriter.js';
import type { ToolInput, ToolInputProblem } from '../agent.js';

/** Bytes that may wait because the program does not read. */
const MAX_WAITING_BYTES = 64 * 1024;
/** A terminal cuts longer lines without a word. */
const MAX_LINE_BYTES = process.platform === 'linux' ? 4_095 : 1_023;
/** A terminal takes about that many bytes that nobody has read; a Ctrl+C after them would only be noticed when they are. */
const MAX_UNREAD_BYTES = 4_000;

const ENTER = '\r';
const CTRL_C = '\x03';
const CTRL_D = '\x04';

/** What users type into the terminal of one command. It is written as soon as the terminal takes it, and kept nowhere. */
export class TerminalInput {
  readonly #writer = new TerminalWriter();
  #pid: number | undefined;
  #typedBytes = 0;

  /** The command runs. What was typed before goes first. */
  attach(terminal: IPty): void {
    this.#pid = terminal.pid;
    this.#writer.attach(terminal);
  }

  /** The same for a command that runs elsewhere on this machine. */
  attachTo(keyboard: Keyboard, pid: number): void {
    this.#pid = pid;
    this.#writer.attachTo(keyboard);
  }

  end(): void {
    this.#writer.end();
  }

  give({ kind, text = '' }: ToolInput): ToolInputProblem | undefined {
    if (this.#writer.isOver) return 'callNotRunning';
    if (kind === 'interrupt') return this.#interrupt();
    const lines = text.split('\n');
    if (lines.some((line) => Buffer.byteLength(line) > MAX_LINE_BYTES)) return 'inputTooLong';
    return this.#type(kind === 'line' ? lines.map((line) => line + ENTER).join('') : CTRL_D);
  }

  /** As a terminal does it: what waits is dropped, what runs in the foreground is interrupted, unless it takes Ctrl+C as a key. */
  #interrupt(): ToolInputProblem | undefined {
    const isFull = this.#typedBytes > MAX_UNREAD_BYTES;
    this.#writer.drop();
    this.#typedBytes = 0;
    if (isFull && this.#pid !== undefined && interruptForeground(this.#pid)) return undefined;
    return this.#type(CTRL_C);
  }

  #type(typed: string): ToolInputProblem | undefined {
    const bytes = Buffer.byteLength(typed);
    if (this.#writer.waitingBytes + bytes > MAX_WAITING_BYTES) return 'inputFull';
    this.#typedBytes += bytes;
    this.#writer.write(typed);
    return undefined;
  }
}
