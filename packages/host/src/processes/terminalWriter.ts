import { writeSync } from 'node:fs';
import type { IPty } from '@lydell/node-pty';

const RETRY_MS = 20;

/** Where typed bytes go. */
export interface Keyboard {
  readonly isGone: boolean;
  /** How many of the bytes it has taken; `undefined` when it is gone. It does not block. */
  take(bytes: Uint8Array): number | undefined;
  /** Forgets what it has taken and the program has not, where that is known. */
  drop?(): void;
}

/** What of node-pty's terminal is needed here. */
interface Terminal {
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
    this.attachTo(keyboardOf(terminal as IPty & Terminal));
  }

  attachTo(keyboard: Keyboard): void {
    this.#keyboard = keyboard;
    this.#flush();
  }

  get isOver(): boolean {
    return this.#isOver || this.#keyboard?.isGone === true;
  }

  /** Bytes that the terminal has not taken yet. */
  get waitingBytes(): number {
    return this.#waiting.length;
  }

  write(typed: string | Uint8Array): void {
    if (this.isOver) return;
    const bytes = typeof typed === 'string' ? Buffer.from(typed) : typed;
    this.#waiting = Buffer.concat([this.#waiting, bytes]);
    this.#flush();
  }

  /** Forgets what waits. */
  drop(): void {
    this.#waiting = Buffer.alloc(0);
    clearTimeout(this.#retry);
    this.#keyboard?.drop?.();
  }

  end(): void {
    this.#isOver = true;
    this.drop();
  }

  #flush(): void {
    clearTimeout(this.#retry);
    // The descriptor is closed with the stream, and may be that of another file by now.
    while (this.#keyboard && !this.isOver && this.#waiting.length > 0) {
      const taken = this.#keyboard.take(this.#waiting);
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

function keyboardOf(terminal: Terminal): Keyboard {
  return {
    get isGone() {
      return terminal._socket.destroyed;
    },
    take: (bytes) => writeNow(terminal.fd, bytes),
  };
}

/** How many bytes the terminal has taken; `undefined` when it is gone. The descriptor does not block. */
function writeNow(fd: number, bytes: Uint8Array): number | undefined {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : undefined;
  }
}
