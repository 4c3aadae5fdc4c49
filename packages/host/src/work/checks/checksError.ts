/** `noCommand`: nobody has said how the tests are run. `running`: they run already. `away`: the folder is on another machine. */
export type ChecksProblem = 'noCommand' | 'notTrusted' | 'running' | 'away';

/** Why the tests of a project are not run, as a sentence for people. */
export class ChecksError extends Error {
  readonly problem: ChecksProblem;

  constructor(problem: ChecksProblem, message: string) {
    super(message);
    this.name = 'ChecksError';
    this.problem = problem;
  }
}
