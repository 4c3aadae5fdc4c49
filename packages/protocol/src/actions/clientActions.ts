import type { Action } from './envelope.js';
import type {
  CustomizationToggledAction,
  IsArchivedChangedAction,
  IsReadChangedAction,
  ModelChangedAction,
  PendingMessageRemovedAction,
  PendingMessageSetAction,
  PermissionResolvedAction,
  QueuedMessagesReorderedAction,
  TitleChangedAction,
  ToolCallConfirmedAction,
  TurnCancelledAction,
  TurnStartedAction,
} from './sessionActions.js';

/** The actions that a client may dispatch. */
export type ClientAction =
  | TurnStartedAction
  | ToolCallConfirmedAction
  | PermissionResolvedAction
  | TurnCancelledAction
  | TitleChangedAction
  | ModelChangedAction
  | IsReadChangedAction
  | IsArchivedChangedAction
  | PendingMessageSetAction
  | PendingMessageRemovedAction
  | QueuedMessagesReorderedAction
  | CustomizationToggledAction;

/** Exhaustive, and checked against `ClientAction`: a new action must say. */
const CLIENT_MAY_DISPATCH: { readonly [K in Action['type']]: K extends ClientAction['type'] ? true : false } = {
  'root/agentsChanged': false,
  'session/ready': false,
  'session/creationFailed': false,
  'session/turnStarted': true,
  'session/delta': false,
  'session/responsePart': false,
  'session/reasoning': false,
  'session/toolStart': false,
  'session/toolUpdate': false,
  'session/toolCallConfirmed': true,
  'session/toolComplete': false,
  'session/permissionRequest': false,
  'session/permissionResolved': true,
  'session/turnComplete': false,
  'session/turnCancelled': true,
  'session/error': false,
  'session/titleChanged': true,
  'session/usage': false,
  'session/modelChanged': true,
  'session/modeChanged': false,
  'session/isReadChanged': true,
  'session/isArchivedChanged': true,
  'session/activityChanged': false,
  'session/changesChanged': false,
  'session/clientsChanged': false,
  'session/metadataChanged': false,
  'session/pendingMessageSet': true,
  'session/pendingMessageRemoved': true,
  'session/queuedMessagesReordered': true,
  'session/customizationsChanged': false,
  'session/customizationToggled': true,
};

/** All types of `ClientAction`. */
export const CLIENT_ACTION_TYPES = Object.keys(CLIENT_MAY_DISPATCH).filter(isClientDispatchable);

export function isClientDispatchable(type: string): type is ClientAction['type'] {
  return Object.hasOwn(CLIENT_MAY_DISPATCH, type) && CLIENT_MAY_DISPATCH[type as Action['type']];
}
