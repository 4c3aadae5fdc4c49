/** Translates one of our actions, with the states before and after it, into AHP actions with the same effect. Pure. */
import type { ActiveTurn, PendingMessage, SessionAction, SessionState, Turn } from '@agenthost/protocol';
import type { CreationFailedAction } from '@agenthost/protocol/internal';
import type { AhpAction, AhpChatSummary } from '../types.js';
import { messageOf, turnMessageOf } from './messages.js';
import { inputRequestOf, openQuestions, questionOfCall } from './questions.js';
import { configActions } from './settings.js';
import { chatSummaryOf } from './state.js';
import { type CallAnswer, toolCallActions } from './toolCallActions.js';
import { toolCallOf } from './toolCalls.js';
import { activeCallOf, addedPartOf, durationOf, isoTime, usageOf } from './turns.js';

export interface TranslatedAction {
  readonly to: 'session' | 'chat';
  readonly action: AhpAction;
}

export function translateAction(action: SessionAction, before: SessionState, after: SessionState): TranslatedAction[] {
  if (before === after) return [];
  return [
    ...chatActions(action, before, after).map((chat): TranslatedAction => ({ to: 'chat', action: chat })),
    ...sessionActions(action, before, after).map((session): TranslatedAction => ({ to: 'session', action: session })),
  ];
}

function chatActions(action: SessionAction, before: SessionState, after: SessionState): AhpAction[] {
  return [
    ...turnActions(action, before, after),
    ...pendingActions(action, before, after),
    ...activity('chat', before, after),
  ];
}

/** A message that waited for a session whose creation failed: its turn begins and ends here. */
function failedTurn({ id, userMessage }: Turn, { at, error }: CreationFailedAction): AhpAction[] {
  return [
    {
      type: 'chat/turnStarted',
      turnId: id,
      startedAt: isoTime(at),
      message: messageOf(userMessage),
      queuedMessageId: id,
    },
    { type: 'chat/error', turnId: id, duration: 0, part: { kind: 'error', error }, error },
  ];
}

function turnActions(action: SessionAction, before: SessionState, after: SessionState): AhpAction[] {
  switch (action.type) {
    case 'session/turnStarted':
      return [
        {
          type: 'chat/turnStarted',
          turnId: action.turnId,
          startedAt: isoTime(action.at),
          message: turnMessageOf(action, after.activeTurn?.model),
          ...(action.queuedMessageId !== undefined && { queuedMessageId: action.queuedMessageId }),
        },
      ];
    case 'session/delta':
    case 'session/reasoning': {
      const type = action.type === 'session/delta' ? 'chat/delta' : 'chat/reasoning';
      return [{ type, turnId: action.turnId, partId: action.partId, content: action.content }];
    }
    case 'session/responsePart':
      return [{ type: 'chat/responsePart', turnId: action.turnId, part: addedPartOf(action.part) }];
    case 'session/usage':
      return [{ type: 'chat/usage', turnId: action.turnId, usage: usageOf(action.usage) }];
    case 'session/toolStart':
    case 'session/toolUpdate':
    case 'session/toolComplete':
    case 'session/toolCallConfirmed':
    case 'session/permissionRequest':
    case 'session/permissionResolved':
      return before.activeTurn && after.activeTurn ? promptActions(action, before.activeTurn, after) : [];
    case 'session/creationFailed':
      return after.turns.slice(before.turns.length).flatMap((turn) => failedTurn(turn, action));
    case 'session/turnComplete':
    case 'session/turnCancelled':
    case 'session/error':
      return before.activeTurn ? [...unanswered(before.activeTurn), endOf(action, before.activeTurn)] : [];
    default:
      return [];
  }
}

function endOf(
  action: Extract<SessionAction, { type: 'session/turnComplete' | 'session/turnCancelled' | 'session/error' }>,
  { startedAt }: ActiveTurn,
): AhpAction {
  const base = { turnId: action.turnId, duration: durationOf(startedAt, action.at) };
  if (action.type === 'session/turnComplete') return { type: 'chat/turnComplete', ...base };
  if (action.type === 'session/turnCancelled') return { type: 'chat/turnCancelled', ...base };
  // 0.9 reads the part, all others the error.
  return { type: 'chat/error', ...base, part: { kind: 'error', error: action.error }, error: action.error };
}

/** Calls and questions, by difference: a question of ours can be a call of AHP's, and vice versa. */
function promptActions(action: SessionAction, before: ActiveTurn, state: SessionState): AhpAction[] {
  const after = state.activeTurn;
  if (!after) return [];
  const answer = answerIn(action);
  const calls = after.responseParts.flatMap((part) => {
    if (part.kind !== 'toolCall' || isSameCall(part.toolCallId, before, after)) return [];
    const now = activeCallOf(after, part.toolCallId);
    return now ? toolCallActions(after.id, activeCallOf(before, part.toolCallId), now, answer) : [];
  });
  return [...calls, ...questionActions(action, before, after)];
}

function isSameCall(id: string, before: ActiveTurn, after: ActiveTurn): boolean {
  return before.pendingPermissions === after.pendingPermissions && before.toolCalls[id] === after.toolCalls[id];
}

function answerIn(action: SessionAction): CallAnswer | undefined {
  if (action.type !== 'session/toolCallConfirmed' && action.type !== 'session/permissionResolved') return undefined;
  const { approved, optionId } = action;
  return { approved, ...(optionId !== undefined && { optionId }) };
}

function questionActions(action: SessionAction, before: ActiveTurn, after: ActiveTurn): AhpAction[] {
  if (before.pendingPermissions === after.pendingPermissions && before.toolCalls === after.toolCalls) return [];
  const was = new Map(openQuestions(before).map((request) => [request.requestId, request]));
  const is = new Map(openQuestions(after).map((request) => [request.requestId, request]));
  const asked = [...is.values()].filter(({ requestId }) => !was.has(requestId));
  const done = [...was.keys()].filter((id) => !is.has(id));
  return [
    ...done.map((requestId): AhpAction => {
      const resolved = action.type === 'session/permissionResolved' && action.requestId === requestId;
      const response = !resolved ? 'cancel' : action.approved ? 'accept' : 'decline';
      return { type: 'chat/inputCompleted', requestId, response };
    }),
    ...asked.map((request): AhpAction => ({ type: 'chat/inputRequested', request: inputRequestOf(request) })),
  ];
}

/** A question that was open at the end of the turn can't be answered any more: its call was running. */
function unanswered(turn: ActiveTurn): AhpAction[] {
  const asked = Object.values(turn.toolCalls).filter((call) => questionOfCall(turn, call.toolCallId));
  return [
    ...asked.flatMap((call) => {
      const shown = activeCallOf(turn, call.toolCallId);
      return toolCallActions(turn.id, shown, toolCallOf(call, undefined)).filter(isReady);
    }),
    ...openQuestions(turn).map(({ requestId }) => ({ type: 'chat/inputCompleted', requestId, response: 'cancel' })),
  ];
}

/** A cancelled call does not keep its output. */
function isReady({ type }: AhpAction): boolean {
  return type === 'chat/toolCallReady';
}

/** By difference, because a message of ours can move from one place to the other. */
function pendingActions(action: SessionAction, before: SessionState, after: SessionState): AhpAction[] {
  if (before.steeringMessage === after.steeringMessage && before.queuedMessages === after.queuedMessages) return [];
  if (action.type === 'session/creationFailed') return [];
  // The start of the turn removes its message.
  const started = action.type === 'session/turnStarted' ? action.queuedMessageId : undefined;
  const steering = before.steeringMessage?.id === started ? undefined : before.steeringMessage;
  const queue = (before.queuedMessages ?? []).filter(({ id }) => id !== started);
  return [...steeringActions(steering, after.steeringMessage), ...queueActions(queue, after.queuedMessages ?? [])];
}

function steeringActions(before: PendingMessage | undefined, after: PendingMessage | undefined): AhpAction[] {
  if (before === after) return [];
  if (after) return [pendingSet('steering', after)];
  return before ? [{ type: 'chat/pendingMessageRemoved', kind: 'steering', id: before.id }] : [];
}

function queueActions(before: readonly PendingMessage[], after: readonly PendingMessage[]): AhpAction[] {
  const kept = before.filter(({ id }) => after.some((message) => message.id === id));
  const removed = before.filter((message) => !kept.includes(message));
  const set = after.filter((message) => !before.includes(message));
  const order = [
    ...kept.map(({ id }) => id),
    ...set.flatMap(({ id }) => (kept.some((old) => old.id === id) ? [] : [id])),
  ];
  const wanted = after.map(({ id }) => id);
  return [
    ...removed.map(({ id }): AhpAction => ({ type: 'chat/pendingMessageRemoved', kind: 'queued', id })),
    ...set.map((message) => pendingSet('queued', message)),
    ...(order.join('\n') === wanted.join('\n') ? [] : [{ type: 'chat/queuedMessagesReordered', order: wanted }]),
  ];
}

function pendingSet(kind: 'steering' | 'queued', { id, userMessage }: PendingMessage): AhpAction {
  return { type: 'chat/pendingMessageSet', kind, id, message: messageOf(userMessage) };
}

function sessionActions(action: SessionAction, before: SessionState, after: SessionState): AhpAction[] {
  const was = before.summary;
  const is = after.summary;
  return [
    ...(action.type === 'session/ready' ? [{ type: 'session/ready' }] : []),
    ...(action.type === 'session/creationFailed' ? [{ type: 'session/creationFailed', error: action.error }] : []),
    ...(was.title === is.title ? [] : [{ type: 'session/titleChanged', title: is.title }]),
    ...(was.isRead === is.isRead ? [] : [{ type: 'session/isReadChanged', isRead: is.isRead }]),
    ...(was.isArchived === is.isArchived ? [] : [{ type: 'session/isArchivedChanged', isArchived: is.isArchived }]),
    ...(was.metadata === is.metadata
      ? []
      : [{ type: 'session/metaChanged', ...(is.metadata && { _meta: is.metadata }) }]),
    ...configActions(before, after),
    ...activity('session', before, after),
    ...chatUpdated(before, after),
  ];
}

function activity(of: 'session' | 'chat', before: SessionState, after: SessionState): AhpAction[] {
  const { activity: is } = after.summary;
  if (before.summary.activity === is) return [];
  return [{ type: `${of}/activityChanged`, ...(is !== undefined && { activity: is }) }];
}

/** The session's list of chats does not follow the chat automatically. */
function chatUpdated(before: SessionState, after: SessionState): AhpAction[] {
  const was = chatSummaryOf(before);
  const is = chatSummaryOf(after);
  const keys: readonly (keyof AhpChatSummary)[] = ['title', 'status', 'modifiedAt', 'activity'];
  const changed = keys.filter((key) => was[key] !== is[key]);
  if (changed.length === 0) return [];
  const changes = Object.fromEntries(changed.map((key) => [key, is[key]]));
  return [{ type: 'session/chatUpdated', chat: is.resource, changes }];
}
