import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { ConfirmationOption, StandingApproval } from '@agenthost/protocol';
import { MAX_ID_LENGTH } from '@agenthost/protocol/internal';
import type { Decision } from '../agent.js';
import type { PermissionRequestFields } from './updateSchemas.js';

type AcpPermissionOption = PermissionRequestFields['options'][number];

/** The maximum number of shown options. Those for a plain yes or no are always among them. */
const MAX_SHOWN = 100;
/** Kinds outside of the protocol that clearly deny. */
const DENYING = /^(reject|deny|decline|block|cancel|abort|no$|never)/i;

/** Whether choosing the option approves the call. A kind that does not mention denying approves. */
function approves({ kind }: AcpPermissionOption): boolean {
  return !DENYING.test(kind);
}

/** Whether an answer without an option may select this one. "Always" and unknown kinds must be chosen by name. */
function isPlain({ kind }: AcpPermissionOption): boolean {
  return kind === 'allow_once' || kind === 'reject_once';
}

function isLasting({ kind }: AcpPermissionOption): boolean {
  return kind === 'allow_always';
}

/** ACP has no field for it, but agents often say it in the option's name. */
const COVERS =
  "Later requests like this one, as the agent understands it. The agent keeps this: it can't be revoked here";

/** What the agent does without asking after this answer. The agent keeps it: ACP has no request that would end it. */
export function standingApproval(
  { optionId }: Decision,
  { options, toolCall }: PermissionRequestFields,
  callName: string,
): StandingApproval | undefined {
  const chosen = options.find(({ id }) => id === optionId);
  return chosen && isLasting(chosen)
    ? { id: `acp-${toolCall.toolCallId}`.slice(0, MAX_ID_LENGTH), covers: `${chosen.name}, after: ${callName}` }
    : undefined;
}

/** The options for clients, plain ones first: the keys for yes and no take the first that fits. */
export function shownOptions(options: readonly AcpPermissionOption[]): ConfirmationOption[] {
  const plain = options.filter(isPlain);
  const explicit = options.filter((option) => !isPlain(option));
  const shown = [...plain, ...explicit].slice(0, MAX_SHOWN).map(
    (option): ConfirmationOption => ({
      id: option.id,
      label: option.name,
      kind: approves(option) ? 'approve' : 'deny',
      ...(!isPlain(option) && { explicit: true }),
      ...(isLasting(option) && { covers: COVERS }),
    }),
  );
  // Clients offer "Allow" when there are no options; here no answer could allow the call.
  return shown.length > 0 ? shown : [{ id: 'deny', label: 'Deny', kind: 'deny' }];
}

export const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

/**
 * The agent's option for an answer. An option that lasts, or whose kind is unknown, is only selected by name. Approving an edited
 * input selects none, because these agents can only run what they showed.
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

/** Keeps the id as the agent wrote it: some use numbers, which the protocol's types do not allow. */
function selected({ optionId }: AcpPermissionOption): RequestPermissionResponse {
  return { outcome: { outcome: 'selected', optionId: optionId as string } };
}
