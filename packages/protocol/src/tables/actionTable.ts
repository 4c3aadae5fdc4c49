import { removeComment, resolveComment, setComment } from '../reducers/comments.js';
import { created, failCreation } from '../reducers/creation.js';
import { changeCustomizations, changeList, revokeApproval, toggleCustomization } from '../reducers/lists.js';
import { removePendingMessage, reorderQueue, setPendingMessage } from '../reducers/pendingMessages.js';
import { changeMode, changeSettings, chooseSetting } from '../reducers/settings.js';
import { changePick, changeTests } from '../reducers/several.js';
import { changeMetadata, changeSummary, changeTitle } from '../reducers/summary.js';
import { completeToolCall, confirmToolCall, inputGiven, startToolCall, updateToolCall } from '../reducers/toolCalls.js';
import { truncateTurns } from '../reducers/truncation.js';
import { addPart, appendToPart, askPermission, endTurn, resolvePermission, startTurn } from '../reducers/turns.js';
import type { Action, ChangesAction, ClientAction, RootAction, SessionAction } from '../types/actions.js';
import type { Role } from '../types/handshake.js';
import type { RootState } from '../types/rootState.js';
import type { SessionState } from '../types/sessionState.js';
import type { ActiveTurn } from '../types/turns.js';
import type { ChangesState } from '../types/work.js';

/** What the protocol does with an action; what it carries is its entry in `schemas/actionSchemas.ts`. */
interface ActionRow<State, A extends Action> {
  /** The version that brought it. The host does not send it to older clients. */
  readonly since: number;
  /** The least role that may dispatch it; `undefined` for an action of the host. `roleForAction` looks closer at some. */
  readonly role: A extends ClientAction ? Role : undefined;
  /** Pure. Returns the same state if the action does not apply. */
  readonly reduce: (state: State, action: A) => State;
}

type ActionRows<State, A extends Action> = {
  readonly [T in A['type']]: ActionRow<State, Extract<A, { readonly type: T }>>;
};

const HOST = undefined;

export const ROOT_ACTION_TABLE: ActionRows<RootState, RootAction> = {
  'root/agentsChanged': { since: 1, role: HOST, reduce: (state, { agents }) => ({ ...state, agents }) },
};

export const CHANGES_ACTION_TABLE: ActionRows<ChangesState, ChangesAction> = {
  'changes/changed': { since: 2, role: HOST, reduce: (_, { state }) => state },
};

export const SESSION_ACTION_TABLE: ActionRows<SessionState, SessionAction> = {
  'session/ready': {
    since: 1,
    role: HOST,
    reduce: (state) => (state.lifecycle === 'creating' ? created({ ...state, lifecycle: 'ready' }) : state),
  },
  'session/creationFailed': { since: 1, role: HOST, reduce: failCreation },
  'session/turnStarted': { since: 1, role: 'driver', reduce: startTurn },
  'session/delta': {
    since: 1,
    role: HOST,
    reduce: inTurn((state, turn, action) => appendToPart(state, turn, 'markdown', action)),
  },
  'session/responsePart': { since: 1, role: HOST, reduce: inTurn(addPart) },
  'session/reasoning': {
    since: 1,
    role: HOST,
    reduce: inTurn((state, turn, action) => appendToPart(state, turn, 'reasoning', action)),
  },
  'session/toolStart': { since: 1, role: HOST, reduce: inTurn(startToolCall) },
  'session/toolUpdate': { since: 1, role: HOST, reduce: inTurn(updateToolCall) },
  'session/toolCallConfirmed': { since: 1, role: 'approver', reduce: inTurn(confirmToolCall) },
  'session/toolComplete': { since: 1, role: HOST, reduce: inTurn(completeToolCall) },
  'session/permissionRequest': { since: 1, role: HOST, reduce: inTurn(askPermission) },
  'session/permissionResolved': { since: 1, role: 'approver', reduce: inTurn(resolvePermission) },
  'session/turnComplete': { since: 1, role: HOST, reduce: inTurn(endTurn) },
  'session/turnCancelled': { since: 1, role: 'approver', reduce: inTurn(endTurn) },
  'session/error': { since: 1, role: HOST, reduce: inTurn(endTurn) },
  'session/truncated': { since: 2, role: HOST, reduce: truncateTurns },
  'session/titleChanged': { since: 1, role: 'driver', reduce: changeTitle },
  'session/usage': {
    since: 1,
    role: HOST,
    reduce: inTurn((state, turn, { usage }) => ({ ...state, activeTurn: { ...turn, usage } })),
  },
  'session/modelChanged': { since: 1, role: 'driver', reduce: (state, { model }) => changeSummary(state, { model }) },
  'session/modeChanged': { since: 2, role: HOST, reduce: changeMode },
  'session/settingsChanged': { since: 2, role: HOST, reduce: changeSettings },
  'session/settingChosen': { since: 2, role: 'driver', reduce: chooseSetting },
  'session/isReadChanged': {
    since: 1,
    role: 'approver',
    reduce: (state, { isRead }) => changeSummary(state, { isRead }),
  },
  'session/isArchivedChanged': {
    since: 1,
    role: 'driver',
    reduce: (state, { isArchived }) => changeSummary(state, { isArchived }),
  },
  'session/activityChanged': {
    since: 1,
    role: HOST,
    reduce: (state, { activity }) => changeSummary(state, { activity }),
  },
  'session/changesChanged': {
    since: 1,
    role: HOST,
    reduce: (state, { changes }) => changeSummary(state, { changes: changes.length > 0 ? changes : undefined }),
  },
  'session/clientsChanged': {
    since: 1,
    role: HOST,
    reduce: (state, { clients }) => changeList(state, 'clients', clients),
  },
  'session/clientToolsChanged': {
    since: 2,
    role: HOST,
    reduce: (state, { clientTools }) => changeList(state, 'clientTools', clientTools),
  },
  'session/approvalsChanged': {
    since: 2,
    role: HOST,
    reduce: (state, { approvals }) => changeList(state, 'approvals', approvals),
  },
  'session/toolInput': { since: 2, role: 'driver', reduce: inTurn(inputGiven) },
  // Whoever may allow something may also end that.
  'session/approvalRevoked': { since: 2, role: 'approver', reduce: revokeApproval },
  // Words for the agent, which it gets when a driver sends them.
  'session/commentSet': { since: 2, role: 'approver', reduce: setComment },
  'session/commentRemoved': { since: 2, role: 'approver', reduce: removeComment },
  'session/commentResolved': { since: 2, role: 'approver', reduce: resolveComment },
  'session/pickChanged': { since: 2, role: 'driver', reduce: changePick },
  'session/testsChanged': { since: 2, role: HOST, reduce: changeTests },
  'session/metadataChanged': { since: 1, role: HOST, reduce: changeMetadata },
  'session/pendingMessageSet': { since: 1, role: 'driver', reduce: setPendingMessage },
  'session/pendingMessageRemoved': { since: 1, role: 'driver', reduce: removePendingMessage },
  'session/queuedMessagesReordered': { since: 1, role: 'driver', reduce: reorderQueue },
  'session/customizationsChanged': { since: 1, role: HOST, reduce: changeCustomizations },
  'session/customizationToggled': { since: 1, role: 'driver', reduce: toggleCustomization },
};

/** For an action of the running turn; for any other turn it comes too late and changes nothing. */
function inTurn<A extends { readonly turnId: string }>(
  reduce: (state: SessionState, turn: ActiveTurn, action: A) => SessionState,
): (state: SessionState, action: A) => SessionState {
  return (state, action) => {
    const turn = state.activeTurn;
    return turn?.id === action.turnId ? reduce(state, turn, action) : state;
  };
}
