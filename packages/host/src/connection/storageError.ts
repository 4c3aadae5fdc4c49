import { ERROR_CODE } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { isDiskFull } from '../sessions/turn/notStored.js';
import { StorageFailure } from '../storage/artifacts/storageFailure.js';
import { SessionFsFailure } from '../storage/fs/sessionFs.js';
import { EventLogFailure } from '../storage/log/eventLog.js';

/**
 * The error to answer when the storage failed: a user can do something about a full disk. `undefined` for all other failures, of which
 * clients only learn `internal error`.
 */
export function storageError(error: unknown): RpcError | undefined {
  if (!isStorageFailure(error)) return undefined;
  if (error.code === 'UNAVAILABLE') {
    return new RpcError(ERROR_CODE.sessionFsUnavailable, error.message, { cause: error });
  }
  const message = `the session's files could not be read or written: ${error.message}`;
  return new RpcError(ERROR_CODE.internalError, message, {
    cause: error,
    ...(isDiskFull(error) && { data: { code: 'diskFull' } }),
  });
}

function isStorageFailure(error: unknown): error is Error & { readonly code: string } {
  return error instanceof SessionFsFailure || error instanceof EventLogFailure || error instanceof StorageFailure;
}
