import { type ITheme, Terminal } from '@xterm/xterm';
import '@xterm/xterm/css/xterm.css';
import { policyStyles } from './policyStyles.js';

interface TerminalOptions {
  readonly label: string;
  /** How many rows it has; absent: as many as fit. */
  readonly rows?: number;
  readonly scrollback?: number;
  readonly lineHeight?: number;
  /** Tab goes to the program. Without it, Tab leaves the terminal. */
  readonly takesTab?: boolean;
  onInput(data: string): void;
  /** Other columns and rows fit now. */
  onResize(size: TerminalSize): void;
  /** Called after output, with the lines of the screen; a wrapped line is one. */
  onScreen?(lines: readonly string[]): void;
}

interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface OpenTerminal {
  /** What fits. */
  readonly size: TerminalSize;
  /** Resolves when it is shown. */
  write(data: string): Promise<void>;
  /** Somebody else decides on its size: what does not fit is shown smaller. */
  setSize(size: TerminalSize): void;
  setReadOnly(isReadOnly: boolean): void;
  focus(): void;
  dispose(): void;
}

const FONT_SIZE = 12;
const MIN_FONT_SIZE = 5;
const MIN_COLUMNS = 20;
const MAX_COLUMNS = 200;
const MIN_ROWS = 4;
const MAX_ROWS = 200;
/** Room for the padding and the scrollbar. */
const BESIDE = 40;
const ABOVE = 16;
/** Lines that are looked at for a code. */
const LOOKED_AT = 60;

/** A real terminal for a program that is not trusted: it has no clipboard, no links and no title. */
export function openTerminal(parent: HTMLElement, options: TerminalOptions): OpenTerminal {
  const { label, rows, scrollback = 500, lineHeight = 1.4, takesTab, onInput, onResize, onScreen } = options;
  const fontFamily = getComputedStyle(parent).getPropertyValue('--mono').trim();
  const styles = policyStyles(parent.ownerDocument);
  const terminal = new Terminal({
    cols: 80,
    rows: rows ?? 24,
    fontFamily,
    fontSize: FONT_SIZE,
    lineHeight,
    scrollback,
    cursorBlink: false,
    screenReaderMode: true,
    minimumContrastRatio: 4.5,
    linkHandler: { activate: () => undefined },
    theme: themeOf(parent),
  });
  terminal.open(parent);
  terminal.textarea?.setAttribute('aria-label', label);
  terminal.onData(onInput);
  terminal.attachCustomKeyEventHandler(({ key, ctrlKey }) => {
    // Shows and hides terminals.
    if (key === '`' && ctrlKey) return false;
    // Otherwise the keyboard could not leave the terminal.
    return takesTab === true || key !== 'Tab';
  });
  let given: TerminalSize | undefined;
  let size = fitting();
  terminal.resize(size.columns, size.rows);

  /** One cell in the usual size of letters. */
  function cell(): { readonly width: number; readonly height: number } {
    const screen = parent.querySelector<HTMLElement>('.xterm-screen');
    const scale = FONT_SIZE / (terminal.options.fontSize ?? FONT_SIZE);
    const width = ((screen?.clientWidth ?? 0) / terminal.cols) * scale;
    const height = ((screen?.clientHeight ?? 0) / terminal.rows) * scale;
    return { width: width || FONT_SIZE * 0.6, height: height || FONT_SIZE * lineHeight };
  }

  function fitting(): TerminalSize {
    const { width, height } = cell();
    const columns = Math.floor((parent.clientWidth - BESIDE) / width);
    const fittingRows = rows ?? Math.floor((parent.clientHeight - ABOVE) / height);
    return {
      columns: Math.min(MAX_COLUMNS, Math.max(MIN_COLUMNS, columns)),
      rows: rows ?? Math.min(MAX_ROWS, Math.max(MIN_ROWS, fittingRows)),
    };
  }

  function show(): void {
    const { columns: cols, rows: lines } = given ?? size;
    const { width, height } = cell();
    const room = Math.min(
      (parent.clientWidth - BESIDE) / (cols * width),
      (parent.clientHeight - ABOVE) / (lines * height),
    );
    const fontSize = Math.max(MIN_FONT_SIZE, Math.floor(FONT_SIZE * Math.min(1, given ? room : 1) * 4) / 4);
    if (terminal.options.fontSize !== fontSize) terminal.options.fontSize = fontSize;
    if (terminal.cols !== cols || terminal.rows !== lines) terminal.resize(cols, lines);
  }

  const resized = new ResizeObserver(() => {
    const next = fitting();
    const isOther = next.columns !== size.columns || next.rows !== size.rows;
    size = next;
    show();
    if (isOther) onResize(next);
  });
  resized.observe(parent);
  const themed = new MutationObserver(() => {
    terminal.options.theme = themeOf(parent);
  });
  themed.observe(parent.ownerDocument.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  return {
    get size() {
      return size;
    },
    write: (data) =>
      new Promise((resolve) =>
        terminal.write(data, () => {
          onScreen?.(linesOf(terminal));
          resolve();
        }),
      ),
    setSize: (wanted) => {
      given = wanted.columns === size.columns && wanted.rows === size.rows ? undefined : wanted;
      show();
    },
    setReadOnly: (isReadOnly) => {
      terminal.options.disableStdin = isReadOnly;
    },
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
