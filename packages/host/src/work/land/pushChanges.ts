import { devNull } from 'node:os';
import type { PushChangesParams, PushChangesResult } from '@agenthost/protocol';
import { runGit } from '../git.js';
import { GitError } from '../gitError.js';
import { checkedOutBranch, commitOf, gitOptions, type LandContext, type Progress } from './landContext.js';
import { pushNotice } from './notices.js';
import { findRemote, isLocal, pageOf, type Remote, webRepository, withoutLogins } from './remotes.js';

const PUSH_MS = 5 * 60_000;
const MAX_SAID = 2_000;

/**
 * A repository of this machine is pushed to by a program that runs its hooks and its checkout: the repository of the session names it,
 * so nothing of it may run.
 */
const RECEIVE_PACK = [
  'git',
  ...['-c', `core.hooksPath=${devNull}`],
  ...['-c', 'core.fsmonitor=false'],
  ...['-c', 'core.alternateRefsCommand=true'],
  ...['-c', 'receive.denyCurrentBranch=refuse'],
  ...['-c', 'receive.autogc=false'],
  ...['-c', 'gc.auto=0'],
  'receive-pack',
].join(' ');

/** Sends the session's branch to a remote under the same name. */
export async function pushChanges(
  context: LandContext,
  { remote: wanted }: Omit<PushChangesParams, 'session'>,
): Promise<PushChangesResult> {
  const branch = await checkedOutBranch(context);
  const commit = await commitOf(context, `refs/heads/${branch}`);
  if (commit === undefined) throw new GitError('nothing', `The branch ${branch} has no commit yet: commit something.`);
  const remote = await findRemote(context, branch, wanted);
  const local = remote.addresses.filter(isLocal).length;
  if (local > 0 && local < remote.addresses.length) {
    throw new GitError('refused', `${remote.name} is both a folder of this machine and a server. Push it with git.`);
  }
  const reader = new ProgressReader(context.onProgress);
  const { exitCode, stdout } = await runGit(
    context.folder,
    [
      'push',
      ...['--porcelain', '--progress', '--no-verify', '--no-follow-tags', '--recurse-submodules=no', '--no-force'],
      // Always: of several settings git takes the first, which is the repository's.
      `--receive-pack=${local > 0 ? RECEIVE_PACK : 'git-receive-pack'}`,
      remote.name,
      // The commit that was looked at, whatever happens to the branch meanwhile.
      `${commit}:refs/heads/${branch}`,
    ],
    gitOptions(context, {
      writes: true,
      network: true,
      timeoutMs: PUSH_MS,
      okCodes: [0, 1, 128],
      onStderr: (piece) => reader.push(piece),
    }),
  );
  const answer = stdout.toString('utf8');
  if (exitCode !== 0) throw whyNot(remote, branch, answer, reader.end());
  const isUpToDate = /^=\t/m.test(answer);
  if (!isUpToDate) context.tell(pushNotice(context.by, branch, remote.name));
  const web = webRepository(remote.addresses[0] ?? '');
  return {
    remote: remote.name,
    branch,
    commit,
    ...(isUpToDate && { isUpToDate: true as const }),
    ...(web && { url: pageOf(web) }),
  };
}

const NO_ACCESS =
  /authentication failed|could not read (?:username|password)|terminal prompts disabled|permission denied|access denied|host key verification failed|error: 40[13]|repository not found/i;
const NOT_ALLOWED = /transport '[^']*' not allowed|remote helper|unable to find remote helper/i;

function whyNot({ name }: Remote, branch: string, answer: string, said: string): GitError {
  const line = /^!\t[^\t]*\t(.*)$/m.exec(answer)?.[1];
  const reason = withoutLogins((line ?? said.trim()).slice(-MAX_SAID));
  if (line !== undefined) {
    const isBehind = /non-fast-forward|fetch first|stale info/.test(line);
    return new GitError(
      'rejected',
      isBehind
        ? `${name} has commits of ${branch} that are not here. Fetch and merge them, then push again.`
        : `${name} did not take ${branch}: ${reason}`,
    );
  }
  if (NOT_ALLOWED.test(said)) {
    return new GitError('refused', `The address of ${name} is of a kind that the host does not use: ${reason}`);
  }
  if (NO_ACCESS.test(said)) {
    return new GitError(
      'noAccess',
      `The host may not push to ${name}. Log in there on the host, with a credential helper or an SSH key. (${reason})`,
    );
  }
  return new GitError('unreachable', `${name} could not be reached: ${reason}`);
}

/** Tells how far git is, a few times for each step, and keeps what else it says. */
class ProgressReader {
  readonly #onProgress: (progress: Progress) => void;
  #line = '';
  #said = '';
  #last = '';

  constructor(onProgress: (progress: Progress) => void) {
    this.#onProgress = onProgress;
  }

  push(piece: Buffer): void {
    const lines = (this.#line + piece.toString('utf8')).split(/[\r\n]/);
    this.#line = (lines.pop() ?? '').slice(-MAX_SAID);
    for (const line of lines) this.#take(line);
  }

  end(): string {
    this.#take(this.#line);
    return this.#said;
  }

  #take(line: string): void {
    const [, step, percent] = /^([A-Z][a-z]+(?: [a-z]+)*): +(\d{1,3})% \(/.exec(line) ?? [];
    if (step === undefined || percent === undefined) {
      if (line !== '') this.#said = `${this.#said}${line}\n`.slice(-8 * MAX_SAID);
      return;
    }
    const mark = `${step} ${Math.floor(Number(percent) / 10)}`;
    if (mark === this.#last) return;
    this.#last = mark;
    this.#onProgress({ message: step, done: Number(percent), total: 100 });
  }
}
