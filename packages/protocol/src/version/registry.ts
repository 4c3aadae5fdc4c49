import { ROOT_ACTION_TABLE, SESSION_ACTION_TABLE } from '../tables/actionTable.js';
import { COMMAND_TABLE } from '../tables/commandTable.js';
import type { Action } from '../types/actions.js';
import type { Commands } from '../types/methods.js';
import type { Notification } from '../types/notifications.js';

/** The version that brought each action. */
export const ACTION_INTRODUCED_IN = introducedIn<Action['type']>({ ...ROOT_ACTION_TABLE, ...SESSION_ACTION_TABLE });

export const NOTIFICATION_INTRODUCED_IN: { readonly [K in Notification['type']]: number } = {
  'notify/sessionAdded': 1,
  'notify/sessionRemoved': 1,
  'notify/sessionSummaryChanged': 1,
  'notify/progress': 1,
  'notify/storageChanged': 2,
  'notify/loginOutput': 2,
  'notify/loginEnded': 2,
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
