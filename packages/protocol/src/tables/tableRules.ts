import { grantsTrust } from '../grantsTrust.js';
import { ROLES } from '../roles.js';
import type { Action, ClientAction } from '../types/actions.js';
import type { Role } from '../types/handshake.js';
import type { Commands } from '../types/methods.js';
import type { Notification } from '../types/notifications.js';
import { CHANGES_ACTION_TABLE, ROOT_ACTION_TABLE, SESSION_ACTION_TABLE } from './actionTable.js';
import { COMMAND_TABLE, NOTIFICATION_ROLES } from './commandTable.js';

const MAY: Readonly<Record<Role, string>> = {
  viewer: 'may only watch',
  approver: 'may answer questions, in up to 1,000 characters, and stop turns, but not more',
  driver: 'may work in sessions, but not administer the host',
  owner: 'may do everything',
};

/** A sentence for people. */
export function describeRole(role: Role): string {
  return `This device ${MAY[role]} (role ${role}).`;
}

/**
 * Whether a role may do everything that the other one may.
 *
 * @example
 * ```ts
 * roleIncludes('owner', 'viewer'); // true
 * ```
 */
export function roleIncludes(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** What an approver may write to the agent with an answer: words are a part of answering, a prompt of any length is not. */
const MAX_APPROVER_TEXT_LENGTH = 1_000;

/** The types of the actions that a client may dispatch. */
export const CLIENT_ACTION_TYPES = Object.keys(SESSION_ACTION_TABLE).filter(isClientDispatchable);

export function isClientDispatchable(type: string): type is ClientAction['type'] {
  return own(SESSION_ACTION_TABLE, type)?.role !== undefined;
}

/**
 * The least role for everything that a client can ask for; the owner's for what has no row. The host looks here before anything
 * else, and clients do so in order to offer nothing that would be refused.
 */
export function roleForMethod(method: string): Role {
  return own(COMMAND_TABLE, method)?.role ?? own(NOTIFICATION_ROLES, method) ?? 'owner';
}

/** Whether a client with a read-only link may send it, about the session of that link. It dispatches nothing. */
export function isAllowedByLink(method: string): boolean {
  return own(COMMAND_TABLE, method)?.byLink === true;
}

/** An action as it came from a client, well-formed or not. */
type SentAction = { readonly type: string; readonly [key: string]: unknown };

export function roleForAction(sent: ClientAction | SentAction): Role {
  const action = sent as SentAction;
  if (action.type === 'session/toolCallConfirmed') {
    const { approved, editedToolInput, reason } = action;
    // Another command than the one that was asked about is typed, not approved.
    if (editedToolInput !== undefined) return 'driver';
    if (reason !== undefined && (approved === true || isLong(reason))) return 'driver';
  }
  if (action.type === 'session/permissionResolved') {
    const { requestId, approved, optionId, text, values, secrets } = action;
    if (grantsTrust(requestId, approved, optionId)) return 'owner';
    if (text !== undefined && isLong(text)) return 'driver';
    if (textLength(values) + textLength(secrets) > MAX_APPROVER_TEXT_LENGTH) return 'driver';
  }
  return own(SESSION_ACTION_TABLE, action.type)?.role ?? 'owner';
}

/** How much a client of this role may write with an answer; `undefined` where only the usual limits hold. */
export function answerTextLimit(role: Role): number | undefined {
  return roleIncludes(role, 'driver') ? undefined : MAX_APPROVER_TEXT_LENGTH;
}

/** Of all texts in a form. Anything but an object has none: the host refuses it. */
function textLength(values: unknown): number {
  if (typeof values !== 'object' || values === null) return 0;
  const texts = Object.values(values).filter((value) => typeof value === 'string');
  return texts.reduce((sum, text) => sum + text.length, 0);
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

/** The version that brought each action. */
export const ACTION_INTRODUCED_IN = introducedIn<Action['type']>({
  ...ROOT_ACTION_TABLE,
  ...SESSION_ACTION_TABLE,
  ...CHANGES_ACTION_TABLE,
});

export const NOTIFICATION_INTRODUCED_IN: { readonly [K in Notification['type']]: number } = {
  'notify/sessionAdded': 1,
  'notify/sessionRemoved': 1,
  'notify/sessionSummaryChanged': 1,
  'notify/progress': 1,
  'notify/storageChanged': 2,
  'notify/loginOutput': 2,
  'notify/loginEnded': 2,
  'notify/terminalOutput': 2,
  'notify/terminalScreen': 2,
  'notify/terminalChanged': 2,
  'notify/terminalRemoved': 2,
  'notify/workChanged': 2,
};

/** A client looks here before it sends a command to an older host. */
export const COMMAND_INTRODUCED_IN = introducedIn<keyof Commands>(COMMAND_TABLE);

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

function introducedIn<K extends string>(table: Readonly<Record<K, { readonly since: number }>>) {
  const rows = Object.entries<{ readonly since: number }>(table);
  return Object.fromEntries(rows.map(([name, { since }]) => [name, since])) as { readonly [N in K]: number };
}
