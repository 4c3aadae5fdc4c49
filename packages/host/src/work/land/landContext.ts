import type { Author } from '@agenthost/protocol';
import type { GitCommand, GitOptions } from '../git.js';
import { runGit } from '../git.js';
import type { Environment } from '../gitEnvironment.js';
import { GitError } from '../gitError.js';
import type { OpenedWork } from '../openWork.js';

export interface Progress {
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
}

/** What the commands that land the work of a session have in common. */
export interface LandContext {
  readonly work: OpenedWork;
  /** The session's folder. */
  readonly folder: string;
  /** The private folder of the session. */
  readonly dir: string;
  /** The private folder of all sessions, for what outlives a killed host. */
  readonly landDir: string;
  readonly env: Environment | undefined;
  readonly signal: AbortSignal;
  readonly baseBranch: string | undefined;
  readonly by: Author;
  /** Says something in the conversation. */
  readonly tell: (text: string) => void;
  readonly onChanged: () => void;
  readonly onProgress: (progress: Progress) => void;
}

export function gitOptions({ env, signal }: LandContext, options: GitOptions = {}): GitOptions {
  return { ...(env && { env }), signal, ...options };
}

/** The first line of what git answers; absent when it says no. */
export async function lineOf(
  context: LandContext,
  args: readonly [GitCommand, ...string[]],
  folder = context.folder,
): Promise<string | undefined> {
  const { exitCode, stdout } = await runGit(folder, args, gitOptions(context, { okCodes: [0, 1, 128] }));
  const [first = ''] = stdout.toString('utf8').split('\n', 1);
  return exitCode === 0 && first !== '' ? first : undefined;
}

/** The branch that the session's folder has checked out. */
export async function checkedOutBranch(context: LandContext): Promise<string> {
  const branch = await lineOf(context, ['symbolic-ref', '-q', 'HEAD']);
  if (branch?.startsWith('refs/heads/')) return branch.slice('refs/heads/'.length);
  throw new GitError(
    'detached',
    'No branch is checked out in the folder (HEAD is detached), so a commit would belong to none. Make one with `git switch -c NAME`.',
  );
}

export function commitOf(context: LandContext, name: string): Promise<string | undefined> {
  return lineOf(context, ['rev-parse', '-q', '--verify', '--end-of-options', `${name}^{commit}`]);
}

/** Only what is configured counts: a name that git makes up of the machine's would be in the history for ever. */
export const CONFIGURED_IDENTITY = [['user.useConfigOnly', 'true']] as const;

export async function mustHaveIdentity(context: LandContext): Promise<void> {
  for (const who of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) {
    const options = gitOptions(context, { settings: CONFIGURED_IDENTITY, okCodes: [0, 1, 128] });
    const { exitCode } = await runGit(context.folder, ['var', who], options);
    if (exitCode === 0) continue;
    throw new GitError(
      'noIdentity',
      'Git does not know who commits. Set it on the host: `git config --global user.name "YOUR NAME"` and `git config --global user.email YOU@EXAMPLE.ORG`.',
    );
  }
}

/** Makes a commit of a tree, signed if that is configured. It belongs to no branch yet. */
export async function commitTree(
  context: LandContext,
  { tree, parents, message }: { readonly tree: string; readonly parents: readonly string[]; readonly message: string },
): Promise<string> {
  const { signs } = await context.work.tree.place();
  const args = ['commit-tree', tree, ...parents.flatMap((id) => ['-p', id]), ...(signs ? ['-S'] : []), '-F', '-'];
  const { stdout } = await runGit(
    context.folder,
    args as [GitCommand, ...string[]],
    gitOptions(context, { writes: true, settings: CONFIGURED_IDENTITY, stdin: `${message.trimEnd()}\n` }),
  );
  return stdout.toString('utf8').trim();
}

export interface MovedBranch {
  readonly branch: string;
  readonly to: string;
  /** What it must still be. Absent for a branch that does not exist yet. */
  readonly from: string | undefined;
  readonly why: string;
}

/** Moves a branch, unless somebody else has moved it meanwhile. */
export async function moveBranch(
  context: LandContext,
  { branch, to, from, why }: MovedBranch,
  folder = context.folder,
): Promise<void> {
  const old = from ?? '0'.repeat(to.length);
  const log = (why.split('\n', 1)[0] ?? '').slice(0, 200);
  const args: [GitCommand, ...string[]] = ['update-ref', '-m', log, `refs/heads/${branch}`, to, old];
  const settings = [['core.filesRefLockTimeout', '5000']] as const;
  await runGit(folder, args, gitOptions(context, { writes: true, settings })).catch((error: unknown) => {
    if (!(error instanceof GitError) || error.problem !== 'failed') throw error;
    throw new GitError('busy', `The branch ${branch} has changed in this moment. Try again. (${error.message})`);
  });
}
