import { mkdir, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';
import { ERROR_CODE } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { HostLog } from '../../hostLog.js';
import { isWithin } from '../../storage/fs/confinement.js';
import { readSmallFile } from '../../storage/fs/foreignFile.js';
import { KeyedLock } from '../../storage/fs/keyedLock.js';
import { writePrivateFile } from '../../storage/fs/writePrivateFile.js';
import { type GitOptions, gitPlace, runGit } from '../git.js';
import type { Environment } from '../gitEnvironment.js';
import { GitError } from '../gitError.js';
import { copyIncluded } from './copyIncluded.js';
import { type SessionWorktree, sessionWorktree, type WorktreeRequest } from './isolation.js';
import { takeUncommitted } from './takeUncommitted.js';

/** The folder of the state root with the worktrees of sessions. */
export const WORKTREES_FOLDER = 'worktrees';

/** A checkout of a very large repository takes minutes on a slow disk. */
const CHECKOUT_MS = 10 * 60_000;
const MAX_NAMES = 50;
const MAX_RECORD_BYTES = 64 * 1024;
/** More uncommitted files than this are not counted. */
const MAX_COUNTED_BYTES = 4 * 1024 * 1024;

export interface WorktreesOptions {
  readonly stateDir: string;
  readonly env: Environment;
  readonly log: Pick<HostLog, 'warn'>;
  /** The sessions are not in the state folder, but in a database. */
  readonly isElsewhere?: boolean;
}

export interface NewWorktree {
  readonly worktree: SessionWorktree;
  /** The folder in it that corresponds to the one that was asked for. */
  readonly cwd: string;
}

/** What would be lost with a worktree and its branch. */
export interface UnmergedWork {
  /** Files that are changed or new and not ignored. */
  readonly uncommitted: number;
  /** Commits that no other branch has, here or at a remote. */
  readonly unmerged: number;
  /** Commits that are on no branch at all: only the folder has them. */
  readonly loose: number;
  /** It has submodules checked out, in which git is not run. */
  readonly hasSubmodules: boolean;
}

export type WorktreeFate = 'keep' | 'ask' | 'discard';

/**
 * Makes a worktree and a branch for a session, and removes them with it. Nothing that exists only there is removed unless somebody
 * says so: uncommitted files keep the folder, commits of no other branch keep the branch.
 */
export class Worktrees {
  readonly #options: WorktreesOptions;
  readonly #names = new KeyedLock();

  constructor(options: WorktreesOptions) {
    this.#options = options;
  }

  /** @throws {RpcError} that says what to do */
  async make(sessionId: string, folder: string, { base, branch, takeChanges }: WorktreeRequest): Promise<NewWorktree> {
    const { top } = await this.#explained(gitPlace(folder, this.#git()));
    const start = await this.#startOf(top, base);
    if (takeChanges) await this.#mustBeCheckedOut(top, start.commit);
    const path = join(this.#options.stateDir, WORKTREES_FOLDER, safeName(basename(top)), sessionId);
    const wanted = branch ?? `agenthost/${sessionId.slice(0, 8)}`;
    // One after the other: a name is free until its branch is made.
    const worktree = await this.#names.run(top, () => this.#add(top, path, wanted, start));
    try {
      if (takeChanges) await this.#explained(takeUncommitted(top, path, this.#git()));
      await copyIncluded(top, path, this.#git());
      const cwd = join(path, relative(top, await realpath(folder)));
      if (!(await isFolder(cwd))) {
        throw new RpcError(
          ERROR_CODE.notFound,
          `params.workingDirectory: ${start.name} has no folder ${relative(path, cwd)}; commit it first, or choose another base`,
        );
      }
      return { worktree, cwd };
    } catch (error) {
      await this.#discard(worktree);
      throw error;
    }
  }

  /** Makes the branch and the folder. When that fails, nothing is left. */
  async #add(
    top: string,
    path: string,
    wanted: string,
    start: { readonly name: string; readonly commit: string },
  ): Promise<SessionWorktree> {
    const branch = await this.#freeName(top, wanted);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const worktree = {
      ...{ repository: top, path, branch, base: start.name, baseCommit: start.commit },
      ...(this.#options.isElsewhere && { isElsewhere: true as const }),
    };
    const options = this.#git({ writes: true, timeoutMs: CHECKOUT_MS });
    try {
      await writePrivateFile(recordFile(path), JSON.stringify(worktree));
      await this.#explained(runGit(top, ['worktree', 'add', '-b', branch, path, start.commit], options));
      return worktree;
    } catch (error) {
      await this.#discard(worktree);
      throw error;
    }
  }

  /** What only this worktree and its branch have; `undefined` if git can't tell. */
  async unmergedWork(worktree: SessionWorktree): Promise<UnmergedWork | undefined> {
    try {
      const [uncommitted, unmerged, loose, hasSubmodules] = await Promise.all([
        this.#uncommitted(worktree),
        this.#unmerged(worktree),
        this.#loose(worktree),
        this.#hasSubmodules(worktree),
      ]);
      return { uncommitted, unmerged, loose, hasSubmodules };
    } catch {
      return undefined;
    }
  }

  /** The worktree that a folder is in, if the host made it. */
  async find(folder: string): Promise<SessionWorktree | undefined> {
    const root = join(this.#options.stateDir, WORKTREES_FOLDER);
    if (!isWithin(root, folder)) return undefined;
    const [project, id] = relative(root, folder).split(sep);
    if (!project || !id) return undefined;
    const path = join(root, project, id);
    const record = await readSmallFile(recordFile(path), MAX_RECORD_BYTES);
    try {
      const found = sessionWorktree.parse(JSON.parse(record ?? ''));
      return found.path === path ? found : undefined;
    } catch {
      return undefined;
    }
  }

  /** Called when no session works there any more. */
  async release(worktree: SessionWorktree, fate: WorktreeFate = 'keep'): Promise<void> {
    const { path, repository, branch } = worktree;
    if (fate === 'discard') {
      await this.#discard(worktree);
      return;
    }
    const work = await this.unmergedWork(worktree);
    if (!work || needsFolder(work)) {
      if (await isFolder(path)) this.#options.log.warn(`the worktree ${path} is kept: it has work that no branch has`);
      return;
    }
    await this.#removeFolder(worktree);
    if (work.unmerged > 0) {
      this.#options.log.warn(`the branch ${branch} of ${repository} is kept: it has commits of no other branch`);
      return;
    }
    await this.#tried(runGit(repository, ['branch', '-D', '--', branch], this.#git({ writes: true })));
  }

  /** Removes one that no session works in, as far as nothing is lost. */
  async clean(worktree: SessionWorktree): Promise<void> {
    const { path, repository, branch } = worktree;
    if (await isFolder(path)) {
      await this.release(worktree);
      return;
    }
    await this.#removeFolder(worktree);
    const unmerged = await this.#unmerged(worktree).catch(() => undefined);
    if (unmerged !== 0) return;
    await this.#tried(runGit(repository, ['branch', '-D', '--', branch], this.#git({ writes: true })));
  }

  async #discard(worktree: SessionWorktree): Promise<void> {
    await this.#removeFolder(worktree);
    const { repository, branch } = worktree;
    await this.#tried(runGit(repository, ['branch', '-D', '--', branch], this.#git({ writes: true })));
  }

  async #removeFolder({ path, repository }: SessionWorktree): Promise<void> {
    const options = this.#git({ writes: true, timeoutMs: CHECKOUT_MS });
    // Twice: also a locked one, such as one whose making was interrupted.
    await this.#tried(runGit(repository, ['worktree', 'remove', '--force', '--force', path], options));
    await rm(path, { recursive: true, force: true });
    await rm(recordFile(path), { force: true });
    await this.#tried(runGit(repository, ['worktree', 'prune'], options));
    await rmdir(dirname(path)).catch(() => {});
  }

  async #uncommitted({ path }: SessionWorktree): Promise<number> {
    const { stdout } = await runGit(
      path,
      ['status', '--porcelain=v2', '-z', '--untracked-files=normal'],
      this.#git({ maxOutputBytes: MAX_COUNTED_BYTES, atLimit: 'cut' }),
    );
    return stdout
      .toString('latin1')
      .split('\0')
      .filter((entry) => /^[12u?] /.test(entry)).length;
  }

  #unmerged({ repository, branch }: SessionWorktree): Promise<number> {
    return this.#count(repository, `refs/heads/${branch}`, `--exclude=${branch}`);
  }

  /** With no branch checked out, as in the middle of a rebase. */
  #loose({ path }: SessionWorktree): Promise<number> {
    return this.#count(path, 'HEAD');
  }

  /** How many commits no branch and no tag has, here or at a remote. */
  async #count(folder: string, from: string, ...but: readonly string[]): Promise<number> {
    const others = [...but, '--branches', '--remotes', '--tags'];
    const { stdout } = await runGit(folder, ['rev-list', '--count', from, '--not', ...others], this.#git());
    return Number(stdout.toString('utf8').trim());
  }

  async #hasSubmodules({ path }: SessionWorktree): Promise<boolean> {
    const { gitDir } = await gitPlace(path, this.#git());
    return isFolder(join(gitDir, 'modules'));
  }

  /** The commit to begin at, and what it is called. */
  async #startOf(top: string, base: string | undefined): Promise<{ readonly name: string; readonly commit: string }> {
    const wanted = base ?? (await this.#currentBranch(top)) ?? 'HEAD';
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${wanted}^{commit}`] as const;
    const { stdout, exitCode } = await this.#explained(runGit(top, args, this.#git({ okCodes: [0, 1, 128] })));
    const commit = stdout.toString('utf8').trim();
    if (exitCode === 0 && /^[0-9a-f]{40,64}$/.test(commit)) {
      return { name: wanted === 'HEAD' ? commit.slice(0, 12) : wanted, commit };
    }
    throw base === undefined
      ? new RpcError(
          ERROR_CODE.invalidRequest,
          'the repository has no commit yet, so there is nothing to make a worktree of: commit something, or work in the folder itself',
        )
      : new RpcError(ERROR_CODE.notFound, `params.config.isolation.base: there is no branch or commit ${base}`);
  }

  /** Changes are taken to the commit that they were made on: on another they would undo what differs. */
  async #mustBeCheckedOut(top: string, commit: string): Promise<void> {
    const head = await this.#startOf(top, 'HEAD');
    if (head.commit === commit) return;
    throw new RpcError(
      ERROR_CODE.invalidParams,
      'params.config.isolation.takeChanges: the uncommitted changes are on top of what the folder has checked out; leave base out',
    );
  }

  async #currentBranch(top: string): Promise<string | undefined> {
    const args = ['symbolic-ref', '--quiet', '--short', 'HEAD'] as const;
    const { stdout, exitCode } = await runGit(top, args, this.#git({ okCodes: [0, 1, 128] }));
    return exitCode === 0 ? stdout.toString('utf8').trim() || undefined : undefined;
  }

  /** The name, or the name with a number where there is such a branch. */
  async #freeName(top: string, wanted: string): Promise<string> {
    const checked = await runGit(
      top,
      ['check-ref-format', '--allow-onelevel', `refs/heads/${wanted}`],
      this.#git({ okCodes: [0, 1, 128, 129] }),
    );
    if (checked.exitCode !== 0 || wanted.startsWith('-') || wanted === 'HEAD') {
      throw new RpcError(
        ERROR_CODE.invalidParams,
        `params.config.isolation.branch: git takes no branch with the name ${wanted}`,
      );
    }
    for (let number = 1; number <= MAX_NAMES; number++) {
      const name = number === 1 ? wanted : `${wanted}-${number}`;
      const args = ['rev-parse', '--verify', '--quiet', `refs/heads/${name}`] as const;
      const { exitCode } = await runGit(top, args, this.#git({ okCodes: [0, 1, 128] }));
      if (exitCode !== 0) return name;
    }
    throw new RpcError(
      ERROR_CODE.invalidParams,
      `params.config.isolation.branch: there are ${MAX_NAMES} branches with the name ${wanted} already; give another`,
    );
  }

  #git(options: GitOptions = {}): GitOptions {
    return { env: this.#options.env, ...options };
  }

  /** What git says is told to the client. */
  async #explained<T>(running: Promise<T>): Promise<T> {
    try {
      return await running;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      throw new RpcError(ERROR_CODE.invalidRequest, `no worktree could be made: ${error.message}`);
    }
  }

  async #tried(running: Promise<unknown>): Promise<void> {
    await running.catch((error: unknown) => {
      if (!(error instanceof GitError)) throw error;
      if (error.problem !== 'failed') this.#options.log.warn(`a worktree is not cleaned up: ${errorMessage(error)}`);
    });
  }
}

/** Work that a branch does not keep. */
function needsFolder({ uncommitted, loose, hasSubmodules }: UnmergedWork): boolean {
  return uncommitted > 0 || loose > 0 || hasSubmodules;
}

/** Beside the worktree, not in it: git would show it. */
function recordFile(path: string): string {
  return `${path}.json`;
}

/** A name of a project as a folder. */
function safeName(name: string): string {
  return (
    name
      .replace(/[^\w.-]/g, '_')
      .replace(/^\.+/, '_')
      .slice(0, 64) || 'project'
  );
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
