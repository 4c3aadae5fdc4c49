/** Documented in the README; scripts rely on them. */
export const EXIT = { ok: 0, failed: 1, usage: 2, cannotStart: 3 } as const;

/** A failure that the user reads: one line of what, one line of what to do. */
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
