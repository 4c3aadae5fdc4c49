import { randomUUID } from 'node:crypto';
import { TRUST_OPTION } from '../customizations/trustQuestion.js';

const PREFIX = 'trust-';

export function newTrustRequestId(): string {
  return `${PREFIX}${randomUUID()}`;
}

/** Whether an answer lets a folder's own configuration run, from now on and in every session. */
export function grantsTrust(requestId: unknown, approved: unknown, optionId: unknown): boolean {
  if (typeof requestId === 'string' && !requestId.startsWith(PREFIX)) return false;
  return approved === true && (optionId ?? TRUST_OPTION) === TRUST_OPTION;
}
