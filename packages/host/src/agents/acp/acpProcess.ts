import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { findProcesses } from '../../processes/processList.js';
import { DISPOSE_STAGES, stopProcesses } from '../../processes/stopProcesses.js';
import { orphanMark } from '../orphans/orphanAgents.js';
import { settleWithin } from '../settleWithin.js';
import { AcpFailure } from './acpFailure.js';

export interface Program {
  readonly path: string;
  readonly args: readonly string[];
}

export interface AcpProcessOptions {
  readonly displayName: string;
  readonly program: Program;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Says whose it is, so that the next host can find it if this one is killed. */
  readonly stateDir: string;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const MARK = 'AGENTHOST_AGENT_PROCESS';
const MAX_STDERR = 4_096;
/** An agent whose standard input ended has this long to end by itself. */
const LEAVE_MS = 300;

/** An agent's program, in a group of its own, with exactly the environment it was given. */
export class AcpProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Settles with the reason when it has ended. */
  readonly ended: Promise<AcpFailure>;
  readonly #child: Child;
  readonly #displayName: string;
  readonly #marker: string;
  #stderr = '';
  #hasEnded = false;
  #stopping: Promise<void> | undefined;

  /** Rejects when it can't be started at all. */
  static async start(options: AcpProcessOptions): Promise<AcpProcess> {
    const id = randomUUID();
    const child = spawn(options.program.path, [...options.program.args], {
      cwd: options.cwd,
      env: { ...options.env, ...orphanMark(options.stateDir), [MARK]: id },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    try {
      await once(child, 'spawn');
    } catch (cause) {
      const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
      const message = `${options.displayName} could not be started (${reason}): ${options.program.path}`;
      throw new AcpFailure('agentNotStarted', message, { cause });
    }
    return new AcpProcess(child, options.displayName, `${MARK}=${id}`);
  }

  private constructor(child: Child, displayName: string, marker: string) {
    this.#child = child;
    this.#displayName = displayName;
    this.#marker = marker;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    // Whoever writes to a process that is gone learns it from `ended`.
    child.stdin.on('error', () => {});
    child.stdout.on('error', () => {});
    child.stderr.on('error', () => {});
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-MAX_STDERR);
    });
    this.ended = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#hasEnded = true;
        const how = signal === null ? `exit code ${code}` : `ended by ${signal}`;
        // What it said last may still be in the pipe; but a child of it may hold that open for ever.
        const tell = () => resolve(this.failure('agentEnded', `${this.#displayName} ended unexpectedly (${how}).`));
        const timer = setTimeout(tell, 200);
        child.once('close', () => {
          clearTimeout(timer);
          tell();
        });
      });
    });
  }

  /** With what it wrote to its standard error last. */
  failure(errorType: string, message: string): AcpFailure {
    const said = stripVTControlCharacters(this.#stderr).trim();
    return new AcpFailure(errorType, said ? `${message} It said last:\n${said}` : message);
  }

  /** Ends it and everything it started; resolves when none of it is left. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    this.#child.stdin.end();
    if (!this.#hasEnded) await settleWithin(LEAVE_MS, once(this.#child, 'exit'));
    const sid = this.#child.pid;
    const query = { marker: this.#marker, ...(sid !== undefined && !this.#hasEnded && { sid }) };
    await stopProcesses(() => findProcesses(query), DISPOSE_STAGES);
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }
}
