import { copyFile, lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChangedFile, ChangeListReader } from './changeList.js';
import { GitError } from './gitError.js';
import { inFolder, LinkedFolders } from './linkedFolders.js';
import type { WorkTree } from './workTree.js';
import { asBytes, readable } from './zeroSplitter.js';

const MAX_FILES = 100_000;
const SUBMODULE = '160000';
const NO_MODE = '0';

export interface Restored {
  /** Paths of bytes, relative to the top of the checkout. */
  readonly files: readonly string[];
  readonly skipped: readonly string[];
}

export interface RestoreOptions {
  /** The tree of the folder as it is now: the session's index has it. */
  readonly now: string;
  readonly target: string;
  /** Checked by `checkPaths`. */
  readonly paths: readonly string[] | undefined;
  /** The private folder of the session. */
  readonly dir: string;
  /** The top of the checkout. */
  readonly top: string;
}

/**
 * Brings files of the folder back to another tree. Git does it: it looks first whether each file still is what the index says, writes
 * nothing if one is not, follows no links, and applies the same filters as a checkout.
 */
export async function restoreTree(tree: WorkTree, options: RestoreOptions): Promise<Restored> {
  const { now, target, paths, dir } = options;
  const reader = new ChangeListReader(MAX_FILES);
  await tree.git(
    ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', now, target, '--', ...(paths ?? ['.'])],
    {
      onOutput: (piece) => reader.push(piece),
      maxOutputBytes: 256 * 1024 * 1024,
    },
  );
  const { files: different, isCut } = reader.end();
  if (isCut) throw new GitError('refused', `More than ${MAX_FILES} files would change. Restore single folders.`);
  const { files, skipped } = await split(different, options.top);
  if (files.length > 0) {
    const index = join(dir, 'restore-index');
    try {
      await copyFile(join(dir, 'index'), index);
      const set = { GIT_INDEX_FILE: index };
      const records = files.map(({ newMode, newId, path }) =>
        newMode === '000000' ? `${NO_MODE} ${newId}\t${path}\0` : `${newMode} ${newId}\t${path}\0`,
      );
      const stdin = Buffer.from(records.join(''), 'latin1');
      await tree.git(['update-index', '-z', '--index-info'], { writes: true, set, stdin });
      const { stdout } = await tree.git(['write-tree'], { writes: true, set });
      await tree.git(['read-tree', '-m', '-u', now, stdout.toString('utf8').trim()], { writes: true });
    } finally {
      tree.forget();
      await rm(index, { force: true });
    }
  }
  return { files: files.map(({ path }) => path), skipped };
}

/** Submodules stay as they are, and so does a file that git ignores in the place of one that would come back. */
async function split(
  different: readonly ChangedFile[],
  top: string,
): Promise<{ readonly files: readonly ChangedFile[]; readonly skipped: readonly string[] }> {
  const links = new LinkedFolders(top);
  const removed = new Set(different.filter(({ status }) => status === 'D').map(({ path }) => path));
  const files: ChangedFile[] = [];
  const skipped: string[] = [];
  for (const file of different) {
    const isSubmodule = file.oldMode === SUBMODULE || file.newMode === SUBMODULE;
    const isInTheWay = file.status === 'A' && (await isTaken(file.path, top, links, removed));
    if (isSubmodule || isInTheWay) skipped.push(file.path);
    else files.push(file);
  }
  return { files, skipped };
}

async function isTaken(
  path: string,
  top: string,
  links: LinkedFolders,
  removed: ReadonlySet<string>,
): Promise<boolean> {
  if (await links.isBehindLink(path)) {
    // A link that was not there goes first.
    const parts = path.split('/');
    return !parts.some((_, index) => removed.has(parts.slice(0, index).join('/')));
  }
  const found = await lstat(inFolder(top, path)).catch(() => undefined);
  // A folder without files of its own is in nobody's way; git refuses one with files that it does not know.
  return found !== undefined && !found.isDirectory();
}

/** Paths that a client sent: inside of the folder, and never those of git itself. */
export function checkPaths(paths: readonly string[]): readonly string[] {
  for (const path of paths) {
    const parts = path.split('/');
    const isOutside = path.startsWith('/') || path.includes('\0') || parts.includes('..');
    if (isOutside || parts.some((part) => part.toLowerCase() === '.git')) {
      throw new GitError('refused', `${JSON.stringify(path)} is no path of a file in the session's folder.`);
    }
  }
  return paths;
}

/** The same path as it is shown to clients: relative to the session's folder. */
export function shownPath(path: string, prefix: string): string {
  const start = asBytes(prefix);
  return readable(path.startsWith(start) ? path.slice(start.length) : path);
}
