import { TerminalModes } from './terminalModes.js';

/** Questions of a program to its terminal: who asks for an old screen must not answer them again. */
const QUESTIONS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  /\x1b\[[>=?]?[\d;]{0,32}[cn]|\x1b\[\??[\d;]{0,32}\$p|\x1b\[>[\d;]{0,8}q|\x1b\[\?u|\x1b\[[\d;]{1,32}t|\x1bZ|\x05|\x1b\](?:4;\d{1,3}|1[0-9]);\?(?:\x07|\x1b\\)|\x1bP[$+]q[^\x1b]{0,256}\x1b\\/g;
const RESET = '\x1bc';
const SMALL = 4_096;

/** The newest output of a terminal: `limit` code units, and at most a piece more. It is in memory only. */
export class Scrollback {
  readonly #limit: number;
  readonly #pieces: string[] = [];
  #length = 0;
  /** What is set by output that was dropped. */
  readonly #before = new TerminalModes();
  /** Code units of all output. */
  offset = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** What is drawn on the other screen is not kept whole: its program has to draw it again. */
  get isIncomplete(): boolean {
    return this.#before.isAlternate;
  }

  push(output: string): void {
    this.offset += output.length;
    this.#length += output.length;
    const last = this.#pieces.at(-1);
    // A program that prints single letters must not make a long list.
    if (last !== undefined && last.length < SMALL) this.#pieces[this.#pieces.length - 1] = last + output;
    else this.#pieces.push(output);
    for (;;) {
      const [first] = this.#pieces;
      if (first === undefined || this.#length - first.length < this.#limit) return;
      this.#before.read(first);
      this.#pieces.shift();
      this.#length -= first.length;
    }
  }

  /** To be written into any terminal: it is emptied first. */
  screen(): string {
    const text = this.#before.unfinished + this.#pieces.join('');
    return `${RESET}${this.#before.preamble}${text.replaceAll(QUESTIONS, '')}`;
  }
}
