import { LOGIN_REQUIRED } from './errors.js';
import type { Turn } from './types/turns.js';

/** More messages than people write before they log in. */
const MAX_AWAITING = 20;

/**
 * The last turns of a session that failed because their agent needed a log-in, oldest first. The host sends their messages again after
 * one. A turn that ran a tool is not repeated, because its effects would be, too; nor is anything before it.
 */
export function turnsAwaitingLogin(turns: readonly Turn[]): readonly Turn[] {
  const last = turns.slice(-MAX_AWAITING);
  return last.slice(last.findLastIndex((turn) => !isAwaiting(turn)) + 1);
}

function isAwaiting({ error, toolCalls, origin }: Turn): boolean {
  return error?.errorType === LOGIN_REQUIRED && toolCalls.length === 0 && origin !== 'agent';
}
