/** Translates actions of AHP clients into ours. Pure; it checks only what it needs, the host checks the rest. */
import type { ClientActionInput } from '@agenthost/client';
import { REJECTION, type SessionState } from '@agenthost/protocol';
import { ownValue } from '@agenthost/protocol/internal';
import type { AhpAction } from '../types.js';
import { isRecord, textOf, textsOf } from './json.js';
import { modelOf, userMessageOf } from './messages.js';
import { answerOf, questionOfCall } from './questions.js';
import { choosesPlace, chosenSettings } from './settings.js';

export type ClientIntent =
  /** In this order; the last one is the client's own, the others prepare it. */
  | { readonly kind: 'dispatch'; readonly actions: readonly [...ClientActionInput[], ClientActionInput] }
  /** Not for the host: echoed, and kept while the gateway lives. */
  | { readonly kind: 'local' }
  | { readonly kind: 'refuse'; readonly reason: string };

const MALFORMED: ClientIntent = { kind: 'refuse', reason: REJECTION.invalidAction };

export interface IntentContext {
  readonly state: SessionState;
  /** The ids of the models that the session's agent offers. */
  readonly models: readonly string[];
}

export function intentOf(to: 'session' | 'chat', action: AhpAction, context: IntentContext): ClientIntent {
  return (to === 'session' ? sessionIntent(action, context) : chatIntent(action, context)) ?? MALFORMED;
}

function sessionIntent(action: AhpAction, { state }: IntentContext): ClientIntent | undefined {
  switch (action.type) {
    case 'session/titleChanged': {
      const title = textOf(action['title']);
      return title === undefined ? undefined : dispatch({ type: 'session/titleChanged', title });
    }
    case 'session/isReadChanged': {
      const { isRead } = action;
      return typeof isRead === 'boolean' ? dispatch({ type: 'session/isReadChanged', isRead }) : undefined;
    }
    case 'session/isArchivedChanged': {
      const { isArchived } = action;
      return typeof isArchived === 'boolean' ? dispatch({ type: 'session/isArchivedChanged', isArchived }) : undefined;
    }
    case 'session/activeClientSet':
    case 'session/activeClientRemoved':
      return { kind: 'local' };
    case 'session/configChanged': {
      if (choosesPlace(action['config']))
        return { kind: 'refuse', reason: 'where a session works is chosen before it is created' };
      const choices = chosenSettings(action['config'], state);
      const last = choices.pop();
      return last ? dispatch(...choices, last) : { kind: 'local' };
    }
    default:
      return refuse(action);
  }
}

function chatIntent(action: AhpAction, context: IntentContext): ClientIntent | undefined {
  switch (action.type) {
    case 'chat/turnStarted':
      return turnStarted(action, context);
    case 'chat/turnCancelled': {
      const turnId = textOf(action['turnId']);
      return turnId === undefined ? undefined : dispatch({ type: 'session/turnCancelled', turnId });
    }
    case 'chat/toolCallConfirmed':
      return toolCallConfirmed(action, context);
    case 'chat/inputCompleted':
      return inputCompleted(action, context);
    case 'chat/pendingMessageSet': {
      const [kind, id, userMessage] = [
        pendingKind(action['kind']),
        textOf(action['id']),
        userMessageOf(action['message']),
      ];
      if (!kind || id === undefined || !userMessage) return undefined;
      return dispatch({ type: 'session/pendingMessageSet', kind, id, userMessage });
    }
    case 'chat/pendingMessageRemoved': {
      const [kind, id] = [pendingKind(action['kind']), textOf(action['id'])];
      return kind && id !== undefined ? dispatch({ type: 'session/pendingMessageRemoved', kind, id }) : undefined;
    }
    case 'chat/queuedMessagesReordered': {
      const order = textsOf(action['order']);
      return order && dispatch({ type: 'session/queuedMessagesReordered', order });
    }
    case 'chat/draftChanged':
    case 'chat/inputAnswerChanged':
      return { kind: 'local' };
    // VS Code renames a session on the channel of its chat.
    case 'session/titleChanged':
      return sessionIntent(action, context);
    default:
      return refuse(action);
  }
}

function turnStarted(action: AhpAction, { state, models }: IntentContext): ClientIntent | undefined {
  const [turnId, userMessage] = [textOf(action['turnId']), userMessageOf(action['message'])];
  const { queuedMessageId } = action;
  if (turnId === undefined || !userMessage) return undefined;
  if (queuedMessageId !== undefined && typeof queuedMessageId !== 'string') return undefined;
  const started: ClientActionInput = {
    type: 'session/turnStarted',
    turnId,
    userMessage,
    ...(queuedMessageId !== undefined && { queuedMessageId }),
  };
  const model = modelOf(action['message']);
  // A client that doesn't know the agent's models names one of its own; that must not cost the turn.
  const isAnother = model !== undefined && model !== state.summary.model && models.includes(model);
  return isAnother ? dispatch({ type: 'session/modelChanged', model }, started) : dispatch(started);
}

function toolCallConfirmed(action: AhpAction, { state }: IntentContext): ClientIntent | undefined {
  const [turnId, toolCallId] = [textOf(action['turnId']), textOf(action['toolCallId'])];
  const { approved } = action;
  if (turnId === undefined || toolCallId === undefined || typeof approved !== 'boolean') return undefined;
  const optionId = textOf(action['selectedOptionId']);
  const choice = { approved, ...(optionId !== undefined && { optionId }) };
  const turn = state.activeTurn?.id === turnId ? state.activeTurn : undefined;
  const question = turn && questionOfCall(turn, toolCallId);
  const given = textOf(action['editedToolInput']);
  // An unchanged input is no edit.
  const isEdited = given !== undefined && given !== (turn && ownValue(turn.toolCalls, toolCallId)?.toolInput);
  if (question) {
    if (isEdited) return { kind: 'refuse', reason: REJECTION.notEditable };
    return dispatch({ type: 'session/permissionResolved', turnId, requestId: question.requestId, ...choice });
  }
  const reason = approved ? undefined : reasonOf(action);
  return dispatch({
    type: 'session/toolCallConfirmed',
    turnId,
    toolCallId,
    ...choice,
    ...(isEdited && { editedToolInput: given }),
    ...(reason !== undefined && { reason }),
  });
}

/** What the user wants instead is more useful to the agent than the reason. */
function reasonOf(action: AhpAction): string | undefined {
  const { userSuggestion, reasonMessage } = action;
  const suggested = isRecord(userSuggestion) ? textOf(userSuggestion['text']) : undefined;
  return (
    suggested || textOf(reasonMessage) || (isRecord(reasonMessage) ? textOf(reasonMessage['markdown']) : undefined)
  );
}

function inputCompleted(action: AhpAction, { state }: IntentContext): ClientIntent | undefined {
  const requestId = textOf(action['requestId']);
  if (requestId === undefined) return undefined;
  const turn = state.activeTurn;
  const request =
    turn && Object.hasOwn(turn.pendingPermissions, requestId) ? turn.pendingPermissions[requestId] : undefined;
  if (!turn || !request) return { kind: 'refuse', reason: 'unknown input request' };
  const answer = answerOf(request, action['response'], action['answers']);
  return dispatch({ type: 'session/permissionResolved', turnId: turn.id, requestId, ...answer });
}

function pendingKind(kind: unknown): 'steering' | 'queued' | undefined {
  return kind === 'steering' || kind === 'queued' ? kind : undefined;
}

function dispatch(...actions: [...ClientActionInput[], ClientActionInput]): ClientIntent {
  return { kind: 'dispatch', actions };
}

function refuse({ type }: AhpAction): ClientIntent {
  return { kind: 'refuse', reason: `this host does not take ${type.slice(0, 100)}` };
}
