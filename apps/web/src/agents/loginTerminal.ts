import { type ITheme, Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { policyStyles } from './policyStyles.js';

interface TerminalOptions {
  readonly label: string;
  onInput(data: string): void;
  onResize(size: TerminalSize): void;
  /** Called after output, with the lines of the screen; a wrapped line is one. */
  onScreen(lines: readonly string[]): void;
}

interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface OpenTerminal {
  readonly size: TerminalSize;
  write(data: string): void;
  focus(): void;
  dispose(): void;
}

const FONT_SIZE = 12;
const ROWS = 12;
/** For a window that is not higher than this, so that the dialog fits. */
const LOW = 800;
const LOW_ROWS = 9;
const MIN_COLUMNS = 20;
const MAX_COLUMNS = 200;
/** Lines that are looked at for a code. */
const LOOKED_AT = 60;

/** A real terminal for a program that is not trusted: it has no clipboard, no links and no title. */
export function openTerminal(
  parent: HTMLElement,
  { label, onInput, onResize, onScreen }: TerminalOptions,
): OpenTerminal {
  const fontFamily = getComputedStyle(parent).getPropertyValue('--mono').trim();
  const columns = () => columnsOf(parent, fontFamily);
  const styles = policyStyles(parent.ownerDocument);
  const rows = innerHeight <= LOW ? LOW_ROWS : ROWS;
  const terminal = new Terminal({
    cols: columns(),
    rows,
    fontFamily,
    fontSize: FONT_SIZE,
    lineHeight: 1.4,
    scrollback: 500,
    cursorBlink: false,
    screenReaderMode: true,
    minimumContrastRatio: 4.5,
    linkHandler: { activate: () => undefined },
    theme: themeOf(parent),
  });
  terminal.open(parent);
  terminal.textarea?.setAttribute('aria-label', label);
  terminal.onData(onInput);
  // Otherwise the keyboard could not leave the terminal.
  terminal.attachCustomKeyEventHandler(({ key }) => key !== 'Tab');
  const resized = new ResizeObserver(() => {
    const next = columns();
    if (next === terminal.cols) return;
    terminal.resize(next, rows);
    onResize({ columns: next, rows });
  });
  resized.observe(parent);
  const themed = new MutationObserver(() => {
    terminal.options.theme = themeOf(parent);
  });
  themed.observe(parent.ownerDocument.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return {
    get size() {
      return { columns: terminal.cols, rows };
    },
    write: (data) => terminal.write(data, () => onScreen(linesOf(terminal))),
    focus: () => terminal.focus(),
    dispose: () => {
      resized.disconnect();
      themed.disconnect();
      terminal.dispose();
      styles.dispose();
    },
  };
}

/** The page's own colours, so that both themes keep their contrast. */
function themeOf(parent: HTMLElement): ITheme {
  const style = getComputedStyle(parent);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: colour('--well'),
    foreground: colour('--text'),
    cursor: colour('--text-2'),
    cursorAccent: colour('--well'),
    selectionBackground: colour('--line-2'),
    red: colour('--ansi-red'),
    green: colour('--ansi-green'),
    yellow: colour('--ansi-yellow'),
    blue: colour('--ansi-blue'),
    cyan: colour('--ansi-cyan'),
  };
}

function linesOf({ buffer: { active } }: Terminal): string[] {
  const lines: string[] = [];
  for (let at = Math.max(0, active.length - LOOKED_AT); at < active.length; at++) {
    const line = active.getLine(at);
    if (!line) continue;
    const text = line.translateToString(true);
    if (line.isWrapped && lines.length > 0) lines.push(`${lines.pop() ?? ''}${text}`);
    else lines.push(text);
  }
  return lines;
}

function columnsOf(parent: HTMLElement, fontFamily: string): number {
  const context = parent.ownerDocument.createElement('canvas').getContext('2d');
  if (!context) return 80;
  context.font = `${FONT_SIZE}px ${fontFamily}`;
  const width = context.measureText('W').width || FONT_SIZE * 0.6;
  // Room for the padding and the scrollbar.
  const room = parent.clientWidth - 40;
  return Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, Math.floor(room / width)));
}
