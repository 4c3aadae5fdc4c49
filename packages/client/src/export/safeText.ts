import { showCommand, showHiddenCharacters } from '@agenthost/protocol';

// Makes text of agents and their programs safe: no escape sequence except colours reaches the terminal, and characters that
// reverse or hide text become visible.

const ESC = '\\u001b';
/** What ends a string that a terminal takes as a command (OSC, DCS and similar). */
const STRING_END = '\\u0007\\u001b\\u009c';
const SEQUENCE = new RegExp(
  [
    `${ESC}\\[[0-?]*[ -/]*[@-~]`,
    `${ESC}[\\]PX^_][^${STRING_END}]*(?:\\u0007|${ESC}\\\\|\\u009c)?`,
    `${ESC}[ -/]*[0-~]?`,
    '\\u009b[0-?]*[ -/]*[@-~]',
  ].join('|'),
  'g',
);
const COLOUR = new RegExp(`^${ESC}\\[[0-9;:]*m$`);
/** Except the line end, the tab, and the escape of an allowed colour. */
const CONTROL = new RegExp(`[^\\P{Control}\\t\\n${ESC}]`, 'gu');
const UNFINISHED = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|[\\]PX^_][^${STRING_END}]*${ESC}?|[ -/]*)?$`);
/** A longer unfinished escape sequence is no sequence. */
const MAX_UNFINISHED = 4_096;

export interface SafeTextOptions {
  /** Whether colours are allowed. */
  readonly colour?: boolean;
}

export function safeText(text: string, { colour = false }: SafeTextOptions = {}): string {
  const shown = text
    // Only at the start of a run: searching from each of its characters would make a long run quadratic.
    .replace(/(?<!\r)\r+\n/g, '\n')
    .replace(SEQUENCE, (sequence) => (colour && COLOUR.test(sequence) ? sequence : ''))
    .split('\n')
    .map(lastWritten)
    .join('\n')
    .replace(CONTROL, '');
  return showHiddenCharacters(shown, (name) => `⟨${name}⟩`);
}

/** What remains of an overwritten line: the text after the last return that something follows. */
function lastWritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

/** What would be run, with every character visible. */
export function safeCommand(text: string): string {
  return showCommand(text, (name) => `⟨${name}⟩`);
}

/** The same on one line. */
export function safeLine(text: string): string {
  return safeText(text.replace(/\s+/g, ' ')).trim();
}

/** For text in pieces: a possible beginning of a sequence waits for the rest. */
export class SafeTextStream {
  readonly #options: SafeTextOptions;
  #held = '';

  constructor(options: SafeTextOptions = {}) {
    this.#options = options;
  }

  push(piece: string): string {
    const text = this.#held + piece;
    const rest = UNFINISHED.exec(text)?.[0] ?? (text.endsWith('\r') ? '\r' : '');
    const holds = rest.length > 0 && rest.length <= MAX_UNFINISHED;
    this.#held = holds ? rest : '';
    return safeText(holds ? text.slice(0, -rest.length) : text, this.#options);
  }

  end(): string {
    const rest = this.#held;
    this.#held = '';
    return safeText(rest, this.#options);
  }
}
