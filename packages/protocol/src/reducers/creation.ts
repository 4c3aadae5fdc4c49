import type { CreationFailedAction } from '../types/hostActions.js';
import type { PendingMessage, SessionState } from '../types/sessionState.js';
import type { Turn } from '../types/turns.js';
import { changeSummary, withNews } from './summary.js';

/** It is not being created any more, whatever came of it. */
export function created(state: SessionState): SessionState {
  return changeSummary(state, { isCreating: undefined });
}

/** Nothing will ever start what waits, so each message gets its end here: it must neither vanish nor wait for good. */
export function failCreation(state: SessionState, action: CreationFailedAction): SessionState {
  if (state.lifecycle !== 'creating') return state;
  const { steeringMessage, queuedMessages = [], ...rest } = state;
  const waiting = steeringMessage ? [steeringMessage, ...queuedMessages] : queuedMessages;
  const turns =
    waiting.length > 0 ? [...state.turns, ...waiting.map((message) => failedTurn(message, action))] : state.turns;
  const failed: SessionState = { ...rest, lifecycle: 'creationFailed', creationError: action.error, turns };
  return withNews(created(failed), action.at);
}

function failedTurn({ id, userMessage, by }: PendingMessage, { error, at }: CreationFailedAction): Turn {
  return {
    id,
    userMessage,
    ...(by && { by }),
    responseParts: [],
    toolCalls: [],
    state: 'error',
    error,
    startedAt: at,
    endedAt: at,
  };
}
