import { randomUUID } from 'node:crypto';
import type { Form, ResponsePart } from '@agenthost/protocol';
import {
  formAnswerOf,
  formAnswerText,
  INLINE_CONTENT_LIMIT,
  type PermissionResolvedAction,
} from '@agenthost/protocol/internal';
import { headAndTail } from '../../agents/events/boundedText.js';

/** Shows all clients how a request was answered, when the request itself is gone from the state. */
export function permissionNotice(
  action: PermissionResolvedAction,
  form?: Form,
): Extract<ResponsePart, { kind: 'notice' }> {
  const { by, text, approved } = action;
  const who = by?.name ?? by?.clientId ?? 'the host';
  const plain = text ?? (approved ? 'allowed' : 'denied');
  const said = headAndTail(form ? formText(form, action) : plain, INLINE_CONTENT_LIMIT);
  return { kind: 'notice', id: `answer-${randomUUID()}`, text: `${who}: ${said}`, severity: 'info' };
}

function formText(form: Form, action: PermissionResolvedAction): string {
  const answer = formAnswerOf(form, action);
  if (!action.by) return 'the agent took the question back';
  if (answer.outcome === 'answered') return formAnswerText(form, answer) || 'answered';
  return answer.outcome === 'skipped' ? 'skipped it: the agent decides' : 'declined to answer';
}
