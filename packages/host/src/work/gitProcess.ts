import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { errorCode } from '../storage/fs/errnoFailure.js';
import { GitError } from './gitError.js';

/** Git removes its lock files at SIGTERM; what ignores it is killed. */
const TERM_MS = 2_000;
const MAX_STDERR_BYTES = 16 * 1024;
/** ENOTDIR: an entry of PATH is a file. */
const NOT_FOUND: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES']);

export interface ProcessOptions {
  /** Found on PATH of `env`. Default: git. */
  readonly program?: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string | Uint8Array | undefined;
  readonly maxOutputBytes: number;
  /** Called with each piece of the output instead of keeping it. The next is read when the promise settles. */
  readonly onOutput: ((piece: Buffer) => void | Promise<void>) | undefined;
  /** Called with each piece of what it says while it works. */
  readonly onStderr?: ((piece: Buffer) => void) | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
}

export interface ProcessResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** The first 16 KiB. */
  readonly stderr: string;
  /** The output was longer than the limit; git was stopped there. */
  readonly isCut: boolean;
}

type Git = ChildProcessByStdio<Writable, Readable, Readable>;
type Stopped = 'timeout' | 'aborted' | 'outputLimit';

/** Runs git without a shell, in a process group of its own, so that its helpers end with it. */
export async function runProcess(args: readonly string[], options: ProcessOptions): Promise<ProcessResult> {
  const { program = 'git', cwd, env, signal, timeoutMs } = options;
  if (signal?.aborted) throw new GitError('aborted', 'git was not run: the caller has cancelled it.');
  const child = start(program, args, cwd, env);
  let stopped: Stopped | undefined;
  let killing: NodeJS.Timeout | undefined;
  const stop = (why: Stopped): void => {
    if (stopped) return;
    stopped = why;
    signalGroup(child, 'SIGTERM');
    killing = setTimeout(() => signalGroup(child, 'SIGKILL'), TERM_MS);
  };
  const onAbort = (): void => stop('aborted');
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => stop('timeout'), timeoutMs);
  try {
    const closed = once(child, 'close') as Promise<[number | null]>;
    // A git that ends early closes its input.
    child.stdin.on('error', () => {});
    child.stdin.end(options.stdin);
    const [[exitCode], stdout, stderr] = await Promise.all([
      closed,
      readOutput(child.stdout, options, () => stop('outputLimit')),
      readStart(child.stderr, options.onStderr),
    ]);
    if (stopped === 'timeout')
      throw new GitError('timeout', `${program} ${commandOf(args)} took longer than ${timeoutMs / 1000} s.`);
    if (stopped === 'aborted') throw new GitError('aborted', 'git was stopped: the caller has cancelled it.');
    return { exitCode: exitCode ?? -1, stdout, stderr, isCut: stopped === 'outputLimit' };
  } catch (error) {
    signalGroup(child, 'SIGKILL');
    throw whyNotStarted(error);
  } finally {
    clearTimeout(timer);
    clearTimeout(killing);
    signal?.removeEventListener('abort', onAbort);
  }
}

function commandOf(args: readonly string[]): string {
  return args.find((arg) => !arg.startsWith('-')) ?? '';
}

function start(program: string, args: readonly string[], cwd: string, env: ProcessOptions['env']): Git {
  try {
    return spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true });
  } catch (error) {
    throw whyNotStarted(error);
  }
}

function whyNotStarted(error: unknown): unknown {
  if (!NOT_FOUND.has(errorCode(error) ?? '')) return error;
  return new GitError('noGit', 'There is no `git` on the PATH of the host. Install git 2.31 or newer.');
}

async function readOutput(
  stream: Readable,
  { maxOutputBytes, onOutput }: ProcessOptions,
  onLimit: () => void,
): Promise<Buffer> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    if (bytes >= maxOutputBytes && piece.length > 0) {
      onLimit();
      continue;
    }
    const taken = piece.subarray(0, maxOutputBytes - bytes);
    bytes += taken.length;
    if (onOutput) await onOutput(taken);
    else kept.push(taken);
    if (taken.length < piece.length) onLimit();
  }
  return Buffer.concat(kept);
}

async function readStart(stream: Readable, onPiece: ((piece: Buffer) => void) | undefined): Promise<string> {
  const kept: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    onPiece?.(piece);
    if (bytes < MAX_STDERR_BYTES) kept.push(piece.subarray(0, MAX_STDERR_BYTES - bytes));
    bytes += piece.length;
  }
  return Buffer.concat(kept).toString('utf8');
}

function signalGroup(child: Git, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It ended meanwhile.
  }
}
