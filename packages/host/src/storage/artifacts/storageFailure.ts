import type { SessionFs } from '../fs/sessionFs.js';

export type StorageFailureCode =
  /** `workspace.yaml` is invalid; it can be rebuilt from the log. */
  | 'DAMAGED'
  | 'NO_STATE_PATH'
  /** An invalid artifact name. */
  | 'INVALID_NAME'
  /** Its path leads outside of its folder. */
  | 'OUTSIDE'
  | 'INVALID_CURSOR'
  | 'TOO_LARGE'
  | 'TOO_MANY'
  /** The session's files are elsewhere: no program on this machine can open them. */
  | 'NOT_LOCAL';

/** `code` is one of ours, or that of the SessionFsFailure that is the cause. */
export class StorageFailure extends Error {
  readonly code: StorageFailureCode | (string & {});

  constructor(code: StorageFailureCode | (string & {}), message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StorageFailure';
    this.code = code;
  }
}

/** The folder of the session's artifacts. Throws for a session without one: then every access to artifacts fails with this error. */
export function requireStatePath(fs: SessionFs): string {
  if (fs.sessionStatePath !== undefined) return fs.sessionStatePath;
  throw new StorageFailure(
    'NO_STATE_PATH',
    'this session has no folder for its files, so it keeps no plan, checkpoints, files or research; ' +
      'to have them, create the session on storage that has a state path (sessionStatePath)',
  );
}
