import { showHiddenCharacters } from '@agenthost/protocol';

// What agents, and the programs that they run, wrote is shown without being obeyed: no escape sequence reaches the terminal
// but colours, and characters that reverse or hide text become visible.

const ESC = '\\u001b';
/** What ends a string that a terminal takes as a command (OSC, DCS and their like). */
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
/** But the line's end, the tab, and the escape of a colour that was let through. */
const CONTROL = new RegExp(`[^\\P{Control}\\t\\n${ESC}]`, 'gu');
const UNFINISHED = new RegExp(`${ESC}(?:\\[[0-?]*[ -/]*|[\\]PX^_][^${STRING_END}]*${ESC}?|[ -/]*)?$`);
/** An escape sequence that is still not over after this much is no sequence. */
const MAX_UNFINISHED = 4_096;

export interface SafeTextOptions {
  /** Whether colours are let through. */
  readonly colour?: boolean;
}

export function safeText(text: string, { colour = false }: SafeTextOptions = {}): string {
  const shown = text
    // Only at the start of a run: looked for from each of its characters, a long run would cost its square.
    .replace(/(?<!\r)\r+\n/g, '\n')
    .replace(SEQUENCE, (sequence) => (colour && COLOUR.test(sequence) ? sequence : ''))
    .split('\n')
    .map(lastWritten)
    .join('\n')
    .replace(CONTROL, '');
  return showHiddenCharacters(shown, (name) => `⟨${name}⟩`);
}

/** What stays of a line that was overwritten: what follows the last return that something follows. */
function lastWritten(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end--;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

/** The same on one line. */
export function safeLine(text: string): string {
  return safeText(text.replace(/\s+/g, ' ')).trim();
}

/** For text that comes in pieces: what may be the beginning of a sequence waits for the rest. */
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
