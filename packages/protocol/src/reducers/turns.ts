import { formAnswerOf, formAnswerText } from '../forms.js';
import { MAX_ANSWER_KEPT, MAX_ANSWERED_PERMISSIONS } from '../limits.js';
import { isSafeKey, ownValue } from '../safeKey.js';
import type { PermissionResolvedAction, TurnCancelledAction, TurnStartedAction } from '../types/clientActions.js';
import type {
  DeltaAction,
  ErrorAction,
  PermissionRequestAction,
  ReasoningAction,
  ResponsePartAction,
  TurnCompleteAction,
} from '../types/hostActions.js';
import type { SessionState } from '../types/sessionState.js';
import type { CompletedToolCall, ToolCallState } from '../types/toolCalls.js';
import type { ActiveTurn, AnsweredPermission, PermissionRequest, ResponsePart, Turn } from '../types/turns.js';
import { withCommentsMoved, withCommentsSent } from './comments.js';
import { findPendingMessage, withoutPendingMessage } from './pendingMessages.js';
import { changedAt, changeSummary, deriveStatus, withDerivedStatus, withNews } from './summary.js';
import { withinTurnWindow } from './turnWindow.js';

export function startTurn(state: SessionState, action: TurnStartedAction): SessionState {
  if (state.lifecycle !== 'ready' || state.activeTurn) return state;
  const { queuedMessageId } = action;
  const waiting = queuedMessageId === undefined ? undefined : findPendingMessage(state, queuedMessageId);
  // Somebody took the message back, or it has been in a turn already: starting it now would double it.
  if (queuedMessageId !== undefined && !waiting) return state;
  const by = action.by ?? waiting?.by;
  const model = action.model ?? state.summary.model;
  const activeTurn: ActiveTurn = {
    id: action.turnId,
    userMessage: action.userMessage,
    ...(action.origin && { origin: action.origin }),
    ...(by && { by }),
    responseParts: [],
    toolCalls: {},
    pendingPermissions: {},
    ...(model !== undefined && { model }),
    startedAt: action.at,
  };
  const rest =
    queuedMessageId === undefined
      ? state
      : withCommentsMoved(withoutPendingMessage(state, queuedMessageId), queuedMessageId, action.turnId);
  const sent = action.comments ? withCommentsSent(rest, action.turnId, action) : rest;
  return withNews({ ...sent, activeTurn }, action.at);
}

export function addPart(state: SessionState, turn: ActiveTurn, action: ResponsePartAction): SessionState {
  const { part } = action;
  if (turn.responseParts.some((other) => other.kind !== 'toolCall' && other.id === part.id)) return state;
  const rest = part.kind === 'steering' ? withoutPendingMessage(state, part.id) : state;
  const added = part.kind === 'reasoning' ? { ...part, startedAt: action.at } : part;
  const responseParts = [...withThoughtEnded(turn.responseParts, action.at), added];
  return { ...rest, activeTurn: withinTurnWindow({ ...turn, responseParts }) };
}

/** A thought is over when something follows it: of its text only the place is sure, the log may merge it. */
export function withThoughtEnded(parts: readonly ResponsePart[], at: number): readonly ResponsePart[] {
  const last = parts.at(-1);
  if (last?.kind !== 'reasoning' || last.endedAt !== undefined) return parts;
  return parts.with(-1, { ...last, endedAt: at });
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
  const asked = { ...request, askedAt: action.at };
  const pendingPermissions = { ...turn.pendingPermissions, [request.requestId]: asked };
  const responseParts = withThoughtEnded(turn.responseParts, action.at);
  return withNews({ ...state, activeTurn: { ...turn, responseParts, pendingPermissions } }, action.at);
}

export function resolvePermission(
  state: SessionState,
  turn: ActiveTurn,
  action: PermissionResolvedAction,
): SessionState {
  const request = ownValue(turn.pendingPermissions, action.requestId);
  if (!request) return state;
  const { [action.requestId]: _, ...pendingPermissions } = turn.pendingPermissions;
  const answers = [...(turn.answeredPermissions ?? []), answeredPermission(turn, request, action)];
  const answeredPermissions = answers.slice(-MAX_ANSWERED_PERMISSIONS);
  return withDerivedStatus({ ...state, activeTurn: { ...turn, pendingPermissions, answeredPermissions } });
}

function answeredPermission(
  turn: ActiveTurn,
  request: PermissionRequest,
  action: PermissionResolvedAction,
): AnsweredPermission {
  const { approved, optionId, by, at } = action;
  const filled = request.form && formAnswerOf(request.form, action);
  const said = request.form && filled?.outcome === 'answered' ? formAnswerText(request.form, filled) : undefined;
  const text = request.form ? said : action.text;
  const label = optionId === undefined ? undefined : request.options?.find(({ id }) => id === optionId)?.label;
  return {
    requestId: request.requestId,
    kind: request.kind,
    title: beginning(request.title),
    approved,
    ...(optionId !== undefined && { optionId }),
    ...(label !== undefined && { optionLabel: label }),
    ...(text !== undefined && { text: beginning(text) }),
    ...(filled && { form: filled.outcome }),
    ...(by && { by }),
    at,
    afterParts: (turn.earlierParts ?? 0) + turn.responseParts.length,
  };
}

/** Never half of a surrogate pair at its end. */
function beginning(text: string): string {
  return text.length <= MAX_ANSWER_KEPT ? text : text.slice(0, MAX_ANSWER_KEPT).replace(/[\uD800-\uDBFF]$/, '');
}

export function endTurn(
  state: SessionState,
  turn: ActiveTurn,
  action: TurnCompleteAction | TurnCancelledAction | ErrorAction,
): SessionState {
  const ended: Turn = {
    id: turn.id,
    userMessage: turn.userMessage,
    ...(turn.origin && { origin: turn.origin }),
    ...(turn.by && { by: turn.by }),
    responseParts: withThoughtEnded(turn.responseParts, action.at),
    ...(turn.earlierParts !== undefined && { earlierParts: turn.earlierParts }),
    toolCalls: endedToolCalls(turn, action.at),
    ...(turn.answeredPermissions && { answeredPermissions: turn.answeredPermissions }),
    ...(turn.usage && { usage: turn.usage }),
    ...(turn.model !== undefined && { model: turn.model }),
    ...outcome(action),
    startedAt: turn.startedAt,
    endedAt: action.at,
  };
  const { activeTurn: _, ...rest } = state;
  const next: SessionState = { ...rest, turns: [...state.turns, ended] };
  const isRead = ended.state === 'cancelled' ? state.summary.isRead : false;
  const modifiedAt = changedAt(state, action.at);
  return changeSummary(next, {
    status: deriveStatus(next),
    modifiedAt,
    lastTurnEndedAt: action.at,
    isRead,
    activity: undefined,
  });
}

function outcome(
  action: TurnCompleteAction | TurnCancelledAction | ErrorAction,
): Pick<Turn, 'state' | 'error' | 'holdsQueue'> {
  switch (action.type) {
    case 'session/turnComplete':
      return { state: 'complete' };
    case 'session/turnCancelled':
      return { state: 'cancelled', ...(action.holdQueue && { holdsQueue: true }) };
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
