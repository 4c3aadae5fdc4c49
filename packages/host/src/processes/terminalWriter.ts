import { writeSync } from 'node:fs';
import type { IPty } from '@lydell/node-pty';

const RETRY_MS = 20;

/** What of node-pty's terminal is needed here. */
interface Keyboard {
  readonly fd: number;
  readonly _socket: { readonly destroyed: boolean };
}

/**
 * Types into a pseudo terminal, as soon as that takes it. The `write` of node-pty blocks the whole process while a program does not
 * read. The caller bounds what waits.
 */
export class TerminalWriter {
  #waiting = Buffer.alloc(0);
  #keyboard: Keyboard | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isOver = false;

  /** What was typed before goes first. */
  attach(terminal: IPty): void {
    this.#keyboard = terminal as IPty & Keyboard;
    this.#flush();
  }

  get isOver(): boolean {
    return this.#isOver || this.#keyboard?._socket.destroyed === true;
  }

  /** Bytes that the terminal has not taken yet. */
  get waitingBytes(): number {
    return this.#waiting.length;
  }

  write(typed: string): void {
    if (this.isOver) return;
    this.#waiting = Buffer.concat([this.#waiting, Buffer.from(typed)]);
    this.#flush();
  }

  /** Forgets what waits. */
  drop(): void {
    this.#waiting = Buffer.alloc(0);
    clearTimeout(this.#retry);
  }

  end(): void {
    this.#isOver = true;
    this.drop();
  }

  #flush(): void {
    clearTimeout(this.#retry);
    // The descriptor is closed with the stream, and may be that of another file by now.
    while (this.#keyboard && !this.isOver && this.#waiting.length > 0) {
      const taken = writeNow(this.#keyboard.fd, this.#waiting);
      if (taken === undefined) {
        this.end();
        return;
      }
      this.#waiting = this.#waiting.subarray(taken);
      if (taken > 0) continue;
      this.#retry = setTimeout(() => this.#flush(), RETRY_MS);
      return;
    }
  }
}

/** How many bytes the terminal has taken; `undefined` when it is gone. The descriptor does not block. */
function writeNow(fd: number, bytes: Uint8Array): number | undefined {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : undefined;
  }
}
