import {
  type Author,
  type ClientAction,
  type Form,
  type PermissionOption,
  type SessionState,
  severalOf,
  type ToolCallState,
} from '@agenthost/protocol';
import {
  findPendingMessage,
  formAnswerOf,
  formProblem,
  MAX_DISPLACED_MESSAGES,
  MAX_QUEUED_MESSAGES,
  ownValue,
  type PendingMessageSetAction,
  type PermissionResolvedAction,
  type PickChangedAction,
  type Refusal,
  refuse,
  type ToolCallConfirmedAction,
} from '@agenthost/protocol/internal';
import { MAX_QUEUE_BYTES } from './sessionLimits.js';
import { jsonBytes } from './stateBytes.js';
import { type ActionSender, commentRefusal } from './turn/commentRefusal.js';

export interface PreconditionContext {
  readonly state: SessionState;
  readonly sender: ActionSender;
  /** Where its machines are, when none of them is here: it can only be read. */
  readonly away?: string | undefined;
  /** The ids of the models that the agent offers; `undefined` while that is not known. */
  readonly models: () => ReadonlySet<string> | undefined;
  /** Whether the session has, or had, a turn with that id. */
  readonly isTurnIdUsed: (turnId: string) => boolean;
  /** Whether the running turn took in a steering message with that id; it may have dropped that part since. */
  readonly wasSteered: (id: string) => boolean;
  /** Who answered a permission request that is closed already, if that is still known; without `by` the host did. */
  readonly answeredBy: (requestId: string) => { readonly by?: Author } | undefined;
}

/** Why the host rejects the action, or `undefined` when it accepts it. */
export function refusal(action: ClientAction, context: PreconditionContext): Refusal | undefined {
  const refused = stateRefusal(action, context);
  if (refused || !isAboutComments(action)) return refused;
  return commentRefusal(context.state, action, context.sender);
}

/** Most messages carry none. */
function isAboutComments(action: ClientAction): boolean {
  return 'comments' in action || 'commentId' in action || 'comment' in action;
}

function stateRefusal(action: ClientAction, context: PreconditionContext): Refusal | undefined {
  const { state, away } = context;
  switch (action.type) {
    case 'session/turnStarted':
      if (away !== undefined) return awayRefusal(away);
      if (state.lifecycle === 'creationFailed') return creationRefusal(state);
      if (state.lifecycle !== 'ready') return refuse('sessionNotReady');
      if (state.activeTurn) return refuse('turnInProgress');
      if (context.isTurnIdUsed(action.turnId)) return refuse('turnIdUsed');
      // A waiting message becomes the turn with its id.
      if (findPendingMessage(state, action.turnId) && action.queuedMessageId !== action.turnId)
        return refuse('turnIdUsed');
      if (action.queuedMessageId !== undefined && !findPendingMessage(state, action.queuedMessageId)) {
        return refuse('unknownPendingMessage');
      }
      return undefined;
    case 'session/turnCancelled':
      return state.activeTurn?.id === action.turnId ? undefined : refuse('noActiveTurn');
    case 'session/toolCallConfirmed':
      return confirmationRefusal(state, action);
    case 'session/permissionResolved':
      return permissionRefusal(context, action);
    case 'session/modelChanged':
      return context.models()?.has(action.model) === false ? refuse('unknownModel') : undefined;
    case 'session/pendingMessageSet':
      if (away !== undefined) return awayRefusal(away);
      if (state.lifecycle === 'creationFailed') return creationRefusal(state);
      return pendingMessageRefusal(context, action);
    case 'session/pendingMessageRemoved': {
      const waiting = findPendingMessage(state, action.id);
      const isSteering = waiting !== undefined && waiting === state.steeringMessage;
      return waiting && isSteering === (action.kind === 'steering') ? undefined : refuse('unknownPendingMessage');
    }
    case 'session/settingChosen': {
      if (away !== undefined) return awayRefusal(away);
      const setting = state.settings?.find(({ id }) => id === action.setting);
      if (!setting) return refuse('unknownSetting');
      return setting.values.some(({ id }) => id === action.value) ? undefined : refuse('unknownSettingValue');
    }
    case 'session/toolInput': {
      const turn = state.activeTurn?.id === action.turnId ? state.activeTurn : undefined;
      const call = turn && ownValue(turn.toolCalls, action.toolCallId);
      if (call?.status !== 'running') return refuse('callNotRunning');
      return call.takesInput ? undefined : refuse('takesNoInput');
    }
    case 'session/customizationToggled':
      return state.customizations?.some((entry) => entry.customization.uri === action.uri)
        ? undefined
        : refuse('unknownCustomization');
    case 'session/pickChanged':
      return pickRefusal(state, action);
    case 'session/approvalRevoked':
      return state.approvals?.some(({ id, isRevocable }) => id === action.approvalId && isRevocable)
        ? undefined
        : refuse('unknownApproval');
    default:
      return undefined;
  }
}

/** Of two people who pick at the same time, the second learns who was first. */
function pickRefusal({ summary, picked: before }: SessionState, { picked }: PickChangedAction): Refusal | undefined {
  const members = severalOf(summary)?.members ?? [];
  if (members.length === 0) return refuse('notAmongSeveral');
  if (picked === undefined) return undefined;
  if (!members.some(({ session }) => session === picked)) return refuse('notAmongSeveral');
  return before && before.session !== picked ? refuse('alreadyPicked', before.by && { by: before.by }) : undefined;
}

function awayRefusal(place: string): Refusal {
  return refuse('machineAway', { detail: `${place}; read on, or fork the session to go on elsewhere` });
}

function creationRefusal({ creationError }: SessionState): Refusal {
  return refuse('creationFailed', creationError && { detail: creationError.message });
}

function confirmationRefusal(state: SessionState, action: ToolCallConfirmedAction): Refusal | undefined {
  const { turnId, toolCallId } = action;
  const active = state.activeTurn?.id === turnId ? state.activeTurn : undefined;
  const call = active
    ? ownValue(active.toolCalls, toolCallId)
    : state.turns.find((turn) => turn.id === turnId)?.toolCalls.find((ended) => ended.toolCallId === toolCallId);
  if (active && call?.status === 'pendingConfirmation') {
    const isEdited = action.editedToolInput !== undefined;
    if (isEdited && call.confirmation.editable !== true) return refuse('notEditable');
    return optionRefusal(action, call.confirmation.options);
  }
  const by = answerer(call);
  return refuse('notWaitingForConfirmation', by && { by });
}

function permissionRefusal(
  { state, answeredBy }: PreconditionContext,
  action: PermissionResolvedAction,
): Refusal | undefined {
  const turn = state.activeTurn?.id === action.turnId ? state.activeTurn : undefined;
  const request = turn && ownValue(turn.pendingPermissions, action.requestId);
  if (request) {
    const isFilled = action.values !== undefined || action.secrets !== undefined;
    if (isFilled && !request.form) return refuse('takesNoValues');
    if (action.text !== undefined && request.allowText !== true) return refuse('takesNoText');
    return optionRefusal(action, request.options) ?? (request.form && formRefusal(request.form, action));
  }
  const answered = answeredBy(action.requestId);
  if (!answered) return refuse('unknownPermissionRequest');
  return refuse('unknownPermissionRequest', answered.by ? { by: answered.by } : { detail: 'the host answered it' });
}

/** Whoever answers without showing the form is held to it too. */
function formRefusal(form: Form, action: PermissionResolvedAction): Refusal | undefined {
  const answer = formAnswerOf(form, action);
  const wrong = answer.outcome === 'answered' ? formProblem(form, answer) : undefined;
  return wrong && refuse('valueDoesNotFit', { field: wrong.field, detail: `${wrong.field}: ${wrong.problem}` });
}

/** An option that does not deny approves: the choices of a question have no kind. */
function optionRefusal(
  { approved, optionId }: ToolCallConfirmedAction | PermissionResolvedAction,
  options: readonly PermissionOption[] = [],
): Refusal | undefined {
  if (optionId === undefined) {
    const approving = options.filter(({ kind }) => kind !== 'deny');
    const isMissing = approved && options.length > 0 && approving.every(({ explicit }) => explicit === true);
    return isMissing ? refuse('optionNeeded') : undefined;
  }
  const chosen = options.filter(({ id }) => id === optionId);
  if (chosen.length === 0) return refuse('unknownOption');
  return chosen.some(({ kind }) => (kind !== 'deny') === approved) ? undefined : refuse('oppositeOption');
}

function answerer(call: ToolCallState | undefined): Author | undefined {
  if (!call || call.status === 'pendingConfirmation') return undefined;
  return call.confirmed?.by;
}

function pendingMessageRefusal(
  { state, isTurnIdUsed, wasSteered }: PreconditionContext,
  { id, kind }: PendingMessageSetAction,
): Refusal | undefined {
  const isPending = findPendingMessage(state, id) !== undefined;
  if (!isPending && (isTurnIdUsed(id) || wasSteered(id) || isSteeringPart(state, id)))
    return refuse('messageAlreadyInTurn');
  const { queuedMessages = [], steeringMessage } = state;
  if (queuedMessages.some((queued) => queued.id === id)) return undefined;
  // A steering message takes no room in the queue; a message that it displaces does.
  if (kind === 'steering' && (!steeringMessage || steeringMessage.id === id)) return undefined;
  const room = kind === 'queued' ? MAX_QUEUED_MESSAGES : MAX_QUEUED_MESSAGES + MAX_DISPLACED_MESSAGES;
  return queuedMessages.length >= room ? refuse('queueFull') : undefined;
}

/**
 * Rejects a message when the waiting ones take too many bytes of the state: they are in every snapshot. As with their number, a
 * steering message has as much room again, so that a full queue does not prevent steering.
 */
export function queueRefusal({ queuedMessages = [] }: SessionState, action: ClientAction): Refusal | undefined {
  if (action.type !== 'session/pendingMessageSet') return undefined;
  const others = queuedMessages.filter(({ id }) => id !== action.id);
  const bytes = others.reduce((sum, { userMessage }) => sum + jsonBytes(userMessage), jsonBytes(action.userMessage));
  const limit = action.kind === 'steering' ? 2 * MAX_QUEUE_BYTES : MAX_QUEUE_BYTES;
  return others.length > 0 && bytes > limit ? refuse('queueFull') : undefined;
}

function isSteeringPart({ activeTurn, turns }: SessionState, id: string): boolean {
  return [...turns, ...(activeTurn ? [activeTurn] : [])].some(({ responseParts }) =>
    responseParts.some((part) => part.kind === 'steering' && part.id === id),
  );
}
