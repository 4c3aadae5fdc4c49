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
  | 'notFound';

/** The message is for people; `problem` is for programs. */
export class GitError extends Error {
  override readonly name = 'GitError';
  readonly problem: GitProblem;
  /** The exit code, when git ended by itself. */
  readonly exitCode: number | undefined;

  constructor(problem: GitProblem, message: string, { exitCode }: { readonly exitCode?: number } = {}) {
    super(message);
    this.problem = problem;
    this.exitCode = exitCode;
  }
}
