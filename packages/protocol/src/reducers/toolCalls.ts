import { isSafeKey, ownValue } from '../safeKey.js';
import { sameValue } from '../sameValue.js';
import type { ToolCallConfirmedAction, ToolInputAction } from '../types/clientActions.js';
import type { ToolCompleteAction, ToolStartAction, ToolUpdateAction } from '../types/hostActions.js';
import type { SessionState } from '../types/sessionState.js';
import type { GivenInput, PendingToolCall, RunningToolCall, ToolCallState, ToolConfirmed } from '../types/toolCalls.js';
import type { ActiveTurn } from '../types/turns.js';
import { withDerivedStatus, withNews } from './summary.js';
import { appendToolOutput } from './toolOutput.js';
import { withThoughtEnded } from './turns.js';
import { withinTurnWindow } from './turnWindow.js';

export function startToolCall(state: SessionState, turn: ActiveTurn, action: ToolStartAction): SessionState {
  const { toolCall } = action;
  if (!isSafeKey(toolCall.toolCallId)) return state;
  const before = ownValue(turn.toolCalls, toolCall.toolCallId);
  if (before && !mayBeAnnouncedAgain(before)) return state;
  const call: ToolCallState = { ...toolCall, startedAt: before?.startedAt ?? action.at };
  const kept =
    call.status === 'running' && before
      ? {
          ...call,
          ...(before.output && { output: before.output }),
          ...(before.lastInput && { lastInput: before.lastInput }),
        }
      : call;
  const next = withToolCall(state, before ? turn : withCallPart(turn, action), kept);
  return toolCall.status === 'pendingConfirmation' ? withNews(next, action.at) : next;
}

function withCallPart(turn: ActiveTurn, { toolCall: { toolCallId }, at }: ToolStartAction): ActiveTurn {
  const responseParts = [...withThoughtEnded(turn.responseParts, at), { kind: 'toolCall', toolCallId } as const];
  return withinTurnWindow({ ...turn, responseParts });
}

/**
 * An agent may learn only while a call runs that it has to ask. But once a call waits, or was answered, its approval
 * belongs to exactly what was shown: announcing it again would let a late answer approve something else.
 */
function mayBeAnnouncedAgain(call: ToolCallState): call is RunningToolCall {
  return call.status === 'running' && call.confirmed.how === 'notNeeded';
}

export function updateToolCall(state: SessionState, turn: ActiveTurn, action: ToolUpdateAction): SessionState {
  const call = ownValue(turn.toolCalls, action.toolCallId);
  if (call?.status !== 'running') return state;
  let next = call;
  if (action.output) next = { ...next, output: appendToolOutput(next.output, action.output) };
  if (action.ref && !sameValue(action.ref, next.output?.ref))
    next = { ...next, output: { ...(next.output ?? { text: '' }), ref: action.ref } };
  if (action.invocationMessage !== undefined && action.invocationMessage !== call.invocationMessage) {
    next = { ...next, invocationMessage: action.invocationMessage };
  }
  if (action.clientName !== undefined && action.clientName !== call.clientName) {
    next = { ...next, clientName: action.clientName };
  }
  return next === call ? state : withToolCall(state, turn, next);
}

export function confirmToolCall(state: SessionState, turn: ActiveTurn, action: ToolCallConfirmedAction): SessionState {
  const call = ownValue(turn.toolCalls, action.toolCallId);
  if (call?.status !== 'pendingConfirmation') return state;
  return withDerivedStatus(withToolCall(state, turn, answered(call, action)));
}

function answered(call: PendingToolCall, action: ToolCallConfirmedAction): ToolCallState {
  const { confirmation: _, ...base } = call;
  const confirmed: ToolConfirmed = {
    how: action.by ? 'user' : 'policy',
    ...(action.by && { by: action.by }),
    ...(action.optionId !== undefined && { optionId: action.optionId }),
    at: action.at,
  };
  if (!action.approved) {
    const reason = action.reason === undefined ? {} : { reason: action.reason };
    return { ...base, status: 'cancelled', cancelled: 'denied', confirmed, ...reason, endedAt: action.at };
  }
  if (action.editedToolInput === undefined) return { ...base, status: 'running', confirmed };
  const { toolInputRef: __, ...rest } = base;
  const isEdited = action.editedToolInput !== call.toolInput;
  return {
    ...rest,
    toolInput: action.editedToolInput,
    status: 'running',
    confirmed: isEdited ? { ...confirmed, edited: true } : confirmed,
  };
}

/** Its text is of no interest here: the host removes it, and a prediction must not show it either. */
export function inputGiven(state: SessionState, turn: ActiveTurn, action: ToolInputAction): SessionState {
  const call = ownValue(turn.toolCalls, action.toolCallId);
  if (call?.status !== 'running' || !call.takesInput) return state;
  const { kind, by, at } = action;
  const lastInput: GivenInput = { kind, ...(by && { by }), at, count: (call.lastInput?.count ?? 0) + 1 };
  return withToolCall(state, turn, { ...call, lastInput });
}

export function completeToolCall(state: SessionState, turn: ActiveTurn, action: ToolCompleteAction): SessionState {
  const call = ownValue(turn.toolCalls, action.toolCallId);
  if (call?.status !== 'running') return state;
  return withToolCall(state, turn, { ...call, status: 'completed', result: action.result, endedAt: action.at });
}

function withToolCall(state: SessionState, turn: ActiveTurn, call: ToolCallState): SessionState {
  // Each call has its part. With hundreds of keys this takes half as long as to spread the calls, which sorts their keys.
  const toolCalls: Record<string, ToolCallState> = {};
  for (const part of turn.responseParts) {
    const other = part.kind === 'toolCall' ? ownValue(turn.toolCalls, part.toolCallId) : undefined;
    if (other) toolCalls[other.toolCallId] = other;
  }
  toolCalls[call.toolCallId] = call;
  return { ...state, activeTurn: { ...turn, toolCalls } };
}
