import type { CustomizationsChangedAction, SessionAction } from '../actions/sessionActions.js';
import { isSafeKey } from '../safeKey.js';
import { sameValue } from '../sameValue.js';
import type { SessionState } from '../state/sessionState.js';
import { created, failCreation } from './creation.js';
import { removePendingMessage, reorderQueue, setPendingMessage } from './pendingMessages.js';
import { changeSummary, changeTitle } from './summary.js';
import { completeToolCall, confirmToolCall, startToolCall, updateToolCall } from './toolCalls.js';
import { addPart, appendToPart, askPermission, endTurn, resolvePermission, startTurn } from './turns.js';

/**
 * Contract: pure; never throws; never changes its input; an action that does not apply returns the same reference, so
 * does one for another session or of an unknown type. The host and every client run this same code.
 *
 * @example
 * ```ts
 * const session = sessionUri('shell', 's1');
 * let state = createSessionState({ resource: session, provider: 'shell', createdAt: Date.now() });
 * state = sessionReducer(state, { type: 'session/ready', session, at: Date.now() });
 * ```
 */
export function sessionReducer(state: SessionState, action: SessionAction): SessionState {
  if (action.session !== state.summary.resource) return state;
  switch (action.type) {
    case 'session/ready':
      return state.lifecycle === 'creating' ? created({ ...state, lifecycle: 'ready' }) : state;
    case 'session/creationFailed':
      return failCreation(state, action);
    case 'session/turnStarted':
      return startTurn(state, action);
    case 'session/titleChanged':
      return changeTitle(state, action);
    case 'session/modelChanged':
      return changeSummary(state, { model: action.model });
    case 'session/modeChanged':
      return changeSummary(state, { mode: action.mode });
    case 'session/isReadChanged':
      return changeSummary(state, { isRead: action.isRead });
    case 'session/isArchivedChanged':
      return changeSummary(state, { isArchived: action.isArchived });
    case 'session/activityChanged':
      return changeSummary(state, { activity: action.activity });
    case 'session/changesChanged':
      return changeSummary(state, { changes: action.changes.length > 0 ? action.changes : undefined });
    case 'session/metadataChanged':
      return changeMetadata(state, action.metadata);
    case 'session/clientsChanged':
      return changeList(state, 'clients', action.clients);
    case 'session/customizationsChanged':
      return changeCustomizations(state, action);
    case 'session/customizationToggled':
      return toggleCustomization(state, action.uri, action.enabled);
    case 'session/pendingMessageSet':
      return setPendingMessage(state, action);
    case 'session/pendingMessageRemoved':
      return removePendingMessage(state, action);
    case 'session/queuedMessagesReordered':
      return reorderQueue(state, action);
    default:
      return turnReducer(state, action);
  }
}

type TurnAction = Exclude<
  Extract<SessionAction, { readonly turnId: string }>,
  { readonly type: 'session/turnStarted' }
>;

/** What belongs to the running turn: for any other turn it comes too late and changes nothing. */
function turnReducer(state: SessionState, action: TurnAction): SessionState {
  const turn = state.activeTurn;
  if (!turn || turn.id !== action.turnId) return state;
  switch (action.type) {
    case 'session/delta':
      return appendToPart(state, turn, 'markdown', action);
    case 'session/reasoning':
      return appendToPart(state, turn, 'reasoning', action);
    case 'session/responsePart':
      return addPart(state, turn, action);
    case 'session/toolStart':
      return startToolCall(state, turn, action);
    case 'session/toolUpdate':
      return updateToolCall(state, turn, action);
    case 'session/toolCallConfirmed':
      return confirmToolCall(state, turn, action);
    case 'session/toolComplete':
      return completeToolCall(state, turn, action);
    case 'session/permissionRequest':
      return askPermission(state, turn, action);
    case 'session/permissionResolved':
      return resolvePermission(state, turn, action);
    case 'session/usage':
      return { ...state, activeTurn: { ...turn, usage: action.usage } };
    case 'session/turnComplete':
    case 'session/turnCancelled':
    case 'session/error':
      return endTurn(state, turn, action);
    default:
      action satisfies never;
      return state;
  }
}

function changeMetadata(state: SessionState, change: Readonly<Record<string, unknown>>): SessionState {
  const metadata: Record<string, unknown> = { ...state.summary.metadata };
  let changed = false;
  for (const [key, value] of Object.entries(change)) {
    if (!isSafeKey(key)) continue;
    if (value === null ? !Object.hasOwn(metadata, key) : sameValue(metadata[key], value)) continue;
    changed = true;
    if (value === null) delete metadata[key];
    else metadata[key] = value;
  }
  if (!changed) return state;
  return changeSummary(state, { metadata: Object.keys(metadata).length > 0 ? metadata : undefined });
}

/** Replaces a list; an empty one removes the field. */
function changeList<K extends 'clients' | 'customizations' | 'commands'>(
  state: SessionState,
  key: K,
  list: NonNullable<SessionState[K]>,
): SessionState {
  if (list.length > 0) return { ...state, [key]: list };
  if (!state[key]) return state;
  const { [key]: _, ...rest } = state;
  return rest as SessionState;
}

function changeCustomizations(state: SessionState, action: CustomizationsChangedAction): SessionState {
  const { customizations, commands } = action;
  const changed = changeList(state, 'customizations', customizations);
  return commands ? changeList(changed, 'commands', commands) : changed;
}

function toggleCustomization(state: SessionState, uri: string, enabled: boolean): SessionState {
  const list = state.customizations ?? [];
  const index = list.findIndex((entry) => entry.customization.uri === uri);
  const entry = list[index];
  if (!entry || entry.enabled === enabled) return state;
  return { ...state, customizations: list.with(index, { ...entry, enabled }) };
}
