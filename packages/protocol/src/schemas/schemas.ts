import * as z from 'zod';
import type {
  ClientNotifications,
  ClientToolRequests,
  Commands,
  HostNotifications,
  SessionFsRequests,
} from '../types/methods.js';
import type { WireTypes } from '../types/wireTypes.js';
import { SCHEMA_MODULES } from './modules.js';
import { clientSeq } from './primitives.js';

/** The schema of every wire type, by the type's name. */
export const SCHEMAS = Object.assign({}, ...Object.values(SCHEMA_MODULES)) as {
  readonly [K in keyof WireTypes]: z.ZodType<WireTypes[K]>;
};

const nothing = z.null();

export const COMMAND_SCHEMAS: RequestSchemas<Commands> = {
  initialize: { params: SCHEMAS.InitializeParams, result: SCHEMAS.InitializeResult },
  reconnect: { params: SCHEMAS.ReconnectParams, result: SCHEMAS.ReconnectResult },
  subscribe: { params: SCHEMAS.SubscribeParams, result: SCHEMAS.Snapshot },
  createSession: { params: SCHEMAS.CreateSessionParams, result: nothing },
  forkSession: { params: SCHEMAS.ForkSessionParams, result: nothing },
  importSession: { params: SCHEMAS.ImportSessionParams, result: nothing },
  disposeSession: { params: SCHEMAS.DisposeSessionParams, result: nothing },
  listSessions: { params: SCHEMAS.ListSessionsParams, result: SCHEMAS.ListSessionsResult },
  fetchTurns: { params: SCHEMAS.FetchTurnsParams, result: SCHEMAS.FetchTurnsResult },
  fetchParts: { params: SCHEMAS.FetchPartsParams, result: SCHEMAS.FetchPartsResult },
  fetchEvents: { params: SCHEMAS.FetchEventsParams, result: SCHEMAS.FetchEventsResult },
  fetchAudit: { params: SCHEMAS.FetchAuditParams, result: SCHEMAS.FetchAuditResult },
  fetchContent: { params: SCHEMAS.FetchContentParams, result: SCHEMAS.FetchContentResult },
  listArtifacts: { params: SCHEMAS.ListArtifactsParams, result: SCHEMAS.ListArtifactsResult },
  browseDirectory: { params: SCHEMAS.BrowseDirectoryParams, result: SCHEMAS.BrowseDirectoryResult },
  installAgent: { params: SCHEMAS.AgentParams, result: nothing },
  removeAgent: { params: SCHEMAS.AgentParams, result: nothing },
  listDevices: { params: SCHEMAS.ListDevicesParams, result: SCHEMAS.ListDevicesResult },
  addDevice: { params: SCHEMAS.AddDeviceParams, result: SCHEMAS.AddDeviceResult },
  updateDevice: { params: SCHEMAS.UpdateDeviceParams, result: nothing },
  removeDevice: { params: SCHEMAS.RemoveDeviceParams, result: nothing },
  createPairing: { params: SCHEMAS.CreatePairingParams, result: SCHEMAS.CreatePairingResult },
  fetchPairing: { params: SCHEMAS.PairingParams, result: SCHEMAS.FetchPairingResult },
  removePairing: { params: SCHEMAS.PairingParams, result: nothing },
  listWebhooks: { params: SCHEMAS.ListWebhooksParams, result: SCHEMAS.ListWebhooksResult },
  addWebhook: { params: SCHEMAS.AddWebhookParams, result: SCHEMAS.AddWebhookResult },
  removeWebhook: { params: SCHEMAS.WebhookParams, result: nothing },
  enableWebhook: { params: SCHEMAS.WebhookParams, result: nothing },
  testWebhook: { params: SCHEMAS.WebhookParams, result: SCHEMAS.TestWebhookResult },
  shareSession: { params: SCHEMAS.ShareSessionParams, result: SCHEMAS.ShareSessionResult },
  updateAgent: { params: SCHEMAS.AgentParams, result: nothing },
  cancelInstall: { params: SCHEMAS.AgentParams, result: nothing },
  beginLogin: { params: SCHEMAS.BeginLoginParams, result: SCHEMAS.BeginLoginResult },
  sendToLogin: { params: SCHEMAS.SendToLoginParams, result: nothing },
  endLogin: { params: SCHEMAS.EndLoginParams, result: nothing },
  checkLogin: { params: SCHEMAS.AgentParams, result: SCHEMAS.CheckLoginResult },
  setAgentKey: { params: SCHEMAS.SetAgentKeyParams, result: SCHEMAS.SetAgentKeyResult },
  logOutAgent: { params: SCHEMAS.AgentParams, result: nothing },
  listNativeSessions: { params: SCHEMAS.ListNativeSessionsParams, result: SCHEMAS.ListNativeSessionsResult },
  fetchNativeTurns: { params: SCHEMAS.FetchNativeTurnsParams, result: SCHEMAS.FetchTurnsResult },
  continueNativeSession: { params: SCHEMAS.ContinueNativeSessionParams, result: nothing },
  setClientTools: { params: SCHEMAS.SetClientToolsParams, result: nothing },
  createTerminal: { params: SCHEMAS.CreateTerminalParams, result: SCHEMAS.SharedTerminal },
  listTerminals: { params: SCHEMAS.ListTerminalsParams, result: SCHEMAS.ListTerminalsResult },
  attachTerminal: { params: SCHEMAS.TerminalParams, result: SCHEMAS.TerminalScreen },
  confirmTerminal: { params: SCHEMAS.ConfirmTerminalParams, result: nothing },
  detachTerminal: { params: SCHEMAS.TerminalParams, result: nothing },
  sendToTerminal: { params: SCHEMAS.SendToTerminalParams, result: SCHEMAS.SendToTerminalResult },
  closeTerminal: { params: SCHEMAS.TerminalParams, result: nothing },
  listChanges: { params: SCHEMAS.ListChangesParams, result: SCHEMAS.ListChangesResult },
  fetchVersion: { params: SCHEMAS.FetchVersionParams, result: SCHEMAS.FetchVersionResult },
  fetchDiff: { params: SCHEMAS.FetchDiffParams, result: SCHEMAS.FetchDiffResult },
  restoreFiles: { params: SCHEMAS.RestoreFilesParams, result: SCHEMAS.RestoreFilesResult },
  commitChanges: { params: SCHEMAS.CommitChangesParams, result: SCHEMAS.CommitChangesResult },
  previewMerge: { params: SCHEMAS.PreviewMergeParams, result: SCHEMAS.PreviewMergeResult },
  mergeChanges: { params: SCHEMAS.MergeChangesParams, result: SCHEMAS.MergeChangesResult },
  pushChanges: { params: SCHEMAS.PushChangesParams, result: SCHEMAS.PushChangesResult },
  pullRequest: { params: SCHEMAS.PullRequestParams, result: SCHEMAS.PullRequestResult },
  fetchChanges: { params: SCHEMAS.FetchChangesParams, result: SCHEMAS.ChangesState },
  fetchTestCommand: { params: SCHEMAS.FetchTestCommandParams, result: SCHEMAS.FetchTestCommandResult },
  runTests: { params: SCHEMAS.RunTestsParams, result: SCHEMAS.RunTestsResult },
  stopTests: { params: SCHEMAS.StopTestsParams, result: nothing },
  revertChanges: { params: SCHEMAS.RevertChangesParams, result: SCHEMAS.RestoreFilesResult },
  rewindSession: { params: SCHEMAS.RewindSessionParams, result: SCHEMAS.RewindSessionResult },
  listFolder: { params: SCHEMAS.ListFolderParams, result: SCHEMAS.ListFolderResult },
  readFile: { params: SCHEMAS.ReadSessionFileParams, result: SCHEMAS.ReadSessionFileResult },
  findFiles: { params: SCHEMAS.FindFilesParams, result: SCHEMAS.FindFilesResult },
  checkFiles: { params: SCHEMAS.CheckFilesParams, result: SCHEMAS.CheckFilesResult },
  'sessionFs.setProvider': { params: SCHEMAS.SetProviderParams, result: SCHEMAS.SetProviderResult },
  fetchPushKey: { params: SCHEMAS.FetchPushKeyParams, result: SCHEMAS.FetchPushKeyResult },
  setPushSubscription: { params: SCHEMAS.SetPushSubscriptionParams, result: SCHEMAS.SetPushSubscriptionResult },
  removePushSubscription: { params: SCHEMAS.RemovePushSubscriptionParams, result: nothing },
  lookAt: { params: SCHEMAS.LookAtParams, result: nothing },
  ping: { params: SCHEMAS.PingParams, result: SCHEMAS.PingResult },
};

export const SESSION_FS_SCHEMAS: RequestSchemas<SessionFsRequests> = {
  'sessionFs.readFile': { params: SCHEMAS.ReadFileParams, result: SCHEMAS.ReadFileResult },
  'sessionFs.writeFile': { params: SCHEMAS.WriteFileParams, result: SCHEMAS.SessionFsOutcome },
  'sessionFs.appendFile': { params: SCHEMAS.WriteFileParams, result: SCHEMAS.SessionFsOutcome },
  'sessionFs.exists': { params: SCHEMAS.SessionFsPathParams, result: SCHEMAS.ExistsResult },
  'sessionFs.stat': { params: SCHEMAS.SessionFsPathParams, result: SCHEMAS.StatResult },
  'sessionFs.mkdir': { params: SCHEMAS.MkdirParams, result: SCHEMAS.SessionFsOutcome },
  'sessionFs.readdir': { params: SCHEMAS.SessionFsPathParams, result: SCHEMAS.ReaddirResult },
  'sessionFs.readdirWithTypes': { params: SCHEMAS.SessionFsPathParams, result: SCHEMAS.ReaddirWithTypesResult },
  'sessionFs.rm': { params: SCHEMAS.RmParams, result: SCHEMAS.SessionFsOutcome },
  'sessionFs.rename': { params: SCHEMAS.RenameParams, result: SCHEMAS.SessionFsOutcome },
};

export const CLIENT_TOOL_SCHEMAS: RequestSchemas<ClientToolRequests> = {
  callClientTool: { params: SCHEMAS.CallClientToolParams, result: SCHEMAS.CallClientToolResult },
};

export const CLIENT_NOTIFICATION_SCHEMAS: NotificationSchemas<ClientNotifications> = {
  unsubscribe: SCHEMAS.UnsubscribeParams,
  dispatchAction: SCHEMAS.DispatchActionParams,
};

export const HOST_NOTIFICATION_SCHEMAS: NotificationSchemas<HostNotifications> = {
  action: SCHEMAS.ActionParams,
  notification: SCHEMAS.NotificationParams,
};

/** Enough of a `dispatchAction` to answer it: an action that is not well-formed is echoed to its sender with the reason. */
export const uncheckedDispatchActionParams = z.object({
  clientSeq,
  action: z.custom<{ readonly type: string; readonly [key: string]: unknown }>(hasType, 'an object with a type'),
});

function hasType(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

type RequestSchemas<T extends { readonly [K in keyof T]: { readonly params: unknown; readonly result: unknown } }> = {
  readonly [K in keyof T]: {
    readonly params: z.ZodType<T[K]['params']>;
    readonly result: z.ZodType<T[K]['result']>;
  };
};

type NotificationSchemas<T> = { readonly [K in keyof T]: z.ZodType<T[K]> };
