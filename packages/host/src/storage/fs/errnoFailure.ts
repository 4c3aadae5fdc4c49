import { errorMessage } from '@agenthost/protocol';
import { SessionFsFailure } from './sessionFs.js';

/** Names that Node uses for its own checks, as the operating system would call them. */
const SAME_AS: Readonly<Record<string, string>> = {
  ERR_FS_EISDIR: 'EISDIR',
  ERR_INVALID_ARG_VALUE: 'EINVAL',
  ERR_OUT_OF_RANGE: 'EINVAL',
  ERR_STRING_TOO_LONG: 'EFBIG',
  ERR_FS_FILE_TOO_LARGE: 'EFBIG',
};

/** What any error means to a user of a SessionFs; the code of the operating system is kept. */
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
