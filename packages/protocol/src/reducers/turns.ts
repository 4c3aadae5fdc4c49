import type {
  DeltaAction,
  ErrorAction,
  PermissionRequestAction,
  PermissionResolvedAction,
  ReasoningAction,
  ResponsePartAction,
  TurnCancelledAction,
  TurnCompleteAction,
  TurnStartedAction,
} from '../actions/sessionActions.js';
import { isSafeKey, ownValue } from '../safeKey.js';
import type { SessionState } from '../state/sessionState.js';
import type { CompletedToolCall, ToolCallState } from '../state/toolCall.js';
import type { ActiveTurn, ResponsePart, Turn } from '../state/turn.js';
import { findPendingMessage, withoutPendingMessage } from './pendingMessages.js';
import { changeSummary, deriveStatus, withDerivedStatus, withNews } from './summary.js';

export function startTurn(state: SessionState, action: TurnStartedAction): SessionState {
  if (state.lifecycle !== 'ready' || state.activeTurn) return state;
  const { queuedMessageId } = action;
  const waiting = queuedMessageId === undefined ? undefined : findPendingMessage(state, queuedMessageId);
  // Somebody took the message back, or it has been in a turn already: starting it now would double it.
  if (queuedMessageId !== undefined && !waiting) return state;
  const by = action.by ?? waiting?.by;
  const activeTurn: ActiveTurn = {
    id: action.turnId,
    userMessage: action.userMessage,
    ...(by && { by }),
    responseParts: [],
    toolCalls: {},
    pendingPermissions: {},
    startedAt: action.at,
  };
  const rest = queuedMessageId === undefined ? state : withoutPendingMessage(state, queuedMessageId);
  return withNews({ ...rest, activeTurn }, action.at);
}

export function addPart(state: SessionState, turn: ActiveTurn, action: ResponsePartAction): SessionState {
  const { part } = action;
  if (turn.responseParts.some((other) => other.kind !== 'toolCall' && other.id === part.id)) return state;
  const rest = part.kind === 'steering' ? withoutPendingMessage(state, part.id) : state;
  return { ...rest, activeTurn: { ...turn, responseParts: [...turn.responseParts, part] } };
}

export function appendToPart(
  state: SessionState,
  turn: ActiveTurn,
  kind: 'markdown' | 'reasoning',
  action: DeltaAction | ReasoningAction,
): SessionState {
  if (action.content === '') return state;
  const index = findPart(turn.responseParts, action.partId);
  const part = turn.responseParts[index];
  if (part?.kind !== kind) return state;
  const responseParts = turn.responseParts.with(index, { ...part, content: part.content + action.content });
  return { ...state, activeTurn: { ...turn, responseParts } };
}

export function askPermission(state: SessionState, turn: ActiveTurn, action: PermissionRequestAction): SessionState {
  const { request } = action;
  if (!isSafeKey(request.requestId) || ownValue(turn.pendingPermissions, request.requestId)) return state;
  const pendingPermissions = { ...turn.pendingPermissions, [request.requestId]: request };
  return withNews({ ...state, activeTurn: { ...turn, pendingPermissions } }, action.at);
}

export function resolvePermission(
  state: SessionState,
  turn: ActiveTurn,
  action: PermissionResolvedAction,
): SessionState {
  if (!ownValue(turn.pendingPermissions, action.requestId)) return state;
  const { [action.requestId]: _, ...pendingPermissions } = turn.pendingPermissions;
  return withDerivedStatus({ ...state, activeTurn: { ...turn, pendingPermissions } });
}

export function endTurn(
  state: SessionState,
  turn: ActiveTurn,
  action: TurnCompleteAction | TurnCancelledAction | ErrorAction,
): SessionState {
  const ended: Turn = {
    id: turn.id,
    userMessage: turn.userMessage,
    ...(turn.by && { by: turn.by }),
    responseParts: turn.responseParts,
    toolCalls: endedToolCalls(turn, action.at),
    ...(turn.usage && { usage: turn.usage }),
    ...outcome(action),
    startedAt: turn.startedAt,
    endedAt: action.at,
  };
  const { activeTurn: _, ...rest } = state;
  const next: SessionState = { ...rest, turns: [...state.turns, ended] };
  const isRead = ended.state === 'cancelled' ? state.summary.isRead : false;
  return changeSummary(next, { status: deriveStatus(next), modifiedAt: action.at, isRead, activity: undefined });
}

function outcome(action: TurnCompleteAction | TurnCancelledAction | ErrorAction): Pick<Turn, 'state' | 'error'> {
  switch (action.type) {
    case 'session/turnComplete':
      return { state: 'complete' };
    case 'session/turnCancelled':
      return { state: 'cancelled' };
    case 'session/error':
      return { state: 'error', error: action.error };
  }
}

/** In the order of their parts: an object's own order puts ids that look like numbers first. */
function endedToolCalls(turn: ActiveTurn, at: number): CompletedToolCall[] {
  return turn.responseParts.flatMap((part) => {
    const call = part.kind === 'toolCall' ? ownValue(turn.toolCalls, part.toolCallId) : undefined;
    return call ? [endedToolCall(call, at)] : [];
  });
}

function endedToolCall(call: ToolCallState, at: number): CompletedToolCall {
  if (call.status === 'completed' || call.status === 'cancelled') return call;
  if (call.status === 'running') return { ...call, status: 'cancelled', cancelled: 'turnEnded', endedAt: at };
  const { confirmation: _, ...rest } = call;
  return { ...rest, status: 'cancelled', cancelled: 'turnEnded', endedAt: at };
}

/** From the end: text is appended to the newest part nearly always. */
function findPart(parts: readonly ResponsePart[], id: string): number {
  return parts.findLastIndex((part) => part.kind !== 'toolCall' && part.id === id);
}
