import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { Decision } from '../agent.js';
import { type AcpPermissionOption, approves, isPlain } from './permissionOptions.js';

export const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/**
 * The agent's option that an answer stands for. An option that lasts, or whose kind is unknown, is only selected by name. An approval
 * of an edited input is none, because these agents can only run what they showed.
 */
export function outcomeOf(
  decision: Decision,
  options: readonly AcpPermissionOption[],
  shownInput: string | undefined,
): { readonly outcome: RequestPermissionResponse; readonly approved: boolean } {
  const { optionId, editedToolInput } = decision;
  const isEdited = editedToolInput !== undefined && editedToolInput !== shownInput;
  const chosen = options.find(({ id }) => id === optionId);
  const wanted = decision.approved && !isEdited && (!chosen || approves(chosen));
  const option =
    chosen && approves(chosen) === wanted ? chosen : options.find((each) => isPlain(each) && approves(each) === wanted);
  if (!option) return { outcome: CANCELLED, approved: false };
  return { outcome: selected(option), approved: wanted };
}

/** With the id as the agent wrote it: some use numbers, which the protocol's types do not have. */
function selected({ optionId }: AcpPermissionOption): RequestPermissionResponse {
  return { outcome: { outcome: 'selected', optionId: optionId as string } };
}
