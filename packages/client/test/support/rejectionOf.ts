import { type ClientAction, REJECTION, type SessionState } from '@agenthost/protocol';
import { findPendingMessage } from '@agenthost/protocol/internal';

/** The host's preconditions, as far as the tests need them. */
export function rejectionOf(state: SessionState | undefined, action: ClientAction): string | undefined {
  if (!state) return REJECTION.unknownSession;
  const turn = state.activeTurn;
  switch (action.type) {
    case 'session/turnStarted':
      if (state.lifecycle !== 'ready') return REJECTION.sessionNotReady;
      return turn ? REJECTION.turnInProgress : undefined;
    case 'session/turnCancelled':
      return turn?.id === action.turnId ? undefined : REJECTION.noActiveTurn;
    case 'session/toolCallConfirmed':
      return turn?.toolCalls[action.toolCallId]?.status === 'pendingConfirmation'
        ? undefined
        : REJECTION.notWaitingForConfirmation;
    case 'session/permissionResolved':
      return turn?.pendingPermissions[action.requestId] ? undefined : REJECTION.unknownPermissionRequest;
    case 'session/pendingMessageRemoved':
      return findPendingMessage(state, action.id) ? undefined : REJECTION.unknownPendingMessage;
    case 'session/modelChanged':
      return action.model === 'no such model' ? REJECTION.unknownModel : undefined;
    default:
      return undefined;
  }
}
