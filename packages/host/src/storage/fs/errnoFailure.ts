import { errorMessage } from '@agenthost/protocol/internal';
import { SessionFsFailure } from './sessionFs.js';

/** Maps names that Node uses for its own checks to those of the operating system. */
const SAME_AS: Readonly<Record<string, string>> = {
  ERR_FS_EISDIR: 'EISDIR',
  ERR_INVALID_ARG_VALUE: 'EINVAL',
  ERR_OUT_OF_RANGE: 'EINVAL',
  ERR_STRING_TOO_LONG: 'EFBIG',
  ERR_FS_FILE_TOO_LARGE: 'EFBIG',
};

/** Maps any error to a SessionFsFailure; a code of the operating system is kept. */
export function toSessionFsFailure(error: unknown): SessionFsFailure {
  if (error instanceof SessionFsFailure) return error;
  const code = errorCode(error) ?? 'UNKNOWN';
  const message = errorMessage(error);
  return new SessionFsFailure(SAME_AS[code] ?? code, message, { cause: error });
}

export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
