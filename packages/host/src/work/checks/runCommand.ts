import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { findProcesses } from '../../processes/processList.js';
import { DISPOSE_STAGES, stopProcesses } from '../../processes/stopProcesses.js';
import { OutputTail } from './outputTail.js';

const MARK = 'AGENTHOST_TESTS';
/** Something outside of the run may hold its output open. */
const CLOSE_MS = 1_000;
/** After so many bytes the program waits for the event loop: one that floods must not slow the sessions down. */
const BREATH_BYTES = 1024 * 1024;
const BREATH_MS = 1;

export interface CommandOptions {
  /** One line for the shell. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxOutput: number;
  readonly signal: AbortSignal;
}

export interface CommandEnd {
  /** `failed` also when it could not be started: then there is no code, and the output says why. */
  readonly how: 'passed' | 'failed' | 'stopped' | 'timedOut';
  readonly exitCode?: number;
  readonly output: string;
  readonly isCut: boolean;
}

type Child = ChildProcessByStdio<null, Readable, Readable>;

/** Runs a command to its end, with everything that it starts. Never rejects. */
export async function runCommand(options: CommandOptions): Promise<CommandEnd> {
  const { command, cwd, env, timeoutMs, maxOutput, signal } = options;
  if (signal.aborted) return { how: 'stopped', output: '', isCut: false };
  const id = randomUUID();
  const tail = new OutputTail(maxOutput);
  const child = spawn('/bin/sh', ['-c', command], {
    cwd,
    env: { ...env, [MARK]: id },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  for (const stream of [child.stdout, child.stderr]) readInto(tail, stream);
  const ended = endOf(child);
  let stopping: Promise<unknown> | undefined;
  let why: 'stopped' | 'timedOut' | undefined;
  const stop = (reason: typeof why): void => {
    why ??= reason;
    const query = { marker: `${MARK}=${id}`, ...(child.pid !== undefined && { sid: child.pid }) };
    stopping ??= stopProcesses(() => findProcesses(query), DISPOSE_STAGES);
  };
  const onAbort = (): void => stop('stopped');
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => stop('timedOut'), timeoutMs);
  try {
    const end = await ended.exit;
    const stoppedBefore = why;
    // Also what it left in the background, such as a server.
    stop(undefined);
    await stopping;
    await ended.closed;
    if (typeof end === 'string') return { how: 'failed', output: end, isCut: false };
    const printed = tail.end();
    if (stoppedBefore !== undefined) return { how: stoppedBefore, ...printed };
    return { how: end === 0 ? 'passed' : 'failed', exitCode: end, ...printed };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function readInto(tail: OutputTail, stream: Readable): void {
  const add = tail.source();
  let sinceBreath = 0;
  stream.on('error', () => {});
  stream.on('data', (piece: Buffer) => {
    add(piece);
    sinceBreath += piece.length;
    if (sinceBreath < BREATH_BYTES) return;
    sinceBreath = 0;
    stream.pause();
    setTimeout(() => stream.resume(), BREATH_MS);
  });
}

/** `exit`: its code, 128 and more for a signal, or why it was not started. `closed`: all that it printed was read. */
function endOf(child: Child): { readonly exit: Promise<number | string>; readonly closed: Promise<void> } {
  const exit = Promise.withResolvers<number | string>();
  const closed = Promise.withResolvers<void>();
  child.on('error', (error: NodeJS.ErrnoException) => {
    const isGone = error.code === 'ENOENT' || error.code === 'ENOTDIR';
    exit.resolve(
      isGone ? 'The folder of the session does not exist any more.' : `It could not be started: ${error.message}`,
    );
    closed.resolve();
  });
  child.on('exit', (code, signal) => {
    exit.resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
      closed.resolve();
    }, CLOSE_MS).unref();
  });
  child.on('close', () => closed.resolve());
  return { exit: exit.promise, closed: closed.promise };
}
