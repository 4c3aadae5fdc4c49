import {
  type ClientAction,
  type PermissionOption,
  REJECTION,
  type SessionState,
  type ToolCallState,
} from '@agenthost/protocol';
import {
  findPendingMessage,
  MAX_DISPLACED_MESSAGES,
  MAX_QUEUED_MESSAGES,
  ownValue,
  type PendingMessageSetAction,
  type PermissionResolvedAction,
  type ToolCallConfirmedAction,
} from '@agenthost/protocol/internal';
import { MAX_QUEUE_BYTES } from './sessionLimits.js';
import { jsonBytes } from './stateBytes.js';

export interface PreconditionContext {
  readonly state: SessionState;
  /** The ids of the models that the agent offers; `undefined` while that is not known. */
  readonly models: () => ReadonlySet<string> | undefined;
  /** Whether the session has, or had, a turn with that id. */
  readonly isTurnIdUsed: (turnId: string) => boolean;
  /** Whether the running turn took in a steering message of that id; it may have dropped that part since. */
  readonly wasSteered: (id: string) => boolean;
  /** Who answered a permission request that is closed already, if that is still known. */
  readonly answeredBy: (requestId: string) => string | undefined;
}

/** Why the host refuses the action, or `undefined` when it takes it. */
export function refusal(action: ClientAction, context: PreconditionContext): string | undefined {
  const { state } = context;
  switch (action.type) {
    case 'session/turnStarted':
      if (state.lifecycle === 'creationFailed') return creationRefusal(state);
      if (state.lifecycle !== 'ready') return REJECTION.sessionNotReady;
      if (state.activeTurn) return REJECTION.turnInProgress;
      if (context.isTurnIdUsed(action.turnId)) return REJECTION.turnIdUsed;
      // A message that waits becomes the turn of its id.
      if (findPendingMessage(state, action.turnId) && action.queuedMessageId !== action.turnId)
        return REJECTION.turnIdUsed;
      if (action.queuedMessageId !== undefined && !findPendingMessage(state, action.queuedMessageId)) {
        return REJECTION.unknownPendingMessage;
      }
      return undefined;
    case 'session/turnCancelled':
      return state.activeTurn?.id === action.turnId ? undefined : REJECTION.noActiveTurn;
    case 'session/toolCallConfirmed':
      return confirmationRefusal(state, action);
    case 'session/permissionResolved':
      return permissionRefusal(context, action);
    case 'session/modelChanged':
      return context.models()?.has(action.model) === false ? REJECTION.unknownModel : undefined;
    case 'session/pendingMessageSet':
      if (state.lifecycle === 'creationFailed') return creationRefusal(state);
      return pendingMessageRefusal(context, action);
    case 'session/pendingMessageRemoved': {
      const waiting = findPendingMessage(state, action.id);
      const isSteering = waiting !== undefined && waiting === state.steeringMessage;
      return waiting && isSteering === (action.kind === 'steering') ? undefined : REJECTION.unknownPendingMessage;
    }
    case 'session/customizationToggled':
      return state.customizations?.some((entry) => entry.customization.uri === action.uri)
        ? undefined
        : REJECTION.unknownCustomization;
    case 'session/titleChanged':
    case 'session/isReadChanged':
    case 'session/isArchivedChanged':
    case 'session/queuedMessagesReordered':
      return undefined;
  }
}

function creationRefusal({ creationError }: SessionState): string {
  return creationError ? `${REJECTION.creationFailed}: ${creationError.message}` : REJECTION.creationFailed;
}

function confirmationRefusal(state: SessionState, action: ToolCallConfirmedAction): string | undefined {
  const { turnId, toolCallId } = action;
  const active = state.activeTurn?.id === turnId ? state.activeTurn : undefined;
  const call = active
    ? ownValue(active.toolCalls, toolCallId)
    : state.turns.find((turn) => turn.id === turnId)?.toolCalls.find((ended) => ended.toolCallId === toolCallId);
  if (active && call?.status === 'pendingConfirmation') {
    const isEdited = action.editedToolInput !== undefined;
    if (isEdited && call.confirmation.editable !== true) return REJECTION.notEditable;
    return optionRefusal(action, call.confirmation.options);
  }
  const who = answerer(call);
  return who ? `${REJECTION.notWaitingForConfirmation}: ${who} answered it` : REJECTION.notWaitingForConfirmation;
}

function permissionRefusal(
  { state, answeredBy }: PreconditionContext,
  action: PermissionResolvedAction,
): string | undefined {
  const turn = state.activeTurn?.id === action.turnId ? state.activeTurn : undefined;
  const request = turn && ownValue(turn.pendingPermissions, action.requestId);
  if (request) {
    if (action.text !== undefined && request.allowText !== true) return REJECTION.takesNoText;
    return optionRefusal(action, request.options);
  }
  const who = answeredBy(action.requestId);
  return who === undefined
    ? REJECTION.unknownPermissionRequest
    : `${REJECTION.unknownPermissionRequest}: ${who} answered it`;
}

/** An option that doesn't deny, approves: the choices of a question have no kind. */
function optionRefusal(
  { approved, optionId }: ToolCallConfirmedAction | PermissionResolvedAction,
  options: readonly PermissionOption[] = [],
): string | undefined {
  if (optionId === undefined) {
    const approving = options.filter(({ kind }) => kind !== 'deny');
    const isMissing = approved && options.length > 0 && approving.every(({ explicit }) => explicit === true);
    return isMissing ? REJECTION.optionNeeded : undefined;
  }
  const chosen = options.filter(({ id }) => id === optionId);
  if (chosen.length === 0) return REJECTION.unknownOption;
  return chosen.some(({ kind }) => (kind !== 'deny') === approved) ? undefined : REJECTION.oppositeOption;
}

function answerer(call: ToolCallState | undefined): string | undefined {
  if (!call || call.status === 'pendingConfirmation') return undefined;
  const by = call.confirmed?.by;
  return by?.name ?? by?.clientId;
}

function pendingMessageRefusal(
  { state, isTurnIdUsed, wasSteered }: PreconditionContext,
  { id, kind }: PendingMessageSetAction,
): string | undefined {
  const isPending = findPendingMessage(state, id) !== undefined;
  if (!isPending && (isTurnIdUsed(id) || wasSteered(id) || isSteeringPart(state, id)))
    return REJECTION.messageAlreadyInTurn;
  const { queuedMessages = [], steeringMessage } = state;
  if (queuedMessages.some((queued) => queued.id === id)) return undefined;
  // A steering message takes no room in the queue; one that it displaces does.
  if (kind === 'steering' && (!steeringMessage || steeringMessage.id === id)) return undefined;
  const room = kind === 'queued' ? MAX_QUEUED_MESSAGES : MAX_QUEUED_MESSAGES + MAX_DISPLACED_MESSAGES;
  return queuedMessages.length >= room ? REJECTION.queueFull : undefined;
}

/**
 * Refuses a message when those that wait take too many bytes of the state: they are in every snapshot. As with their number, a
 * steering message has as much room again, so that a full queue does not keep anybody from steering.
 */
export function queueRefusal({ queuedMessages = [] }: SessionState, action: ClientAction): string | undefined {
  if (action.type !== 'session/pendingMessageSet') return undefined;
  const others = queuedMessages.filter(({ id }) => id !== action.id);
  const bytes = others.reduce((sum, { userMessage }) => sum + jsonBytes(userMessage), jsonBytes(action.userMessage));
  const limit = action.kind === 'steering' ? 2 * MAX_QUEUE_BYTES : MAX_QUEUE_BYTES;
  return others.length > 0 && bytes > limit ? REJECTION.queueFull : undefined;
}

function isSteeringPart({ activeTurn, turns }: SessionState, id: string): boolean {
  return [...turns, ...(activeTurn ? [activeTurn] : [])].some(({ responseParts }) =>
    responseParts.some((part) => part.kind === 'steering' && part.id === id),
  );
}
