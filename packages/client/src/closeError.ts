import type { CloseReason } from '@agenthost/rpc';
import { type ClientError, ReplacedError, UnauthorizedError } from './errors.js';

/** Close codes after which another attempt would end in the same way. */
export const CLOSE_CODE = {
  policyViolation: 1008,
  unauthorized: 4401,
  replaced: 4409,
} as const;

/** The error of a close that retrying can't fix; undefined for every other close. */
export function closeError({ code, message }: CloseReason, clientId = 'the same'): ClientError | undefined {
  switch (code) {
    case CLOSE_CODE.policyViolation:
    case CLOSE_CODE.unauthorized:
      return new UnauthorizedError(message);
    case CLOSE_CODE.replaced:
      return new ReplacedError(clientId);
    default:
      return undefined;
  }
}
