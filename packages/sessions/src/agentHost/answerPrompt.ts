import { ActionRejectedError, type PermissionAnswer, type SessionHandle } from '@agenthost/client';
import type { Author, RejectionCode, SessionState, ToolCallState } from '@agenthost/protocol';
import type { ConfirmationAnswer } from '../chat/chatModel.js';
import { AnsweredElsewhereError } from '../errors.js';

/** Rejects with an AnsweredElsewhereError when somebody else was faster, and says what they decided. */
export async function answerConfirmation(
  session: SessionHandle,
  turnId: string,
  toolCallId: string,
  { approved, ...options }: ConfirmationAnswer,
): Promise<void> {
  const prompt = session.pendingConfirmations.value.find(
    (one) => one.turnId === turnId && one.toolCall.toolCallId === toolCallId,
  );
  const lost = () => {
    const { by, outcome } = decisionOn(callOf(session.confirmed.value, turnId, toolCallId));
    return new AnsweredElsewhereError(by?.name, outcome);
  };
  if (!prompt) throw lost();
  try {
    await (approved ? prompt.approve(options) : prompt.deny(options));
  } catch (error) {
    throw isRejectedFor(error, 'notWaitingForConfirmation') ? lost() : error;
  }
}

export async function answerPermission(
  session: SessionHandle,
  turnId: string,
  requestId: string,
  answer: PermissionAnswer,
): Promise<void> {
  const prompt = session.pendingPermissions.value.find(
    (one) => one.turnId === turnId && one.request.requestId === requestId,
  );
  if (!prompt) throw new AnsweredElsewhereError(undefined, 'answered');
  try {
    await prompt.answer(answer);
  } catch (error) {
    if (!isRejectedFor(error, 'unknownPermissionRequest')) throw error;
    const { by } = error.rejection;
    throw new AnsweredElsewhereError(by?.name ?? by?.clientId, 'answered');
  }
}

export function isRejectedFor(error: unknown, ...codes: readonly RejectionCode[]): error is ActionRejectedError {
  return error instanceof ActionRejectedError && codes.some((code) => code === error.rejection.code);
}

function callOf({ activeTurn, turns }: SessionState, turnId: string, toolCallId: string): ToolCallState | undefined {
  if (activeTurn?.id === turnId) return activeTurn.toolCalls[toolCallId];
  return turns.find(({ id }) => id === turnId)?.toolCalls.find((call) => call.toolCallId === toolCallId);
}

function decisionOn(call: ToolCallState | undefined): {
  by: Author | undefined;
  outcome: AnsweredElsewhereError['outcome'];
} {
  if (!call || call.status === 'pendingConfirmation' || !call.confirmed) return { by: undefined, outcome: 'answered' };
  const denied = call.status === 'cancelled' && call.cancelled === 'denied';
  return { by: call.confirmed.by, outcome: denied ? 'denied' : 'allowed' };
}
