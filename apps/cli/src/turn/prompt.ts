import type { PendingConfirmation, PendingPermission } from '@agenthost/client';
import type { Form } from '@agenthost/protocol';
import { safeCommand, safeLine } from '../text/safeText.js';
import { fieldLabel } from './formText.js';
import { ofClient } from './toolLine.js';

export interface Choice {
  readonly key: string;
  readonly label: string;
  readonly approves: boolean;
  readonly optionId?: string;
}

/** A question of an agent. */
export type Prompt = PendingConfirmation | PendingPermission;

export function isConfirmation(prompt: Prompt): prompt is PendingConfirmation {
  return 'toolCall' in prompt;
}

export function formOf(prompt: Prompt): Form | undefined {
  return isConfirmation(prompt) ? undefined : prompt.request.form;
}

/** Whether a text is an answer. */
export function takesText(prompt: Prompt): boolean {
  return !isConfirmation(prompt) && prompt.request.allowText === true && !prompt.request.form;
}

/** The possible answers, by key: y once, s in this session, n no; other options of an agent by number. */
export function promptChoices(prompt: Prompt): Choice[] {
  return isConfirmation(prompt) ? confirmationChoices(prompt) : permissionChoices(prompt);
}

/** The question without the choices. `input`: the whole input, when the state has only a part of it. */
export function promptText(prompt: Prompt, input?: string): string {
  return isConfirmation(prompt) ? confirmationText(prompt, input) : permissionText(prompt);
}

/** The call whose whole input has to be fetched. */
export function cutCall(prompt: Prompt): PendingConfirmation['toolCall'] | undefined {
  return isConfirmation(prompt) && prompt.toolCall.toolInputRef ? prompt.toolCall : undefined;
}

/** Rejects with an ActionRejectedError when another client was faster. */
export function answerPrompt(prompt: Prompt, { approves, optionId }: Choice, text?: string): Promise<void> {
  const option = optionId === undefined ? {} : { optionId };
  if (isConfirmation(prompt)) return approves ? prompt.approve(option) : prompt.deny(option);
  return prompt.answer({ approved: approves, ...option, ...(text !== undefined && { text }) });
}

function confirmationChoices({ toolCall }: PendingConfirmation): Choice[] {
  const { options = [] } = toolCall.confirmation;
  const approving = options.filter(({ kind }) => kind === 'approve');
  const denying = options.filter(({ kind }) => kind === 'deny');
  const [once, always] = approving;
  // "y" is a plain yes: it never selects an option that also counts for later calls.
  if (approving.length > 2 || denying.length > 1 || once?.explicit || (options.length > 0 && !once))
    return numbered(options);
  return [
    choice('y', once?.label ?? 'Allow once', true, once?.id),
    ...(always ? [choice('s', always.label, true, always.id)] : []),
    choice('n', denying[0]?.label ?? 'Deny', false, denying[0]?.id),
  ];
}

function permissionChoices({ request: { options = [], kind, form } }: PendingPermission): Choice[] {
  if (form) return [choice('s', 'Skip', true), choice('n', 'Decline', false)];
  if (kind === 'question') return [...numbered(options), choice('n', 'No answer', false)];
  const approve = options.find((option) => option.kind === 'approve');
  const deny = options.find((option) => option.kind === 'deny');
  if (options.length > 2 || approve?.explicit) return numbered(options);
  return [
    choice('y', approve?.label ?? 'Allow', true, approve?.id),
    choice('n', deny?.label ?? 'Deny', false, deny?.id),
  ];
}

function confirmationText({ toolCall }: PendingConfirmation, input: string | undefined): string {
  const { confirmation, invocationMessage, toolInput } = toolCall;
  return [
    `${safeLine(confirmation.title ?? invocationMessage)}${ofClient(toolCall)}`,
    ...indented(input ?? toolInput ?? ''),
  ].join('\n');
}

function permissionText({ request }: PendingPermission): string {
  const fields = request.form?.fields.map((field) => `    · ${fieldLabel(field)}`) ?? [];
  return [safeLine(request.title), ...indented(request.message), ...fields].join('\n');
}

/** All lines: a command must not be allowed before all of it was shown. */
function indented(text: string): string[] {
  const lines = safeCommand(text).trimEnd().split('\n');
  return lines.length === 1 && lines[0] === '' ? [] : lines.map((line) => `    ${line}`);
}

function numbered(
  options: readonly { readonly id: string; readonly label: string; readonly kind?: 'approve' | 'deny' }[],
): Choice[] {
  return options.map(({ id, label, kind }, at) => choice(`${at + 1}`, label, kind !== 'deny', id));
}

function choice(key: string, label: string, approves: boolean, optionId?: string): Choice {
  return { key, label: safeLine(label), approves, ...(optionId !== undefined && { optionId }) };
}
