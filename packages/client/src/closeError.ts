import type { CloseReason } from '@agenthost/rpc';
import { type ClientError, ReplacedError, UnauthorizedError } from './errors.js';

/** The host's close codes after which another attempt would end in the same way. Its others ask to come back. */
const FINAL_CLOSE = {
  policyViolation: 1008,
  unauthorized: 4401,
  replaced: 4402,
} as const;

/** The error of a close that retrying can't fix; undefined for every other close. */
export function closeError({ code, message }: CloseReason, clientId = 'the same'): ClientError | undefined {
  switch (code) {
    case FINAL_CLOSE.policyViolation:
    case FINAL_CLOSE.unauthorized:
      return new UnauthorizedError(message);
    case FINAL_CLOSE.replaced:
      return new ReplacedError(clientId);
    default:
      return undefined;
  }
}
