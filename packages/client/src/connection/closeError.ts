import { CLOSE_CODE } from '@agenthost/protocol';
import type { CloseReason } from '@agenthost/rpc';
import { type ClientError, ReplacedError, UnauthorizedError } from '../errors.js';

/** The host has codes of its own for why it refuses; what stands in front of it may only have this one. */
const POLICY_VIOLATION = 1008;

/** The error of a close that retrying can't fix; undefined for every other close. */
export function closeError({ code, message }: CloseReason, clientId = 'the same'): ClientError | undefined {
  switch (code) {
    case POLICY_VIOLATION:
    case CLOSE_CODE.unauthorized:
      return new UnauthorizedError(message);
    case CLOSE_CODE.replaced:
      return new ReplacedError(clientId);
    default:
      return undefined;
  }
}
