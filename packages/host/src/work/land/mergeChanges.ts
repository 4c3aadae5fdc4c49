import type { MergeChangesParams, MergeChangesResult } from '@agenthost/protocol';
import { runGit } from '../git.js';
import { GitError } from '../gitError.js';
import { unfinished } from './commitChanges.js';
import { commitTree, gitOptions, type LandContext, moveBranch, mustHaveIdentity } from './landContext.js';
import { type Checkout, changedFiles, checkoutOf, type Merge, tryMerge } from './mergePreview.js';
import { finishInterrupted, moveCheckout } from './moveCheckout.js';
import { counted, mergeNotice } from './notices.js';
import { oneAtATime } from './repositoryQueue.js';

const MAX_SUBJECTS = 50;
const SHOWN_CONFLICTS = 5;

/** Merges the session's branch into another one, or makes one commit of it there. */
export async function mergeChanges(
  context: LandContext,
  { into, squash, message }: Omit<MergeChangesParams, 'session'>,
): Promise<MergeChangesResult> {
  const { commonDir } = await context.work.tree.place();
  const done = await oneAtATime(commonDir, async () => {
    await finishInterrupted(context, commonDir);
    const merge = await tryMerge(context, into);
    mustFit(merge);
    const checkout = await checkoutOf(context, merge.into);
    if (checkout) await mustBeClean(context, checkout, merge.into);
    const how = squash ? 'squash' : merge.behind === 0 && message === undefined ? 'fastForward' : 'merge';
    const commit = how === 'fastForward' ? merge.head : await madeCommit(context, merge, how, message);
    const move = { branch: merge.into, from: merge.target, to: commit, why: `merge ${merge.branch}: ${how}` };
    if (checkout) await moveCheckout(context, commonDir, { ...move, folder: checkout.folder });
    else await moveBranch(context, move);
    return { merge, commit, how, checkout } as const;
  });
  const { merge, commit, how, checkout } = done;
  context.onChanged();
  context.tell(mergeNotice({ by: context.by, ...merge, commit, isSquashed: how === 'squash' }));
  return {
    commit,
    branch: merge.branch,
    into: merge.into,
    how,
    commits: merge.ahead,
    ...(checkout && { updated: checkout.folder }),
  };
}

function mustFit({ branch, into, ahead, conflicts }: Merge): void {
  if (ahead === 0) throw new GitError('nothing', `${into} has all commits of ${branch} already.`);
  const { count, paths } = conflicts;
  if (count === 0) return;
  const named = paths.slice(0, SHOWN_CONFLICTS).map((path) => JSON.stringify(path));
  const more = count > named.length ? ` and ${count - named.length} more` : '';
  throw new GitError(
    'conflict',
    `${branch} and ${into} have changed the same places of ${named.join(', ')}${more}. Merge ${into} into ${branch} and resolve it there, or ask the agent to.`,
    { paths },
  );
}

async function mustBeClean(context: LandContext, { folder, gitDir }: Checkout, into: string): Promise<void> {
  const what = await unfinished(gitDir);
  if (what !== undefined) {
    throw new GitError(
      'uncommitted',
      `${into} is checked out in ${folder}, where ${lower(what)} is not finished. Finish it first.`,
    );
  }
  const changed = await changedFiles(context, folder, 'no');
  if (changed === 0) return;
  throw new GitError(
    'uncommitted',
    `${into} is checked out in ${folder} with ${counted(changed, 'file')} that no commit has. Commit or stash them there, then merge again.`,
  );
}

async function madeCommit(
  context: LandContext,
  { branch, into, head, target, tree }: Merge,
  how: 'merge' | 'squash',
  message: string | undefined,
): Promise<string> {
  await mustHaveIdentity(context);
  if (how === 'merge') {
    const text = message ?? `Merge branch '${branch}' into ${into}`;
    return commitTree(context, { tree, parents: [target, head], message: text });
  }
  const text = message ?? (await squashMessage(context, branch, target, head));
  return commitTree(context, { tree, parents: [target], message: text });
}

/** The message of the only commit, or a list of them. */
async function squashMessage(context: LandContext, branch: string, target: string, head: string): Promise<string> {
  const range = `${target}..${head}`;
  const log = (args: readonly string[]) =>
    runGit(
      context.folder,
      ['log', '--no-color', '--encoding=UTF-8', ...args, range],
      gitOptions(context, { atLimit: 'cut' }),
    );
  const { stdout } = await log(['-z', '--format=%s', `-n${MAX_SUBJECTS + 1}`]);
  const subjects = stdout.toString('utf8').split('\0').filter(Boolean);
  if (subjects.length === 1) {
    const only = (await log(['--format=%B', '-n1'])).stdout.toString('utf8').trim();
    if (only !== '') return only;
  }
  const lines = subjects.slice(0, MAX_SUBJECTS).map((subject) => `- ${subject}`);
  return `Squash branch '${branch}'\n\n${lines.join('\n')}${subjects.length > MAX_SUBJECTS ? '\n- and more' : ''}\n`;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
