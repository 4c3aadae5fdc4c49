import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { readSmallFile } from '../../storage/fs/foreignFile.js';
import { type GitOptions, runGit } from '../git.js';

/** Lists, in the syntax of .gitignore, ignored files that a new worktree gets too, such as `.env`. */
export const INCLUDE_FILE = '.worktreeinclude';

const MAX_INCLUDE_BYTES = 64 * 1024;
const MAX_FILES = 2_000;
const MAX_BYTES = 256 * 1024 * 1024;

/** Copies the ignored files that the checkout's include file lists: plain files only, and never over or through what is there. */
export async function copyIncluded(from: string, to: string, options: GitOptions): Promise<void> {
  if (!(await readSmallFile(join(from, INCLUDE_FILE), MAX_INCLUDE_BYTES))?.trim()) return;
  const { stdout } = await runGit(from, ['ls-files', '--others', '--ignored', `--exclude-from=${INCLUDE_FILE}`, '-z'], {
    ...options,
    maxOutputBytes: 1024 * 1024,
    atLimit: 'cut',
  });
  const paths = stdout.toString('utf8').split('\0').slice(0, -1).slice(0, MAX_FILES);
  let room = MAX_BYTES;
  for (const path of paths) {
    const source = join(from, path);
    const found = await lstat(source).catch(() => undefined);
    if (!found?.isFile() || found.size > room || !(await leadsInside(from, dirname(source)))) continue;
    const target = join(to, path);
    if (!(await makeInside(to, dirname(target)))) continue;
    // Not through a link, and not over a file of the branch.
    const isCopied = await copyFile(source, target, constants.COPYFILE_EXCL).then(
      () => true,
      () => false,
    );
    if (isCopied) room -= found.size;
  }
}

async function leadsInside(root: string, folder: string): Promise<boolean> {
  const [top, real] = [await realpath(root), await realpath(folder).catch(() => undefined)];
  return real !== undefined && (real === top || real.startsWith(top + sep));
}

/** Makes a folder; a part of its path that is a link may lead out. */
async function makeInside(root: string, folder: string): Promise<boolean> {
  const missing: string[] = [];
  let at = folder;
  while (at !== root && !(await lstat(at).catch(() => undefined))) {
    missing.unshift(at);
    at = dirname(at);
  }
  if (!(await leadsInside(root, at))) return false;
  for (const one of missing) await mkdir(one);
  return true;
}
