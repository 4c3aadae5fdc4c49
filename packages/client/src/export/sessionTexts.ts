import type { SessionSummary } from '@agenthost/protocol';
import { safeLine } from './safeText.js';

/** Replaces the message of a turn that the agent began. */
export const OWN_TURN = 'The agent continued on its own.';

export function titleOf({ title }: Pick<SessionSummary, 'title'>): string {
  return safeLine(title) || 'Untitled';
}

export function by(author: { readonly name?: string; readonly device?: string } | undefined): string {
  if (!author?.name) return '';
  return ` by ${safeLine(author.name)}${author.device ? `, on ${safeLine(author.device)}` : ''}`;
}
