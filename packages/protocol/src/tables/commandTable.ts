import type { Role } from '../types/handshake.js';
import type { ClientNotifications, Commands } from '../types/methods.js';

/** Since which version a command exists, and the least role that may send it. Its params and result: `COMMAND_SCHEMAS`. */
export const COMMAND_TABLE: { readonly [M in keyof Commands]: { readonly since: number; readonly role: Role } } = {
  initialize: { since: 1, role: 'viewer' },
  reconnect: { since: 1, role: 'viewer' },
  subscribe: { since: 1, role: 'viewer' },
  createSession: { since: 1, role: 'driver' },
  forkSession: { since: 1, role: 'driver' },
  importSession: { since: 1, role: 'driver' },
  disposeSession: { since: 1, role: 'driver' },
  listSessions: { since: 1, role: 'viewer' },
  fetchTurns: { since: 1, role: 'viewer' },
  fetchParts: { since: 2, role: 'viewer' },
  fetchContent: { since: 1, role: 'viewer' },
  listArtifacts: { since: 1, role: 'viewer' },
  // Folders of the whole machine, not of a session.
  browseDirectory: { since: 1, role: 'driver' },
  installAgent: { since: 1, role: 'owner' },
  removeAgent: { since: 1, role: 'owner' },
  'sessionFs.setProvider': { since: 1, role: 'owner' },
  ping: { since: 1, role: 'viewer' },
};

/** The least role for a client's notification. Each action that is dispatched has a role of its own. */
export const NOTIFICATION_ROLES: { readonly [M in keyof ClientNotifications]: Role } = {
  unsubscribe: 'viewer',
  dispatchAction: 'viewer',
};
