import { copyFile, lstat, mkdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../storage/fs/errnoFailure.js';
import { type GitCommand, type GitOptions, type GitResult, gitPlace, runGit } from './git.js';
import type { Environment } from './gitEnvironment.js';
import { GitError } from './gitError.js';
import type { GitPlace } from './gitPlaces.js';
import { inFolder, LinkedFolders } from './linkedFolders.js';
import { readable, ZeroSplitter } from './zeroSplitter.js';

const MEBI = 1024 * 1024;
/** Larger files are left out: a snapshot must stay cheap. */
const MAX_FILE_BYTES = 32 * MEBI;
const MAX_NAMED = 20;
const STATS_AT_ONCE = 32;

export interface WorkTreeLimits {
  /** Of what has changed since the last look, or of the whole folder the first time in one without git. */
  readonly files: number;
  readonly bytes: number;
  readonly listMs: number;
}

export const GIT_LIMITS: WorkTreeLimits = { files: 100_000, bytes: 1024 * MEBI, listMs: 60_000 };

export interface WorkTreeOptions {
  readonly folder: string;
  /** A private folder of the session, for the index. */
  readonly dir: string;
  readonly env?: Environment;
  readonly signal?: AbortSignal;
  /** A repository of the host's for a folder without one. */
  readonly gitDir?: string;
  readonly limits?: WorkTreeLimits;
}

export interface CurrentTree {
  /** The id of the tree. */
  readonly id: string;
  /** Files that are too large, or can't be read: how many, and the first ones. */
  readonly leftOut: LeftOut;
}

export interface LeftOut {
  readonly count: number;
  readonly paths: readonly string[];
}

/** The folder of a session as a git tree, by an index of its own: the user's index and HEAD are only read. */
export class WorkTree {
  readonly #options: WorkTreeOptions;
  readonly #indexFile: string;
  /** The user's index as it was when it was copied. */
  #copied: string | undefined;
  #tree: CurrentTree | undefined;

  constructor(options: WorkTreeOptions) {
    this.#options = options;
    this.#indexFile = join(options.dir, 'index');
  }

  place(): Promise<GitPlace> {
    return gitPlace(this.#options.folder, this.#gitOptions());
  }

  /** Git in the folder, with the session's own index. */
  git(args: readonly [GitCommand, ...string[]], options: GitOptions = {}): Promise<GitResult> {
    const { set, ...rest } = options;
    return runGit(this.#options.folder, args, {
      ...this.#gitOptions(),
      ...rest,
      set: { GIT_INDEX_FILE: this.#indexFile, ...set },
    });
  }

  /** The first line of the answer; absent when git says no. */
  async line(...args: readonly [GitCommand, ...string[]]): Promise<string | undefined> {
    const { exitCode, stdout } = await this.git(args, { okCodes: [0, 1, 128] });
    const [first = ''] = stdout.toString('utf8').split('\n', 1);
    return exitCode === 0 && first !== '' ? first : undefined;
  }

  /**
   * Writes the files of the folder as a tree, without those that git ignores. One call at a time. When the tree is a new one,
   * `onIndexed` is called as soon as the index has it.
   */
  async current(onIndexed?: () => void): Promise<CurrentTree> {
    try {
      return await this.#look(onIndexed);
    } catch (error) {
      if (!(error instanceof GitError) || error.problem !== 'failed') throw error;
      // The index may be damaged, or have conflicts of a merge: once more, from what is committed.
      await this.#beginAgain();
      return this.#look(onIndexed);
    }
  }

  /** What the index has is not known any more. */
  forget(): void {
    this.#tree = undefined;
  }

  async #look(onIndexed: (() => void) | undefined): Promise<CurrentTree> {
    await this.#copyIndex();
    const { changed, leftOut } = await this.#changed();
    if (changed.length === 0 && this.#tree) {
      this.#tree = { ...this.#tree, leftOut };
      return this.#tree;
    }
    if (changed.length > 0) {
      await this.git(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
        writes: true,
        stdin: Buffer.from(changed.join(''), 'latin1'),
      });
    }
    const written = this.git(['write-tree'], { writes: true });
    onIndexed?.();
    const { stdout } = await written;
    this.#tree = { id: stdout.toString('utf8').trim(), leftOut };
    return this.#tree;
  }

  /** A copy has what git knows about each file, so that unchanged ones are not read. Only this object writes it. */
  async #copyIndex(): Promise<void> {
    const { dir, gitDir } = this.#options;
    if (gitDir !== undefined) {
      if (this.#copied === undefined) await rm(`${this.#indexFile}.lock`, { force: true });
      this.#copied = '';
      return;
    }
    const source = join((await this.place()).gitDir, 'index');
    const found = await stat(source, { bigint: true }).catch(() => undefined);
    const stamp = found ? `${found.ino}.${found.size}.${found.mtimeNs}` : 'none';
    if (stamp === this.#copied) return;
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await rm(`${this.#indexFile}.lock`, { force: true });
    this.#tree = undefined;
    if (!(await copyIndex(source, this.#indexFile))) await rm(this.#indexFile, { force: true });
    this.#copied = stamp;
    if (found) await this.git(['update-index', '-q', '--refresh'], { writes: true, okCodes: [0, 1, 128] });
  }

  async #beginAgain(): Promise<void> {
    this.#tree = undefined;
    await rm(this.#indexFile, { force: true });
    await rm(`${this.#indexFile}.lock`, { force: true });
    if ((await this.line('rev-parse', '-q', '--verify', 'HEAD^{tree}')) !== undefined) {
      await this.git(['read-tree', 'HEAD'], { writes: true });
    }
  }

  async #changed(): Promise<{ readonly changed: readonly string[]; readonly leftOut: LeftOut }> {
    const { limits = GIT_LIMITS } = this.#options;
    const removed: string[] = [];
    const written = new Set<string>();
    const listed = async (...which: readonly string[]) => {
      const splitter = new ZeroSplitter((part) => {
        const path = part.slice(2);
        // A folder that is a repository of its own belongs to nobody here.
        if (path.endsWith('/')) return;
        if (part.startsWith('R ')) removed.push(path);
        else written.add(path);
      });
      await this.git(['ls-files', '-z', '-t', ...which], {
        timeoutMs: limits.listMs,
        maxOutputBytes: 256 * MEBI,
        onOutput: (piece) => {
          splitter.push(piece);
          if (removed.length + written.size > limits.files) throw tooLarge(`more than ${limits.files} changed files`);
        },
      });
    };
    // Side by side: files that git knows, and new ones.
    await Promise.all([listed('-m', '-d'), listed('-o', '--exclude-standard')]);
    for (const path of removed) written.delete(path);
    const { kept, folders, leftOut } = await this.#readableOnes([...written], limits);
    return { changed: [...removed, ...folders, ...kept].map((path) => `${path}\0`), leftOut };
  }

  /** What git could not read would end the whole run. */
  async #readableOnes(
    paths: readonly string[],
    limits: WorkTreeLimits,
  ): Promise<{ readonly kept: readonly string[]; readonly folders: readonly string[]; readonly leftOut: LeftOut }> {
    const kept: string[] = [];
    /** In the place of a file, or a submodule. They go before the files in them. */
    const folders: string[] = [];
    const leftOut: string[] = [];
    const links = new LinkedFolders(this.#options.folder);
    let bytes = 0;
    for (let start = 0; start < paths.length; start += STATS_AT_ONCE) {
      const some = paths.slice(start, start + STATS_AT_ONCE);
      const sizes = await Promise.all(some.map((path) => this.#sizeOf(path)));
      for (const [index, path] of some.entries()) {
        const size = sizes[index];
        // What is behind a link is not in the folder. The link itself takes the place of what was there.
        if (await links.isBehindLink(path)) continue;
        if (size === 'folder') folders.push(path);
        else if (size === undefined || size > MAX_FILE_BYTES) leftOut.push(path);
        else {
          kept.push(path);
          bytes += size;
        }
      }
      if (bytes > limits.bytes) throw tooLarge(`more than ${limits.bytes / MEBI} MiB of changed files`);
    }
    return { kept, folders, leftOut: { count: leftOut.length, paths: leftOut.slice(0, MAX_NAMED).map(readable) } };
  }

  /** Absent for what can't be read. What is gone is small: git finds out. */
  async #sizeOf(path: string): Promise<number | 'folder' | undefined> {
    try {
      const found = await lstat(inFolder(this.#options.folder, path));
      if (found.isDirectory()) return 'folder';
      if (found.isSymbolicLink()) return 0;
      if (!found.isFile()) return undefined;
      const mayRead = process.getuid?.() === 0 || (found.mode & 0o444) !== 0;
      return mayRead ? found.size : undefined;
    } catch {
      return 0;
    }
  }

  #gitOptions(): GitOptions {
    const { env, gitDir, signal } = this.#options;
    return { ...(env && { env }), ...(signal && { signal }), ...(gitDir !== undefined && { gitDir }) };
  }
}

/**
 * Copies a git index with its time; `false` if there is none. Git reads a file again whose time is not before that of the index: in
 * an index that looks newer, a file that was written twice in one second with the same size would count as unchanged.
 */
export async function copyIndex(from: string, to: string): Promise<boolean> {
  try {
    const { atime, mtime } = await stat(from);
    await copyFile(from, to);
    await utimes(to, atime, mtime);
    return true;
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return false;
  }
}

function tooLarge(what: string): GitError {
  return new GitError('refused', `The folder has ${what}, which is too much for a snapshot.`);
}
