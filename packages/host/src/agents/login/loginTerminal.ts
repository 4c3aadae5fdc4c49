import { PtyProcess } from '../../processes/ptyProcess.js';
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

/** An agent's own log-in program in a pseudo terminal and in an empty folder. What it prints is passed on and kept nowhere. */
export class LoginTerminal {
  /** Settles when no process of it is left. */
  readonly ended: Promise<LoginEnd>;
  readonly #process: PtyProcess;
  readonly #options: LoginTerminalOptions;
  readonly #timer: NodeJS.Timeout;
  #total = 0;
  #typed = 0;
  #stopped: string | undefined;

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
    this.#process = new PtyProcess({
      file: program.path,
      args: program.args,
      cwd: folder.path,
      env: { ...program.env, ...orphanMark(stateDir) },
      columns,
      rows,
      mark: MARK,
      gatherMs: GATHER_MS,
      onOutput: (data) => this.#received(data),
    });
    const time = Math.round(limits.timeMs / 60_000);
    this.#timer = setTimeout(() => this.stop(`It took more than ${time} minutes.`), limits.timeMs);
    this.ended = this.#end(folder);
  }

  get isStopping(): boolean {
    return this.#process.isStopping;
  }

  write(data: string): void {
    if (this.#process.hasExited || this.isStopping) return;
    this.#typed += data.length;
    if (this.#typed <= this.#options.limits.maxInput) this.#process.write(data);
    else this.stop('Too much was typed into it.');
  }

  resize(columns: number, rows: number): void {
    this.#process.resize(columns, rows);
  }

  /** Ends the program and everything that it started. */
  stop(why: string): void {
    if (this.isStopping) return;
    this.#stopped ??= why;
    this.#process.stop();
  }

  async #end(folder: EmptyFolder): Promise<LoginEnd> {
    const exitCode = await this.#process.ended;
    clearTimeout(this.#timer);
    await folder.remove();
    return { exitCode, stopped: this.#stopped };
  }

  #received(data: string): void {
    if (this.isStopping) return;
    this.#total += data.length;
    if (this.#total > this.#options.limits.maxOutput) {
      this.stop(`It printed more than ${Math.round(this.#options.limits.maxOutput / 1024)} KiB.`);
      return;
    }
    this.#options.onOutput(data);
  }
}
