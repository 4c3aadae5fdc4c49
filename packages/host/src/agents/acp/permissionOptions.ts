import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { ConfirmationOption } from '@agenthost/protocol';
import type { Decision } from '../agent.js';
import type { PermissionRequestFields } from './updateSchemas.js';

type AcpPermissionOption = PermissionRequestFields['options'][number];

/** Options that are shown. What answers a plain yes or no is always among them. */
const MAX_SHOWN = 100;
/** Kinds that the protocol does not know, but that clearly deny. */
const DENYING = /^(reject|deny|decline|block|cancel|abort|no$|never)/i;

/** Whether choosing the option approves the call. A kind that says nothing of denying approves. */
function approves({ kind }: AcpPermissionOption): boolean {
  return !DENYING.test(kind);
}

/** Whether an answer that names no option can mean this one. "Always" and unknown kinds are only chosen by name. */
function isPlain({ kind }: AcpPermissionOption): boolean {
  return kind === 'allow_once' || kind === 'reject_once';
}

/** The options as clients show them, the plain ones first: the keys for yes and no take the first that fits. */
export function shownOptions(options: readonly AcpPermissionOption[]): ConfirmationOption[] {
  const plain = options.filter(isPlain);
  const explicit = options.filter((option) => !isPlain(option));
  const shown = [...plain, ...explicit].slice(0, MAX_SHOWN).map(
    (option): ConfirmationOption => ({
      id: option.id,
      label: option.name,
      kind: approves(option) ? 'approve' : 'deny',
      ...(!isPlain(option) && { explicit: true }),
    }),
  );
  // Clients offer "Allow" by themselves where nothing is offered; here nothing that could be answered would allow it.
  return shown.length > 0 ? shown : [{ id: 'deny', label: 'Deny', kind: 'deny' }];
}

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
