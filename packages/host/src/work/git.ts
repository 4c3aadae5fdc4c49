import { stat } from 'node:fs/promises';
import {
  type Environment,
  fixedSettings,
  gitEnvironment,
  type Setting,
  settingsEnvironment,
} from './gitEnvironment.js';
import { GitError } from './gitError.js';
import { type GitPlace, GitPlaces } from './gitPlaces.js';
import { type ProcessResult, runProcess } from './gitProcess.js';
import { RunQueue } from './runQueue.js';

/** The oldest git that takes settings from its environment. */
const OLDEST: Version = [2, 31];
const OUTPUT_BYTES = 16 * 1024 * 1024;
const CONFIG_BYTES = 1024 * 1024;
const TIMEOUT_MS = 60_000;
const AT_ONCE = 4;
const MAX_WAITING = 256;
const MAX_PATHS = 16;

/**
 * The commands that may be run: with the settings below, none of them runs a program of the repository.
 *
 * `add` is not among them: for each submodule it runs `git status` with that repository's filters. Use `ls-files` and
 * `update-index`. For the same reason: `commit` with `-F` or `-m`, never with `-a`; `worktree remove` with `--force`.
 * `push` to a folder of this machine with RECEIVE_PACK only
 * (land/pushChanges.ts); `remote` only lists. `submodule`, `difftool` and the like run programs by design.
 */
export type GitCommand =
  | 'apply'
  | 'branch'
  | 'cat-file'
  | 'check-attr'
  | 'check-ref-format'
  | 'checkout-index'
  | 'commit'
  | 'commit-tree'
  | 'diff'
  | 'diff-files'
  | 'diff-index'
  | 'diff-tree'
  | 'for-each-ref'
  | 'hash-object'
  | 'init'
  | 'log'
  | 'ls-files'
  | 'ls-tree'
  | 'merge-base'
  | 'merge-tree'
  | 'mktree'
  | 'prune'
  | 'push'
  | 'read-tree'
  | 'remote'
  | 'reset'
  | 'rev-list'
  | 'rev-parse'
  | 'show'
  | 'status'
  | 'symbolic-ref'
  | 'update-index'
  | 'update-ref'
  | 'var'
  | 'worktree'
  | 'write-tree';

const NO_DIFF_PROGRAMS: readonly string[] = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty'];

/** Options that keep a command from running programs: a file's own diff, and `git status` in each submodule. */
const SAFE_OPTIONS: Partial<Record<GitCommand, readonly string[]>> = {
  diff: NO_DIFF_PROGRAMS,
  'diff-files': NO_DIFF_PROGRAMS,
  'diff-index': NO_DIFF_PROGRAMS,
  'diff-tree': NO_DIFF_PROGRAMS,
  log: NO_DIFF_PROGRAMS,
  show: NO_DIFF_PROGRAMS,
  status: ['--ignore-submodules=dirty'],
};

export interface GitOptions {
  /** The host's environment, of which git gets the parts that it needs. Default: that of this process. */
  readonly env?: Environment;
  /** Variables of git for this run, such as GIT_INDEX_FILE. They win over everything else. */
  readonly set?: Readonly<Record<string, string>>;
  /** A repository outside of the folder, and the folder as its work tree. Default: the one that the folder is in. */
  readonly gitDir?: string;
  /** The command writes to the repository or the work tree. */
  readonly writes?: boolean;
  /** The command may talk to other machines. */
  readonly network?: boolean;
  /** Runs the repository's hooks, because a person asked for it. */
  readonly hooks?: boolean;
  readonly stdin?: string | Uint8Array;
  /** Default: 16 MiB. */
  readonly maxOutputBytes?: number;
  /** At the limit: an error, or the output until there, with `isCut`. Default: `fail`. */
  readonly atLimit?: 'fail' | 'cut';
  /** Gets the output in pieces instead of the result; git waits until the promise settles. */
  readonly onOutput?: (piece: Buffer) => void | Promise<void>;
  /** Called with each piece of what git says while it works, such as its progress. */
  readonly onStderr?: (piece: Buffer) => void;
  /** Settings of git for this run, which win over all files. */
  readonly settings?: readonly Setting[];
  /** Default: 60 s, counted from the start of the process. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Exit codes that are answers. Default: 0. */
  readonly okCodes?: readonly number[];
}

export type GitResult = ProcessResult;

const queue = new RunQueue(AT_ONCE, MAX_WAITING);
const places = new GitPlaces();
/** By PATH: the same git is not asked for its version again. */
const checkedPaths = new Map<string, Version>();

type Version = readonly [major: number, minor: number];

/**
 * Runs git in a trusted folder: bounded in time, output and number, in a clean environment, and without any program that the
 * repository's own files name (hooks, filters, diff and merge programs, helpers). The user's own configuration counts.
 *
 * @throws {GitError}
 */
export async function runGit(
  folder: string,
  [command, ...args]: readonly [GitCommand, ...string[]],
  options: GitOptions = {},
): Promise<GitResult> {
  const place = command === 'init' ? undefined : await gitPlace(folder, options);
  const settings = [
    ...fixedSettings({ hooks: options.hooks === true }),
    ...(place?.settings ?? []),
    ...(options.settings ?? []),
  ];
  const safeArgs = ['--no-pager', command, ...(SAFE_OPTIONS[command] ?? []), ...args];
  const result = await run(folder, safeArgs, settings, options);
  if (result.isCut) {
    if (options.atLimit === 'cut') return result;
    throw new GitError('outputLimit', `The output of git ${command} is larger than the host reads.`);
  }
  if (!(options.okCodes ?? [0]).includes(result.exitCode)) {
    const said = result.stderr.trim();
    throw new GitError('failed', `git ${command} failed with exit code ${result.exitCode}${said && `: ${said}`}`, {
      exitCode: result.exitCode,
    });
  }
  return result;
}

/**
 * Where the repository of a folder is.
 *
 * @throws {GitError} if there is none, or none in which git may be run
 */
export async function gitPlace(folder: string, options: GitOptions = {}): Promise<GitPlace> {
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) {
    throw new GitError('noRepository', 'The folder does not exist.');
  }
  await checkVersion(folder, options);
  const { env, gitDir, signal } = options;
  const plain: GitOptions = { ...(env && { env }), ...(gitDir && { gitDir }), ...(signal && { signal }) };
  return places.of(`${options.gitDir ?? ''}\0${folder}`, async (args) => {
    const limited = { ...plain, maxOutputBytes: CONFIG_BYTES };
    const { exitCode, stdout, isCut } = await run(folder, args, fixedSettings({ hooks: false }), limited);
    return exitCode === 0 && !isCut ? stdout.toString('utf8') : undefined;
  });
}

/**
 * For what needs a newer git than all the rest.
 *
 * @throws {GitError} `tooOld`
 */
export async function needsGit(folder: string, oldest: Version, what: string, options: GitOptions): Promise<void> {
  const version = await checkVersion(folder, options);
  if (isOlder(version, oldest)) {
    throw new GitError(
      'tooOld',
      `${what} needs git ${oldest.join('.')} or newer, and the host has ${version.join('.')}. Install a newer one.`,
    );
  }
}

async function checkVersion(folder: string, options: GitOptions): Promise<Version> {
  const path = (options.env ?? process.env)['PATH'] ?? '';
  const known = checkedPaths.get(path);
  if (known) return known;
  const { env, signal } = options;
  const { stdout } = await run(folder, ['version'], [], { ...(env && { env }), ...(signal && { signal }) });
  const said = stdout.toString('utf8').trim();
  const [, major = '0', minor = '0'] = /(\d+)\.(\d+)/.exec(said) ?? [];
  const version = [Number(major), Number(minor)] as const;
  if (isOlder(version, OLDEST)) {
    throw new GitError('tooOld', `The git of the host is too old (${said}). Install git ${OLDEST.join('.')} or newer.`);
  }
  if (checkedPaths.size >= MAX_PATHS) checkedPaths.clear();
  checkedPaths.set(path, version);
  return version;
}

function isOlder(version: Version, than: Version): boolean {
  return version[0] < than[0] || (version[0] === than[0] && version[1] < than[1]);
}

function run(
  folder: string,
  args: readonly string[],
  settings: readonly Setting[],
  options: GitOptions,
): Promise<GitResult> {
  const env = {
    ...gitEnvironment({
      env: options.env ?? process.env,
      writes: options.writes === true,
      network: options.network === true,
    }),
    ...settingsEnvironment(settings),
    ...(options.gitDir !== undefined && { GIT_DIR: options.gitDir, GIT_WORK_TREE: folder }),
    ...options.set,
  };
  return queue.run(options.signal, () =>
    runProcess(args, {
      cwd: folder,
      env,
      stdin: options.stdin,
      maxOutputBytes: options.maxOutputBytes ?? OUTPUT_BYTES,
      onOutput: options.onOutput,
      onStderr: options.onStderr,
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
      signal: options.signal,
    }),
  );
}
