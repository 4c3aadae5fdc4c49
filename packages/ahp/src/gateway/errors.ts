import { CommandFailedError, SessionGoneError } from '@agenthost/client';
import { ERROR_CODE } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';

/** Our codes that mean something else, or nothing, to AHP clients. All others are the same. */
const RENAMED: ReadonlyMap<number, number> = new Map([
  [ERROR_CODE.contentNotFound, ERROR_CODE.notFound],
  [ERROR_CODE.sessionFsUnavailable, ERROR_CODE.internalError],
]);

export function ahpError(error: unknown): unknown {
  if (error instanceof SessionGoneError)
    return new RpcError(ERROR_CODE.sessionNotFound, error.message, { cause: error });
  if (!(error instanceof CommandFailedError)) return error;
  const message = error.cause instanceof Error ? error.cause.message : error.message;
  return new RpcError(RENAMED.get(error.code) ?? error.code, message, { data: error.data, cause: error });
}
