import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { Decision } from '../agent.js';
import type { PermissionRequestFields } from './updateSchemas.js';

type Options = PermissionRequestFields['options'];

export const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/**
 * The agent's option that an answer stands for. "Always" is only taken where somebody chose it by name; and an approval of an
 * input that was edited is none, because these agents can only run what they showed.
 */
export function outcomeOf(
  decision: Decision,
  options: Options,
  shownInput: string | undefined,
): { readonly outcome: RequestPermissionResponse; readonly approved: boolean } {
  const { optionId, editedToolInput } = decision;
  const isEdited = editedToolInput !== undefined && editedToolInput !== shownInput;
  const chosen = options.find((option) => option.optionId === optionId);
  const approved = decision.approved && !isEdited && chosen?.kind.startsWith('reject') !== true;
  const option = approved ? pick(options, 'allow', chosen) : pick(options, 'reject', chosen);
  if (!option) return { outcome: CANCELLED, approved: false };
  return { outcome: { outcome: { outcome: 'selected', optionId: option.optionId } }, approved };
}

function pick(options: Options, answer: 'allow' | 'reject', chosen: Options[number] | undefined) {
  if (chosen?.kind.startsWith(answer)) return chosen;
  return (
    options.find(({ kind }) => kind === `${answer}_once`) ?? options.find(({ kind }) => kind === `${answer}_always`)
  );
}
