import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { realpath } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { findProcesses } from '../../processes/processList.js';
import { DISPOSE_STAGES, stopProcesses } from '../../processes/stopProcesses.js';
import { isWithin } from '../../storage/fs/confinement.js';
import { orphanMark } from '../orphans/orphanAgents.js';

export interface TerminalsOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stateDir: string;
  /** Defaults to 32. */
  readonly maxTerminals?: number;
}

const MARK = 'AGENTHOST_AGENT_TERMINAL';
const DEFAULT_MAX_TERMINALS = 32;
const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

type Child = ChildProcessByStdio<null, Readable, Readable>;

interface ExitStatus {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Commands that an agent has the host run, so that clients can watch their output. They get the agent's environment and no more. */
export class Terminals {
  readonly #options: TerminalsOptions;
  readonly #terminals = new Map<string, Terminal>();
  readonly #starting = new Set<Promise<Terminal>>();
  #hasEnded = false;

  constructor(options: TerminalsOptions) {
    this.#options = options;
  }

  serve(app: acp.ClientApp): acp.ClientApp {
    const { terminal } = acp.methods.client;
    return app
      .onRequest(terminal.create, async ({ params }) => ({ terminalId: await this.#create(params) }))
      .onRequest(terminal.output, ({ params }) => this.#get(params.terminalId).output())
      .onRequest(terminal.waitForExit, ({ params }) => this.#get(params.terminalId).exited)
      .onRequest(terminal.kill, async ({ params }) => {
        await this.#get(params.terminalId).kill();
        return {};
      })
      .onRequest(terminal.release, async ({ params }) => {
        const released = this.#get(params.terminalId);
        this.#terminals.delete(params.terminalId);
        await released.kill();
        return {};
      });
  }

  /** Reports the output so far and all that follows; undefined for an unknown terminal. */
  follow(terminalId: string, onOutput: (output: string) => void): { exitCode: () => number | undefined } | undefined {
    const terminal = this.#terminals.get(terminalId);
    terminal?.follow(onOutput);
    return terminal && { exitCode: () => terminal.status?.exitCode ?? undefined };
  }

  /** Resolves when no process is left, including those that are being started. */
  async dispose(): Promise<void> {
    this.#hasEnded = true;
    await Promise.allSettled(this.#starting);
    const all = [...this.#terminals.values()];
    this.#terminals.clear();
    await Promise.all(all.map((terminal) => terminal.kill()));
  }

  async #create(params: acp.CreateTerminalRequest): Promise<string> {
    if (this.#hasEnded) throw acp.RequestError.invalidRequest(undefined, 'the session has ended');
    const { maxTerminals = DEFAULT_MAX_TERMINALS } = this.#options;
    if (this.#terminals.size + this.#starting.size >= maxTerminals) {
      throw acp.RequestError.invalidRequest(undefined, `there are ${maxTerminals} terminals already: release some`);
    }
    const starting = this.#start(params);
    this.#starting.add(starting);
    const terminal = await starting.finally(() => this.#starting.delete(starting));
    const terminalId = randomUUID();
    this.#terminals.set(terminalId, terminal);
    return terminalId;
  }

  async #start(params: acp.CreateTerminalRequest): Promise<Terminal> {
    const { cwd, env, stateDir } = this.#options;
    const terminal = await Terminal.start({
      command: params.command,
      args: params.args ?? [],
      cwd: await inside(cwd, params.cwd ?? cwd),
      env: {
        ...env,
        ...Object.fromEntries((params.env ?? []).map(({ name, value }) => [name, value])),
        ...orphanMark(stateDir),
      },
      maxBytes: Math.min(params.outputByteLimit ?? DEFAULT_OUTPUT_BYTES, MAX_OUTPUT_BYTES),
    });
    if (!this.#hasEnded) return terminal;
    await terminal.kill();
    throw acp.RequestError.invalidRequest(undefined, 'the session has ended');
  }

  #get(terminalId: string): Terminal {
    const terminal = this.#terminals.get(terminalId);
    if (!terminal) throw acp.RequestError.resourceNotFound(`terminal ${terminalId}`);
    return terminal;
  }
}

class Terminal {
  readonly exited: Promise<ExitStatus>;
  status: ExitStatus | undefined;
  readonly #child: Child;
  readonly #marker: string;
  readonly #maxBytes: number;
  #text = '';
  #truncated = false;
  #listener: ((output: string) => void) | undefined;

  static async start(options: {
    command: string;
    args: readonly string[];
    cwd: string;
    env: Record<string, string>;
    maxBytes: number;
  }): Promise<Terminal> {
    const { command, args, cwd, env, maxBytes } = options;
    const id = randomUUID();
    // Agents send either a program and its arguments, or a whole command line.
    const [file, all] = args.length > 0 || !/\s/.test(command) ? [command, args] : ['/bin/sh', ['-c', command]];
    const child = spawn(file, [...all], {
      cwd,
      env: { ...env, [MARK]: id },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    try {
      await once(child, 'spawn');
    } catch (error) {
      throw acp.RequestError.invalidParams(undefined, `${file}: ${(error as Error).message}`);
    }
    return new Terminal(child, `${MARK}=${id}`, maxBytes);
  }

  private constructor(child: Child, marker: string, maxBytes: number) {
    this.#child = child;
    this.#marker = marker;
    this.#maxBytes = maxBytes;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => this.#add(text));
      stream.on('error', () => {});
    }
    this.exited = new Promise((resolve) => {
      child.once('close', (exitCode, signal) => {
        this.status = { exitCode, signal };
        resolve(this.status);
      });
    });
  }

  output(): acp.TerminalOutputResponse {
    return { output: this.#text, truncated: this.#truncated, ...(this.status && { exitStatus: this.status }) };
  }

  follow(listener: (output: string) => void): void {
    this.#listener = listener;
    if (this.#text !== '') listener(this.#text);
  }

  async kill(): Promise<void> {
    const sid = this.#child.pid;
    const query = { marker: this.#marker, ...(sid !== undefined && !this.status && { sid }) };
    await stopProcesses(() => findProcesses(query), DISPOSE_STAGES);
    this.#child.stdout.destroy();
    this.#child.stderr.destroy();
  }

  #add(text: string): void {
    this.#listener?.(text);
    this.#text += text;
    if (this.#text.length <= this.#maxBytes) return;
    this.#truncated = true;
    // Cuts at the beginning, as the protocol requires, and never inside a character.
    this.#text = this.#text.slice(-this.#maxBytes).replace(/^[\uDC00-\uDFFF]/, '');
  }
}

async function inside(root: string, folder: string): Promise<string> {
  const [realRoot, real] = await Promise.all([realpath(root), realpath(folder).catch(() => undefined)]);
  if (real === undefined || !isWithin(realRoot, real)) {
    throw acp.RequestError.invalidParams(undefined, `cwd: ${folder} is not a folder of this session`);
  }
  return real;
}
