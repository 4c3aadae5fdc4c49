import type { ClientAction } from './actions/clientActions.js';
import type { ClientNotifications, Commands } from './commands/commands.js';
import { grantsTrust } from './grantsTrust.js';
import { describeRole, type Role, roleIncludes } from './roles.js';

/**
 * The least role for everything that a client can ask for. A test walks through the protocol: what has no row here is for the
 * owner alone. The host asks it before anything else; clients, so that they offer nothing that would be refused.
 */
const METHODS: { readonly [M in keyof Commands | keyof ClientNotifications]: Role } = {
  ping: 'viewer',
  initialize: 'viewer',
  reconnect: 'viewer',
  subscribe: 'viewer',
  unsubscribe: 'viewer',
  listSessions: 'viewer',
  fetchTurns: 'viewer',
  fetchParts: 'viewer',
  fetchContent: 'viewer',
  listArtifacts: 'viewer',
  // Each of its actions has a row of its own.
  dispatchAction: 'viewer',
  createSession: 'driver',
  forkSession: 'driver',
  importSession: 'driver',
  disposeSession: 'driver',
  // Folders of the whole machine, not of a session.
  browseDirectory: 'driver',
  installAgent: 'owner',
  removeAgent: 'owner',
  'sessionFs.setProvider': 'owner',
};

const ACTIONS: { readonly [T in ClientAction['type']]: Role } = {
  'session/toolCallConfirmed': 'approver',
  'session/permissionResolved': 'approver',
  'session/turnCancelled': 'approver',
  'session/isReadChanged': 'approver',
  'session/turnStarted': 'driver',
  'session/pendingMessageSet': 'driver',
  'session/pendingMessageRemoved': 'driver',
  'session/queuedMessagesReordered': 'driver',
  'session/titleChanged': 'driver',
  'session/modelChanged': 'driver',
  'session/isArchivedChanged': 'driver',
  'session/customizationToggled': 'driver',
};

export function roleForMethod(method: string): Role {
  return own(METHODS, method) ?? 'owner';
}

export function roleForAction(action: { readonly type: string; readonly [key: string]: unknown }): Role {
  // Another command than the one that was asked about is typed, not approved.
  if (action.type === 'session/toolCallConfirmed' && action['editedToolInput'] !== undefined) return 'driver';
  if (action.type === 'session/permissionResolved') {
    const { requestId, approved, optionId } = action;
    if (grantsTrust(requestId, approved, optionId)) return 'owner';
  }
  return own(ACTIONS, action.type) ?? 'owner';
}

/** Why this role may not, or `undefined` when it may. */
export function roleRefusal(role: Role, needs: Role): string | undefined {
  if (roleIncludes(role, needs)) return undefined;
  return `${describeRole(role)} Ask the owner of the host for a token with the role ${needs}.`;
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
