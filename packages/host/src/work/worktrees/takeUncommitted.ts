import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../../storage/fs/errnoFailure.js';
import { type GitOptions, runGit } from '../git.js';
import { GitError } from '../gitError.js';
import { type LeftOut, WorkTree } from '../workTree.js';

const CHECKOUT_MS = 10 * 60_000;

/**
 * Brings what a checkout has and its commit lacks to a new worktree of the same commit: changed, removed and new files as files, what
 * is staged as staged. The checkout and its index are only read. Git writes the files, so that no link of theirs leads out.
 */
export async function takeUncommitted(from: string, to: string, options: GitOptions): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'agenthost-take-'));
  try {
    const { env } = options;
    const source = new WorkTree({ folder: from, dir, ...(env && { env }) });
    const files = await source.current();
    if (files.leftOut.count > 0) throw notTaken(files.leftOut);
    const staged = await stagedTree(source, dir);
    const writes = { ...options, writes: true, timeoutMs: CHECKOUT_MS };
    await runGit(to, ['read-tree', '-m', '-u', 'HEAD', files.id], writes);
    await runGit(to, ['read-tree', '-m', staged], writes);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** What the next commit of the checkout would have. */
async function stagedTree(source: WorkTree, dir: string): Promise<string> {
  const index = join(dir, 'staged-index');
  await copyFile(join((await source.place()).gitDir, 'index'), index).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  const set = { GIT_INDEX_FILE: index };
  const { exitCode, stdout } = await source.git(['write-tree'], { writes: true, set, okCodes: [0, 128] });
  if (exitCode === 0) return stdout.toString('utf8').trim();
  throw new GitError('refused', 'The folder has conflicts of a merge. Resolve them first, or leave the changes there.');
}

function notTaken({ count, paths }: LeftOut): GitError {
  const what = count === 1 ? 'A changed file is' : `${count} changed files are`;
  return new GitError(
    'refused',
    `${what} too large to be taken along or can't be read (${paths.slice(0, 3).join(', ')}). Commit, ignore or remove them, or leave the changes there.`,
  );
}
