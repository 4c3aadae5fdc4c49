import { randomUUID } from 'node:crypto';
import * as pty from '@lydell/node-pty';
import { findProcesses } from '../../processes/processList.js';
import { DISPOSE_STAGES, stopProcesses } from '../../processes/stopProcesses.js';
import { keepTail } from '../../processes/terminalTail.js';
import { TerminalWriter } from '../../processes/terminalWriter.js';
import type { LoginProgram } from '../agentLogin.js';
import { orphanMark } from '../orphans/orphanAgents.js';
import { type EmptyFolder, emptyFolder } from './emptyFolder.js';

export interface LoginLimits {
  /** Code units of output in all. A log-in prints a screen or two. */
  readonly maxOutput: number;
  /** Code units of input in all. A program that does not read would let it pile up. */
  readonly maxInput: number;
  readonly timeMs: number;
}

export const LOGIN_LIMITS: LoginLimits = { maxOutput: 1024 * 1024, maxInput: 128 * 1024, timeMs: 15 * 60_000 };

export interface LoginTerminalOptions {
  readonly program: LoginProgram;
  readonly stateDir: string;
  readonly columns: number;
  readonly rows: number;
  readonly limits: LoginLimits;
  onOutput(data: string): void;
}

export interface LoginEnd {
  readonly exitCode: number;
  /** Why the host ended it, as a sentence. */
  readonly stopped?: string | undefined;
}

const MARK = 'AGENTHOST_AGENT_LOGIN';
const GATHER_MS = 20;
const ABANDON_MS = 1_000;
const MAX_PIECE = 65_536;

/** An agent's own log-in program in a pseudo terminal and in an empty folder. What it prints is passed on and kept nowhere. */
export class LoginTerminal {
  /** Settles when no process of it is left. */
  readonly ended: Promise<LoginEnd>;
  readonly #terminal: pty.IPty;
  readonly #keyboard = new TerminalWriter();
  readonly #options: LoginTerminalOptions;
  readonly #query: { readonly marker: string; readonly sid: number };
  readonly #timer: NodeJS.Timeout;
  #gathered = '';
  #gathering: NodeJS.Timeout | undefined;
  #total = 0;
  #typed = 0;
  #stopped: string | undefined;
  #stopping: Promise<unknown> | undefined;
  #hasExited = false;
  /** Not even SIGKILL ends a process that hangs in the kernel. */
  readonly #abandoned = Promise.withResolvers<void>();

  /** Rejects when the program can't be started. */
  static async start(options: LoginTerminalOptions): Promise<LoginTerminal> {
    const folder = await emptyFolder(options.stateDir);
    try {
      return new LoginTerminal(options, folder);
    } catch (error) {
      await folder.remove();
      throw error;
    }
  }

  private constructor(options: LoginTerminalOptions, folder: EmptyFolder) {
    this.#options = options;
    const { program, stateDir, columns, rows, limits } = options;
    const id = randomUUID();
    this.#terminal = pty.spawn(program.path, [...program.args], {
      name: 'xterm-256color',
      cols: columns,
      rows,
      cwd: folder.path,
      env: { ...program.env, ...orphanMark(stateDir), [MARK]: id, TERM: 'xterm-256color', COLORTERM: 'truecolor' },
    });
    keepTail(this.#terminal);
    this.#keyboard.attach(this.#terminal);
    this.#query = { marker: `${MARK}=${id}`, sid: this.#terminal.pid };
    this.#terminal.onData((data) => this.#received(data));
    const time = Math.round(limits.timeMs / 60_000);
    this.#timer = setTimeout(() => this.stop(`It took more than ${time} minutes.`), limits.timeMs);
    this.ended = this.#end(folder);
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  write(data: string): void {
    if (this.#hasExited || this.#stopping !== undefined) return;
    this.#typed += data.length;
    if (this.#typed <= this.#options.limits.maxInput) this.#keyboard.write(data);
    else this.stop('Too much was typed into it.');
  }

  resize(columns: number, rows: number): void {
    if (!this.#hasExited) this.#terminal.resize(columns, rows);
  }

  /** Ends the program and everything that it started. */
  stop(why: string): void {
    if (this.#stopping !== undefined) return;
    this.#stopped ??= why;
    this.#stopping = stopProcesses(() => findProcesses(this.#query), DISPOSE_STAGES);
    void this.#stopping.then(() => setTimeout(this.#abandoned.resolve, ABANDON_MS).unref());
  }

  async #end(folder: EmptyFolder): Promise<LoginEnd> {
    const exited = new Promise<{ exitCode: number; signal?: number | undefined }>((resolve) =>
      this.#terminal.onExit(resolve),
    );
    const { exitCode, signal } = (await Promise.race([exited, this.#abandoned.promise])) ?? {
      exitCode: 137,
      signal: undefined,
    };
    this.#hasExited = true;
    this.#keyboard.end();
    clearTimeout(this.#timer);
    // Also what it left in the background, such as a server that waits for the browser.
    await (this.#stopping ?? stopProcesses(() => findProcesses({ marker: this.#query.marker }), DISPOSE_STAGES));
    this.#flush();
    await folder.remove();
    return { exitCode: signal ? 128 + signal : exitCode, stopped: this.#stopped };
  }

  #received(data: string): void {
    if (this.#stopping !== undefined) return;
    this.#total += data.length;
    if (this.#total > this.#options.limits.maxOutput) {
      this.stop(`It printed more than ${Math.round(this.#options.limits.maxOutput / 1024)} KiB.`);
      return;
    }
    this.#gathered += data;
    if (this.#gathered.length >= MAX_PIECE) this.#flush();
    else this.#gathering ??= setTimeout(() => this.#flush(), GATHER_MS);
  }

  #flush(): void {
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    const data = this.#gathered;
    this.#gathered = '';
    if (data !== '') this.#options.onOutput(data);
  }
}
