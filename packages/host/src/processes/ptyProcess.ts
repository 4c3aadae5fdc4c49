import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as pty from '@lydell/node-pty';
import { findProcesses } from './processList.js';
import { DISPOSE_STAGES, stopProcesses } from './stopProcesses.js';
import { keepTail } from './terminalTail.js';
import { TerminalWriter } from './terminalWriter.js';

export interface PtyOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns: number;
  readonly rows: number;
  /** The name of a variable that marks all processes of it. */
  readonly mark: string;
  /** Short pieces are passed on at once; longer ones, and many, together after so many milliseconds. */
  readonly gatherMs: number;
  onOutput(data: string): void;
}

const ABANDON_MS = 1_000;
const MAX_PIECE = 65_536;
/** Such pieces are passed on at once, so many of them within `gatherMs`. */
const SHORT = 1_024;
const MAX_AT_ONCE = 64;
/** After a full piece, so that a program that floods waits for the event loop. */
const BREATH_MS = 1;

/** Loaded with the first terminal. */
const loadPty = () => createRequire(import.meta.url)('@lydell/node-pty') as typeof pty;

/** A program in a pseudo terminal, and everything that it starts. */
export class PtyProcess {
  /** Settles with the exit code when no process of it is left; 128 and more for a signal. */
  readonly ended: Promise<number>;
  readonly #terminal: pty.IPty;
  readonly #keyboard = new TerminalWriter();
  readonly #options: PtyOptions;
  readonly #query: { readonly marker: string; readonly sid: number };
  #gathered = '';
  /** Pieces that were passed on without waiting. */
  #atOnce = 0;
  #gathering: NodeJS.Timeout | undefined;
  #breath: NodeJS.Timeout | undefined;
  #stopping: Promise<unknown> | undefined;
  #hasExited = false;
  /** Not even SIGKILL ends a process that hangs in the kernel. */
  readonly #abandoned = Promise.withResolvers<void>();

  /** Throws when the program can't be started. */
  constructor(options: PtyOptions) {
    this.#options = options;
    const { file, args, cwd, env, columns, rows, mark } = options;
    const id = randomUUID();
    const name = 'xterm-256color';
    this.#terminal = loadPty().spawn(file, [...args], {
      name,
      cols: columns,
      rows,
      cwd,
      env: { ...env, [mark]: id, TERM: name, COLORTERM: 'truecolor' },
    });
    keepTail(this.#terminal);
    this.#keyboard.attach(this.#terminal);
    this.#query = { marker: `${mark}=${id}`, sid: this.#terminal.pid };
    this.#terminal.onData((data) => this.#received(data));
    this.ended = this.#end();
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Bytes of input that wait because the program does not read. */
  get unread(): number {
    return this.#keyboard.waitingBytes;
  }

  write(data: string): void {
    if (!this.#hasExited && !this.isStopping) this.#keyboard.write(data);
  }

  resize(columns: number, rows: number): void {
    if (!this.#hasExited) this.#terminal.resize(columns, rows);
  }

  /** Ends the program and everything that it started. `ended` says when that is done. */
  stop(): void {
    if (this.#stopping !== undefined) return;
    this.#stopping = stopProcesses(() => findProcesses(this.#query), DISPOSE_STAGES);
    void this.#stopping.then(() => setTimeout(this.#abandoned.resolve, ABANDON_MS).unref());
  }

  async #end(): Promise<number> {
    const exited = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) =>
      this.#terminal.onExit(resolve),
    );
    const exit = await Promise.race([exited, this.#abandoned.promise]);
    this.#hasExited = true;
    this.#keyboard.end();
    clearTimeout(this.#breath);
    // Also what it left in the background, such as a server.
    await (this.#stopping ?? stopProcesses(() => findProcesses({ marker: this.#query.marker }), DISPOSE_STAGES));
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#pass();
    if (!exit) return 137;
    return exit.signal ? 128 + exit.signal : exit.exitCode;
  }

  #received(data: string): void {
    this.#gathered += data;
    if (this.#gathered.length >= MAX_PIECE) {
      this.#pass();
      this.#breathe();
      return;
    }
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#atOnce = 0;
      this.#pass();
    }, this.#options.gatherMs);
    // The echo of a key must not wait.
    if (data.length <= SHORT && ++this.#atOnce <= MAX_AT_ONCE) this.#pass();
  }

  #pass(): void {
    const data = this.#gathered;
    this.#gathered = '';
    if (data !== '') this.#options.onOutput(data);
  }

  #breathe(): void {
    if (this.#hasExited || this.#breath !== undefined) return;
    this.#terminal.pause();
    this.#breath = setTimeout(() => {
      this.#breath = undefined;
      this.#terminal.resume();
    }, BREATH_MS);
  }
}
