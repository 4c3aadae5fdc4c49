import type { Action } from '../actions/envelope.js';
import type { Commands } from '../commands/commands.js';
import type { Notification } from '../notifications.js';

/** The version that brought each action. Exhaustive: an action without an entry does not compile. */
export const ACTION_INTRODUCED_IN: { readonly [K in Action['type']]: number } = {
  'root/agentsChanged': 1,
  'session/ready': 1,
  'session/creationFailed': 1,
  'session/turnStarted': 1,
  'session/delta': 1,
  'session/responsePart': 1,
  'session/reasoning': 1,
  'session/toolStart': 1,
  'session/toolUpdate': 1,
  'session/toolCallConfirmed': 1,
  'session/toolComplete': 1,
  'session/permissionRequest': 1,
  'session/permissionResolved': 1,
  'session/turnComplete': 1,
  'session/turnCancelled': 1,
  'session/error': 1,
  'session/titleChanged': 1,
  'session/usage': 1,
  'session/modelChanged': 1,
  'session/modeChanged': 2,
  'session/isReadChanged': 1,
  'session/isArchivedChanged': 1,
  'session/activityChanged': 1,
  'session/changesChanged': 1,
  'session/clientsChanged': 1,
  'session/metadataChanged': 1,
  'session/pendingMessageSet': 1,
  'session/pendingMessageRemoved': 1,
  'session/queuedMessagesReordered': 1,
  'session/customizationsChanged': 1,
  'session/customizationToggled': 1,
};

export const NOTIFICATION_INTRODUCED_IN: { readonly [K in Notification['type']]: number } = {
  'notify/sessionAdded': 1,
  'notify/sessionRemoved': 1,
  'notify/sessionSummaryChanged': 1,
  'notify/progress': 1,
  'notify/storageChanged': 2,
};

/** A client looks here before it sends a command to an older host. */
export const COMMAND_INTRODUCED_IN: { readonly [K in keyof Commands]: number } = {
  initialize: 1,
  reconnect: 1,
  subscribe: 1,
  createSession: 1,
  forkSession: 1,
  importSession: 1,
  disposeSession: 1,
  listSessions: 1,
  fetchTurns: 1,
  fetchParts: 2,
  fetchContent: 1,
  listArtifacts: 1,
  browseDirectory: 1,
  installAgent: 1,
  removeAgent: 1,
  'sessionFs.setProvider': 1,
  ping: 1,
};

/** What the host sends to a client of that version. */
export function isActionKnownToVersion(action: Pick<Action, 'type'>, version: number): boolean {
  return isKnown(ACTION_INTRODUCED_IN, action.type, version);
}

export function isNotificationKnownToVersion(notification: Pick<Notification, 'type'>, version: number): boolean {
  return isKnown(NOTIFICATION_INTRODUCED_IN, notification.type, version);
}

export function isCommandKnownToVersion(method: keyof Commands, version: number): boolean {
  return isKnown(COMMAND_INTRODUCED_IN, method, version);
}

function isKnown(introducedIn: Readonly<Record<string, number>>, name: string, version: number): boolean {
  const introduced = Object.hasOwn(introducedIn, name) ? introducedIn[name] : undefined;
  return introduced !== undefined && introduced <= version;
}
