import { join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

const CLI = join(import.meta.dirname, '../../apps/cli/dist/main.js');
const NEVER_MS = 20_000;

export interface TerminalOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd?: string;
  /** How long `until` waits. */
  readonly timeoutMs?: number;
}

/** A real pseudo terminal with a real command in it, and a screen that can be read. */
export class Terminal {
  readonly #pty: IPty;
  readonly #screen: xterm.Terminal;
  readonly #waiting = new Set<() => void>();
  readonly #timeoutMs: number;
  /** The command's exit code, or 128 and the number of the signal that ended it. */
  readonly exited: Promise<number>;
  #hasExited = false;
  /** All bytes that came, as text. */
  output = '';

  /** In a shell, which says with what the command has ended, and how the terminal is then. */
  static inShell(args: readonly string[], options: TerminalOptions = {}): Terminal {
    const command = [process.execPath, CLI, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    // A prompt after the command shows that the shell has the terminal again.
    const script = `${command}; echo "ended with $?"; stty -a | tr ';' '\\n' | grep -Eo -- '-?(icanon|echo|isig)\\b' | tr '\\n' ' '; echo; read -r line; echo "read $line"`;
    return new Terminal('bash', ['--norc', '-c', script], options);
  }

  /** Any program. */
  static program(file: string, args: readonly string[], options: TerminalOptions = {}): Terminal {
    return new Terminal(file, args, options);
  }

  static run(args: readonly string[], options: TerminalOptions = {}): Terminal {
    return new Terminal(process.execPath, [CLI, ...args], options);
  }

  private constructor(file: string, args: readonly string[], options: TerminalOptions) {
    const { columns = 100, rows = 30, env = {}, cwd, timeoutMs = NEVER_MS } = options;
    this.#timeoutMs = timeoutMs;
    this.#screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    this.#pty = spawn(file, [...args], {
      name: 'xterm-256color',
      cols: columns,
      rows,
      ...(cwd !== undefined && { cwd }),
      env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', TERM: 'xterm-256color', USER: 'tester', ...env },
    });
    this.#pty.onData((data) => {
      this.output += data;
      this.#screen.write(data, () => this.#look());
    });
    // What a terminal answers to queries goes back to the program, as in a real one.
    this.#screen.onData((data) => this.#hasExited || this.#pty.write(data));
    this.exited = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode, signal }) => {
        this.#hasExited = true;
        resolve(signal ? 128 + signal : exitCode);
        this.#look();
      });
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  get isAlternateScreen(): boolean {
    return this.#screen.buffer.active.type === 'alternate';
  }

  get isBracketedPaste(): boolean {
    return this.#screen.modes.bracketedPasteMode;
  }

  get isCursorVisible(): boolean {
    return this.output.lastIndexOf('\u001b[?25l') <= this.output.lastIndexOf('\u001b[?25h');
  }

  /** What can be seen, without the empty lines at the end. */
  get text(): string {
    const { active } = this.#screen.buffer;
    const lines = Array.from({ length: this.#screen.rows }, (_, row) => {
      return active.getLine(active.viewportY + row)?.translateToString(true, 0, this.#screen.cols) ?? '';
    });
    return lines.join('\n').trimEnd();
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  kill(signal: string): void {
    this.#pty.kill(signal);
  }

  /** Resolves with the screen when it shows that, all of it. */
  until(...wanted: readonly (string | RegExp | (() => boolean))[]): Promise<string> {
    const fits = () =>
      wanted.every((each) => {
        if (typeof each === 'function') return each();
        return typeof each === 'string' ? this.text.includes(each) : each.test(this.text);
      });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        const what = wanted.map(String).join(', ');
        reject(
          new Error(`${what} did not come${this.#hasExited ? ' before it ended' : ''}; the screen is\n${this.text}`),
        );
      }, this.#timeoutMs);
      const look = () => {
        if (!fits()) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(this.text);
      };
      this.#waiting.add(look);
      look();
    });
  }

  async dispose(): Promise<void> {
    if (!this.#hasExited) this.#pty.kill('SIGKILL');
    await this.exited;
    this.#screen.dispose();
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
}
