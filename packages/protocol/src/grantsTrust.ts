/** How the ids of the host's own questions about trust in a folder begin. */
export const TRUST_REQUEST = 'trust-';
export const TRUST_OPTION = 'trust';

/** Whether an answer lets a folder's own configuration run, from now on and in every session. */
export function grantsTrust(requestId: unknown, approved: unknown, optionId: unknown): boolean {
  if (typeof requestId === 'string' && !requestId.startsWith(TRUST_REQUEST)) return false;
  return approved === true && (optionId ?? TRUST_OPTION) === TRUST_OPTION;
}
