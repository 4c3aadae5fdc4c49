import { realpath } from 'node:fs/promises';
import type { PreviewMergeParams, PreviewMergeResult } from '@agenthost/protocol';
import { gitPlace, needsGit, runGit } from '../git.js';
import { GitError } from '../gitError.js';
import { readable } from '../zeroSplitter.js';
import { unfinished } from './commitChanges.js';
import { checkedOutBranch, commitOf, gitOptions, type LandContext } from './landContext.js';
import { finishInterrupted } from './moveCheckout.js';
import { oneAtATime } from './repositoryQueue.js';

const MEBI = 1024 * 1024;
const MAX_NAMED = 100;

export interface Merge {
  readonly branch: string;
  readonly into: string;
  readonly head: string;
  readonly target: string;
  readonly ahead: number;
  readonly behind: number;
  /** The tree that the merge has, with marks in it where there are conflicts. */
  readonly tree: string;
  readonly conflicts: { readonly count: number; readonly paths: readonly string[] };
}

export interface Checkout {
  readonly folder: string;
  readonly gitDir: string;
}

/** Says what a merge would do. */
export async function previewMerge(
  context: LandContext,
  { into }: Omit<PreviewMergeParams, 'session'>,
): Promise<PreviewMergeResult> {
  const { commonDir } = await context.work.tree.place();
  return oneAtATime(commonDir, async () => {
    await finishInterrupted(context, commonDir);
    const { tree: _, ...merge } = await tryMerge(context, into);
    const checkout = await checkoutOf(context, merge.into);
    const uncommitted = await changedFiles(context, context.work.top, 'normal');
    const inTheWay = checkout ? await changedFiles(context, checkout.folder, 'no') : 0;
    const isUnfinished = checkout !== undefined && (await unfinished(checkout.gitDir)) !== undefined;
    return {
      ...merge,
      uncommitted,
      ...(checkout &&
        (inTheWay > 0 || isUnfinished) && { blocked: { folder: checkout.folder, uncommitted: inTheWay } }),
    };
  });
}

/** Merges in the object store: no branch, index or file changes. */
export async function tryMerge(context: LandContext, wanted: string | undefined): Promise<Merge> {
  const { folder } = context;
  await needsGit(folder, [2, 38], 'A merge', gitOptions(context));
  const branch = await checkedOutBranch(context);
  const into = wanted ?? context.baseBranch;
  if (into === undefined) {
    throw new GitError('notFound', 'The host does not know the base branch of this session. Name one (into).');
  }
  if (into === branch) {
    throw new GitError('nothing', `The session works on ${into} itself, so there is nothing to merge.`);
  }
  const checked = await runGit(
    folder,
    ['check-ref-format', `refs/heads/${into}`],
    gitOptions(context, { okCodes: [0, 1, 128, 129] }),
  );
  const target = checked.exitCode === 0 ? await commitOf(context, `refs/heads/${into}`) : undefined;
  if (target === undefined) throw new GitError('notFound', `There is no branch ${into}. Name another one (into).`);
  const head = await commitOf(context, `refs/heads/${branch}`);
  if (head === undefined) throw new GitError('nothing', `The branch ${branch} has no commit yet: commit something.`);
  const counts = await runGit(
    folder,
    ['rev-list', '--left-right', '--count', `${target}...${head}`],
    gitOptions(context),
  );
  const [behind = 0, ahead = 0] = counts.stdout.toString('utf8').trim().split(/\s+/).map(Number);
  return { branch, into, head, target, ahead, behind, ...(await mergeTree(context, target, head)) };
}

async function mergeTree(
  context: LandContext,
  target: string,
  head: string,
): Promise<Pick<Merge, 'tree' | 'conflicts'>> {
  const { exitCode, stdout, stderr } = await runGit(
    context.folder,
    ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', target, head],
    gitOptions(context, { writes: true, okCodes: [0, 1, 128] }),
  );
  if (exitCode === 128) {
    throw new GitError('refused', `The branches can't be merged: ${stderr.trim()}`);
  }
  const [tree = '', ...names] = stdout.toString('latin1').split('\0');
  const paths = [...new Set(names.filter((name) => name !== ''))].map(readable);
  return { tree, conflicts: { count: paths.length, paths: paths.slice(0, MAX_NAMED) } };
}

/** Where a branch is checked out, if it is. The folder itself has to say so too: a repository can name any folder. */
export async function checkoutOf(context: LandContext, branch: string): Promise<Checkout | undefined> {
  const { commonDir } = await context.work.tree.place();
  const { stdout } = await runGit(context.folder, ['worktree', 'list', '--porcelain', '-z'], gitOptions(context));
  const found: Checkout[] = [];
  for (const record of stdout.toString('utf8').split('\0\0')) {
    const lines = record.split('\0');
    const folder = lines.find((line) => line.startsWith('worktree '))?.slice('worktree '.length);
    if (folder === undefined || !lines.includes(`branch refs/heads/${branch}`)) continue;
    const place = await gitPlace(folder, gitOptions(context)).catch(() => undefined);
    if (place?.commonDir !== commonDir || place.top !== (await realpath(folder))) continue;
    found.push({ folder: place.top, gitDir: place.gitDir });
  }
  if (found.length > 1) {
    throw new GitError('refused', `The branch ${branch} is checked out in ${found.length} folders. Merge it with git.`);
  }
  return found[0];
}

/** How many files of a checkout no commit has. */
export async function changedFiles(context: LandContext, folder: string, untracked: 'no' | 'normal'): Promise<number> {
  const { stdout } = await runGit(
    folder,
    ['status', '--porcelain=v2', '-z', `--untracked-files=${untracked}`],
    gitOptions(context, { maxOutputBytes: 4 * MEBI, atLimit: 'cut' }),
  );
  const entries = stdout.toString('latin1').split('\0');
  return entries.filter((entry) => /^[12u?] /.test(entry)).length;
}
