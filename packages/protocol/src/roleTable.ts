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

/** What an approver may write to the agent with an answer: words are a part of answering, a prompt of any length is not. */
const MAX_APPROVER_TEXT_LENGTH = 1_000;

const ACTIONS: { readonly [T in ClientAction['type']]: Role } = {
  // With the reason of a denial, or an answer in words, of up to 1,000 characters; `roleForAction` leaves more to a driver.
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
  if (action.type === 'session/toolCallConfirmed') {
    const { approved, editedToolInput, reason } = action;
    // Another command than the one that was asked about is typed, not approved.
    if (editedToolInput !== undefined) return 'driver';
    if (reason !== undefined && (approved === true || isLong(reason))) return 'driver';
  }
  if (action.type === 'session/permissionResolved') {
    const { requestId, approved, optionId, text } = action;
    if (grantsTrust(requestId, approved, optionId)) return 'owner';
    if (text !== undefined && isLong(text)) return 'driver';
  }
  return own(ACTIONS, action.type) ?? 'owner';
}

/** How much a client of this role may write with an answer; `undefined` where only the usual limits hold. */
export function answerTextLimit(role: Role): number | undefined {
  return roleIncludes(role, 'driver') ? undefined : MAX_APPROVER_TEXT_LENGTH;
}

function isLong(text: unknown): boolean {
  return typeof text !== 'string' || text.length > MAX_APPROVER_TEXT_LENGTH;
}

/** Why this role may not, or `undefined` when it may. */
export function roleRefusal(role: Role, needs: Role): string | undefined {
  if (roleIncludes(role, needs)) return undefined;
  return `${describeRole(role)} Ask the owner of the host for a token with the role ${needs}.`;
}

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
