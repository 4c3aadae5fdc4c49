/** Why git gave no answer. */
export type GitProblem =
  /** There is no `git` on the host's PATH. */
  | 'noGit'
  | 'tooOld'
  /** The folder is in no repository with a work tree. */
  | 'noRepository'
  /** Somebody has to trust the folder first. */
  | 'notTrusted'
  /** The repository is set up in a way in which git must not be run. */
  | 'refused'
  /** Git ended with an exit code that the caller does not expect. */
  | 'failed'
  | 'timeout'
  | 'aborted'
  | 'outputLimit'
  /** Too many runs wait already. */
  | 'busy'
  /** There is no such snapshot, file or tree. */
  | 'notFound'
  /** Git does not know who commits. */
  | 'noIdentity'
  /** There is nothing to commit or to merge. */
  | 'nothing'
  /** No branch is checked out. */
  | 'detached'
  /** A merge, a rebase or the like is not finished. */
  | 'inProgress'
  | 'conflict'
  /** A branch that would change is checked out with work that no commit has. */
  | 'uncommitted'
  | 'noRemote'
  | 'noAccess'
  /** A hook or a remote said no. */
  | 'rejected'
  | 'unreachable'
  /** The file is not what the client has seen any more. */
  | 'changed';

/** The message is for people; `problem` is for programs. */
export class GitError extends Error {
  override readonly name = 'GitError';
  readonly problem: GitProblem;
  /** The exit code, when git ended by itself. */
  readonly exitCode: number | undefined;

  /** The first files that it is about. */
  readonly paths: readonly string[] | undefined;

  constructor(
    problem: GitProblem,
    message: string,
    { exitCode, paths }: { readonly exitCode?: number; readonly paths?: readonly string[] } = {},
  ) {
    super(message);
    this.paths = paths;
    this.problem = problem;
    this.exitCode = exitCode;
  }
}

/** Files can't be restored now. */
export class TurnRunning extends Error {
  override readonly name = 'TurnRunning';
}
