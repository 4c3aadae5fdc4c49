import { errorCode } from '../../storage/fs/errnoFailure.js';
import { SessionFsFailure } from '../../storage/fs/sessionFs.js';

/** Why a file of a session's folder can't be read. */
export type FileProblem =
  /** There is no such file or folder, or the session's folder is not on this machine. */
  | 'notFound'
  /** It is outside of the session's folder, or the host's own, or the system does not allow it. */
  | 'refused'
  | 'notAFile'
  | 'notAFolder';

/** The message is for people; `problem` is for programs. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly problem: FileProblem;

  constructor(problem: FileProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

const REFUSED: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ELOOP']);
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENAMETOOLONG', 'EINVAL', 'EISDIR', 'ENXIO', 'ENODEV']);

/** What a client is told instead of the system's error, which names paths of the machine. */
export function toFileError(error: unknown, path: string): unknown {
  if (error instanceof FileError) return error;
  const code = error instanceof SessionFsFailure ? error.code : errorCode(error);
  const shown = JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
  const outside = error instanceof SessionFsFailure && code === 'EACCES';
  if (outside) {
    return new FileError('refused', `${shown} is outside of the session's folder.`, { cause: error });
  }
  if (code !== undefined && REFUSED.has(code)) {
    return new FileError('refused', `The host may not read ${shown}.`, { cause: error });
  }
  if (code === 'ENOTDIR') return new FileError('notAFolder', `${shown} is not a folder.`, { cause: error });
  if (code !== undefined && MISSING.has(code)) {
    return new FileError('notFound', `${shown} does not exist in the session's folder.`, { cause: error });
  }
  return error;
}
