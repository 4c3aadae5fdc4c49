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
  /** Marks the process, so that the next host finds it if this one is killed. */
  readonly stateDir: string;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const MARK = 'AGENTHOST_AGENT_PROCESS';
const MAX_STDERR = 4_096;
/** How long an agent has to end by itself after its standard input ended. */
const LEAVE_MS = 300;

/** An agent's program in its own process group, with exactly the given environment. */
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
    // A write to an ended process is not an error here: `ended` reports it.
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
        // Its last output may still be in the pipe, but one of its children may hold the pipe open for ever.
        const tell = () => resolve(this.failure('agentEnded', `${this.#displayName} ended unexpectedly (${how}).`));
        const timer = setTimeout(tell, 200);
        child.once('close', () => {
          clearTimeout(timer);
          tell();
        });
      });
    });
  }

  /** Includes the last lines of its standard error. */
  failure(errorType: string, message: string): AcpFailure {
    const said = stripVTControlCharacters(this.#stderr).trim();
    return new AcpFailure(errorType, said ? `${message} It said last:\n${said}` : message);
  }

  /** Ends the process and everything it started; resolves when none of it is left. */
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
