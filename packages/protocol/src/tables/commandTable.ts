import type { Role } from '../types/handshake.js';
import type { ClientNotifications, Commands } from '../types/methods.js';

interface CommandRow {
  readonly since: number;
  readonly role: Role;
  /** Also for a client with a read-only link, about the session of the link. Nothing else is. */
  readonly byLink?: true;
}

/** Since which version a command exists, and the least role that may send it. Its params and result: `COMMAND_SCHEMAS`. */
export const COMMAND_TABLE: { readonly [M in keyof Commands]: CommandRow } = {
  initialize: { since: 1, role: 'viewer', byLink: true },
  reconnect: { since: 1, role: 'viewer', byLink: true },
  subscribe: { since: 1, role: 'viewer', byLink: true },
  createSession: { since: 1, role: 'driver' },
  forkSession: { since: 1, role: 'driver' },
  importSession: { since: 1, role: 'driver' },
  disposeSession: { since: 1, role: 'driver' },
  listSessions: { since: 1, role: 'viewer' },
  fetchTurns: { since: 1, role: 'viewer', byLink: true },
  fetchParts: { since: 2, role: 'viewer', byLink: true },
  // The actions that a subscriber gets, and nothing else.
  fetchEvents: { since: 2, role: 'viewer', byLink: true },
  fetchContent: { since: 1, role: 'viewer', byLink: true },
  listArtifacts: { since: 1, role: 'viewer', byLink: true },
  // Folders of the whole machine, not of a session.
  browseDirectory: { since: 1, role: 'driver' },
  installAgent: { since: 1, role: 'owner' },
  removeAgent: { since: 1, role: 'owner' },
  listDevices: { since: 2, role: 'owner' },
  addDevice: { since: 2, role: 'owner' },
  updateDevice: { since: 2, role: 'owner' },
  // It names devices, addresses and people.
  fetchAudit: { since: 2, role: 'owner' },
  removeDevice: { since: 2, role: 'owner' },
  createPairing: { since: 2, role: 'owner' },
  fetchPairing: { since: 2, role: 'owner' },
  removePairing: { since: 2, role: 'owner' },
  // It has the host send what happens in sessions to an address of the caller's choice.
  listWebhooks: { since: 2, role: 'owner' },
  addWebhook: { since: 2, role: 'owner' },
  removeWebhook: { since: 2, role: 'owner' },
  enableWebhook: { since: 2, role: 'owner' },
  testWebhook: { since: 2, role: 'owner' },
  // Lets somebody in, who stays in when the device that did it is revoked.
  shareSession: { since: 2, role: 'owner' },
  updateAgent: { since: 2, role: 'owner' },
  cancelInstall: { since: 2, role: 'owner' },
  // Log-ins are credentials of the user who runs the host, and their program runs without an approval.
  beginLogin: { since: 2, role: 'owner' },
  sendToLogin: { since: 2, role: 'owner' },
  endLogin: { since: 2, role: 'owner' },
  checkLogin: { since: 2, role: 'owner' },
  setAgentKey: { since: 2, role: 'owner' },
  logOutAgent: { since: 2, role: 'owner' },
  // Conversations of the user who runs the host, which belong to no space and no device.
  listNativeSessions: { since: 2, role: 'owner' },
  fetchNativeTurns: { since: 2, role: 'owner' },
  continueNativeSession: { since: 2, role: 'owner' },
  // What a tool answers is what the agent goes by.
  setClientTools: { since: 2, role: 'driver' },
  // Whoever types runs programs as the host's user, without an approval. A read-only link shows no terminal.
  createTerminal: { since: 2, role: 'driver' },
  listTerminals: { since: 2, role: 'viewer' },
  attachTerminal: { since: 2, role: 'viewer' },
  confirmTerminal: { since: 2, role: 'viewer' },
  detachTerminal: { since: 2, role: 'viewer' },
  sendToTerminal: { since: 2, role: 'driver' },
  closeTerminal: { since: 2, role: 'driver' },
  // What has changed in the folder is what a session is about; the files that did not change are not shown. A link shows neither.
  listChanges: { since: 2, role: 'viewer' },
  fetchDiff: { since: 2, role: 'viewer' },
  fetchVersion: { since: 2, role: 'viewer' },
  restoreFiles: { since: 2, role: 'driver' },
  // A look ahead writes objects, and is for those who may merge.
  commitChanges: { since: 2, role: 'driver' },
  previewMerge: { since: 2, role: 'driver' },
  mergeChanges: { since: 2, role: 'driver' },
  pushChanges: { since: 2, role: 'driver' },
  pullRequest: { since: 2, role: 'driver' },
  fetchChanges: { since: 2, role: 'viewer' },
  revertChanges: { since: 2, role: 'driver' },
  rewindSession: { since: 2, role: 'driver' },
  // It runs what the repository says, as the user of the host.
  fetchTestCommand: { since: 2, role: 'driver' },
  runTests: { since: 2, role: 'driver' },
  stopTests: { since: 2, role: 'driver' },
  // Any file of the folder, also one that holds a secret.
  listFolder: { since: 2, role: 'driver' },
  readFile: { since: 2, role: 'driver' },
  findFiles: { since: 2, role: 'driver' },
  checkFiles: { since: 2, role: 'driver' },
  'sessionFs.setProvider': { since: 1, role: 'owner' },
  // What a device gets depends on its role each time that something is pushed.
  fetchPushKey: { since: 2, role: 'viewer' },
  setPushSubscription: { since: 2, role: 'viewer' },
  removePushSubscription: { since: 2, role: 'viewer' },
  lookAt: { since: 2, role: 'viewer' },
  ping: { since: 1, role: 'viewer', byLink: true },
};

/** The least role for a client's notification. Each action that is dispatched has a role of its own. */
export const NOTIFICATION_ROLES: { readonly [M in keyof ClientNotifications]: Role } = {
  unsubscribe: 'viewer',
  dispatchAction: 'viewer',
};
