import type { Author, SessionState } from '@agenthost/protocol';
import {
  ownValue,
  type PermissionResolvedAction,
  type ToolCallConfirmedAction,
  TRUST_REQUEST,
} from '@agenthost/protocol/internal';

/** For the audit trail: who answered what. */
export interface AnswerRecord {
  readonly event: 'approved' | 'denied' | 'trusted';
  /** What was answered, without what was typed into a form. */
  readonly text: string;
  readonly by: Author;
}

export type AnswerAction = ToolCallConfirmedAction | PermissionResolvedAction;

/** `undefined` for an answer that nobody gave: the agent took its question back. `before`: the state in which the question is open. */
export function answerRecord(action: AnswerAction, { activeTurn }: SessionState): AnswerRecord | undefined {
  const { approved, by } = action;
  if (!by || !activeTurn) return undefined;
  if (action.type === 'session/toolCallConfirmed') {
    const call = ownValue(activeTurn.toolCalls, action.toolCallId);
    const what = call ? `${call.displayName}: ${call.invocationMessage}` : action.toolCallId;
    const edited = action.editedToolInput === undefined ? '' : ' with changed input';
    return { event: approved ? 'approved' : 'denied', text: `${approved ? 'allowed' : 'denied'}${edited} ${what}`, by };
  }
  const title = ownValue(activeTurn.pendingPermissions, action.requestId)?.title ?? 'a question';
  const isTrust = approved && action.requestId.startsWith(TRUST_REQUEST);
  if (isTrust) return { event: 'trusted', text: `trusted the folder: ${title}`, by };
  return { event: approved ? 'approved' : 'denied', text: `${approved ? 'answered' : 'denied'} ${title}`, by };
}
