/** Exit codes. docs/cli.md says what each means; scripts rely on them. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  cannotStart: 3,
  noHost: 4,
  unauthorized: 5,
  notFound: 6,
  turnFailed: 10,
  turnCancelled: 11,
  needsAnswer: 12,
  denied: 13,
  conflict: 14,
  /** 128 plus the signal's number, as in a shell. */
  hungUp: 129,
  interrupted: 130,
  closedPipe: 141,
  terminated: 143,
} as const;

/** A failure for the user: one line with what happened, one with what to do. */
export class CommandError extends Error {
  readonly exitCode: number;
  readonly whatToDo: string;

  constructor(exitCode: number, what: string, whatToDo: string, options?: ErrorOptions) {
    super(what, options);
    this.name = 'CommandError';
    this.exitCode = exitCode;
    this.whatToDo = whatToDo;
  }
}

export function usageError(what: string, whatToDo: string): CommandError {
  return new CommandError(EXIT.usage, what, whatToDo);
}
