import type {
  PendingMessageRemovedAction,
  PendingMessageSetAction,
  QueuedMessagesReorderedAction,
} from '../types/clientActions.js';
import type { PendingMessage, SessionState } from '../types/sessionState.js';
import { withCommentsSent, withCommentsTakenBack } from './comments.js';

/** A message that waits under this id, for the running turn or in the queue. */
export function findPendingMessage(state: SessionState, id: string): PendingMessage | undefined {
  if (state.steeringMessage?.id === id) return state.steeringMessage;
  return state.queuedMessages?.find((message) => message.id === id);
}

/** Takes a message out of wherever it waits, because it is in a turn now or somebody took it back. */
export function withoutPendingMessage(state: SessionState, id: string): SessionState {
  if (state.steeringMessage?.id === id) {
    const { steeringMessage: _, ...rest } = state;
    return rest;
  }
  const queue = state.queuedMessages ?? [];
  const left = queue.filter((message) => message.id !== id);
  return left.length === queue.length ? state : withQueue(state, left);
}

export function setPendingMessage(state: SessionState, action: PendingMessageSetAction): SessionState {
  if (isInActiveTurn(state, action.id)) return state;
  const message: PendingMessage = {
    id: action.id,
    userMessage: action.userMessage,
    ...(action.by && { by: action.by }),
  };
  const next = action.kind === 'steering' ? setSteering(state, message) : setQueued(state, message);
  return withCommentsSent(next, action.id, action);
}

export function removePendingMessage(state: SessionState, action: PendingMessageRemovedAction): SessionState {
  const isSteering = state.steeringMessage?.id === action.id;
  if (isSteering !== (action.kind === 'steering')) return state;
  const next = withoutPendingMessage(state, action.id);
  return next === state ? state : withCommentsTakenBack(next, action.id);
}

export function reorderQueue(state: SessionState, action: QueuedMessagesReorderedAction): SessionState {
  const queue = state.queuedMessages ?? [];
  const byId = new Map(queue.map((message) => [message.id, message]));
  const order: PendingMessage[] = [];
  for (const id of action.order) {
    const message = byId.get(id);
    if (message && byId.delete(id)) order.push(message);
  }
  order.push(...byId.values());
  return order.every((message, index) => message === queue[index]) ? state : withQueue(state, order);
}

/** An edit that crosses the message's start must not bring the message back as a second one. */
function isInActiveTurn(state: SessionState, id: string): boolean {
  const turn = state.activeTurn;
  if (!turn) return false;
  return turn.id === id || turn.responseParts.some((part) => part.kind === 'steering' && part.id === id);
}

function setSteering(state: SessionState, message: PendingMessage): SessionState {
  const before = state.steeringMessage;
  const rest = before?.id === message.id ? state : withoutPendingMessage(state, message.id);
  const next = { ...rest, steeringMessage: message };
  // Only one message can wait for the running turn. The one that it displaces must not vanish: it comes next instead.
  return before && before.id !== message.id ? withQueue(next, [before, ...(rest.queuedMessages ?? [])]) : next;
}

function setQueued(state: SessionState, message: PendingMessage): SessionState {
  const queue = state.queuedMessages ?? [];
  const index = queue.findIndex((queued) => queued.id === message.id);
  if (index >= 0) return withQueue(state, queue.with(index, message));
  const rest = withoutPendingMessage(state, message.id);
  return withQueue(rest, [...(rest.queuedMessages ?? []), message]);
}

function withQueue(state: SessionState, queue: readonly PendingMessage[]): SessionState {
  if (queue.length > 0) return { ...state, queuedMessages: queue };
  const { queuedMessages: _, ...rest } = state;
  return rest;
}
