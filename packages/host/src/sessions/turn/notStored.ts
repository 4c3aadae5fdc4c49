import { errorMessage, type Refusal, refuse } from '@agenthost/protocol/internal';

/** Refuses an action that, or whose content, could not be written. */
export function notStored(error: unknown): Refusal {
  return refuse(isDiskFull(error) ? 'diskFull' : 'notStored', { detail: errorMessage(error) });
}

/** Whether a failure of the storage, or what caused it, is a full disk or a used-up quota. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || isDiskFull(error.cause);
}

/** Whether what was written is another host's to say: it took the session, or may have, while the outcome was unknown. */
export function isLost(error: unknown): boolean {
  return hasCode(error, ['FENCED', 'UNDECIDED']);
}

/** Whether another host has taken the session. */
export function isFenced(error: unknown): boolean {
  return hasCode(error, ['FENCED']);
}

function hasCode(error: unknown, codes: readonly string[]): boolean {
  if (!(error instanceof Error)) return false;
  const { code = '' } = error as NodeJS.ErrnoException;
  return codes.includes(code) || hasCode(error.cause, codes);
}
