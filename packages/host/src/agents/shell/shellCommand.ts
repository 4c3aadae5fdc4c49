import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { constants as osConstants, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attachment } from '@agenthost/protocol';
import { findProcesses } from '../../processes/processList.js';
import { isRunning } from '../../processes/processStat.js';
import { CANCEL_STAGES, stopProcesses } from '../../processes/stopProcesses.js';
import { keepTail } from '../../processes/terminalTail.js';
import type { TempFiles } from '../../storage/stateRoot/tempFiles.js';
import { attachmentFiles } from './attachmentFiles.js';
import { commandScript } from './commandScript.js';
import type { Shell } from './findShell.js';
import { OutputBatcher } from './outputBatcher.js';
import type { TerminalInput } from './terminalInput.js';

export interface ShellCommandOptions {
  readonly shell: Shell;
  readonly command: string;
  readonly cwd: string;
  readonly env: ReadonlyMap<string, string>;
  /** Marks the processes of one session; see `terminalMarker`. */
  readonly terminalId: string;
  /** Attachments, which the command finds as files: `$ATTACHMENT_1` and so on. */
  readonly attachments?: readonly Attachment[];
  readonly tempFiles?: TempFiles | undefined;
  /** Stops the command. */
  readonly signal: AbortSignal;
  readonly input: TerminalInput;
  onOutput(output: string): void;
  /** Called when it runs: from now on its output can be paused. */
  onStarted?(output: HeldOutput): void;
}

export interface HeldOutput {
  hold(): void;
  release(): void;
}

export interface CommandOutcome {
  /** As a shell reports it: 128 and more for a signal. */
  readonly exitCode: number;
  readonly signal?: string;
  /** What `commandScript` saved, if it did. */
  readonly saved?: string;
}

/** What fits into the page's column beside a scroll bar. All clients see the same output, so none of them sets it. */
export const COLUMNS = 96;
export const ROWS = 30;
export const GIVE_UP_MS = 300;
const MAX_SAVED_BYTES = 1024 * 1024;
export const TERMINAL_ID = 'TERM_SESSION_ID';

/** The mark in the environment of all processes that a session started. */
export function terminalMarker(terminalId: string): string {
  return `${TERMINAL_ID}=${terminalId}.`;
}

/** Runs one command in its own pseudo terminal. Resolves when it has ended, and after `signal` when all of it has. */
export async function runShellCommand(options: ShellCommandOptions): Promise<CommandOutcome> {
  // Each command gets a new private folder, so that changes to an earlier one don't matter.
  const folder = await privateFolder(options.tempFiles);
  try {
    const stateFile = join(folder.path, 'state');
    const script = commandScript(options.command, stateFile, options.shell);
    const attached = await attachmentFiles(options.attachments ?? [], folder.path);
    options.signal.throwIfAborted();
    const outcome = await runScript(script, attached, options);
    const saved = await readSaved(stateFile);
    return { ...outcome, ...(saved !== undefined && { saved }) };
  } finally {
    await folder.remove();
  }
}

async function runScript(
  script: string,
  attached: Readonly<Record<string, string>>,
  options: ShellCommandOptions,
): Promise<CommandOutcome> {
  const { shell, cwd, signal } = options;
  const mark = `${options.terminalId}.${randomUUID()}`;
  // Loaded with the first command.
  const pty = await import('@lydell/node-pty');
  signal.throwIfAborted();
  const terminal = pty.spawn(shell.path, [...shell.args, '-c', script, basename(shell.path)], {
    name: options.env.get('TERM') ?? 'xterm-256color',
    cols: COLUMNS,
    rows: ROWS,
    cwd,
    env: { ...Object.fromEntries(options.env), ...attached, [TERMINAL_ID]: mark },
  });
  keepTail(terminal);
  const batcher = new OutputBatcher({
    emit: options.onOutput,
    pause: () => terminal.pause(),
    resume: () => terminal.resume(),
    isAlive: () => isRunning(terminal.pid),
  });
  terminal.onData((output) => batcher.push(output));
  options.input.attach(terminal);
  options.onStarted?.(batcher);
  const exited = new Promise<{ exitCode: number; signal?: number }>((resolve) => terminal.onExit(resolve));
  const query = { marker: `${TERMINAL_ID}=${mark}`, sid: terminal.pid };
  const stopped = new Promise<void>((resolve) => {
    const stop = () => resolve(stopProcesses(() => findProcesses(query), CANCEL_STAGES).then(() => {}));
    signal.addEventListener('abort', stop, { once: true });
    void exited.then(() => signal.removeEventListener('abort', stop));
  });
  // Not even SIGKILL ends a process that hangs in the kernel: then the terminal is abandoned.
  const exit = await Promise.race([exited, stopped.then(() => delay(GIVE_UP_MS, undefined, { ref: false }))]);
  if (signal.aborted) await stopped;
  options.input.end();
  batcher.end();
  if (exit?.signal) return { exitCode: 128 + exit.signal, signal: signalName(exit.signal) };
  return { exitCode: exit?.exitCode ?? 137 };
}

export function signalName(number: number): string {
  return Object.entries(osConstants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`;
}

/** The command could have replaced the file by anything; only a file as we write it is read. */
export async function readSaved(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      return stat.isFile() && stat.size <= MAX_SAVED_BYTES ? await file.readFile('utf8') : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

interface PrivateFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** A folder for one command: in the session's temporary folder or, if that is not on this machine, in the system's. */
async function privateFolder(tempFiles: TempFiles | undefined): Promise<PrivateFolder> {
  if (tempFiles?.isLocal) {
    const path = await tempFiles.createFolder();
    return { path, remove: () => tempFiles.remove(path) };
  }
  const path = await mkdtemp(join(tmpdir(), 'agenthost-shell-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
