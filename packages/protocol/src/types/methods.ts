// Generated from the schemas by `npm run schemas`. Do not edit.

import type { FetchAuditParams, FetchAuditResult } from './audit.js';
import type { CallClientToolParams, CallClientToolResult, SetClientToolsParams } from './clientTools.js';
import type {
  ActionParams,
  AgentParams,
  BeginLoginParams,
  BeginLoginResult,
  BrowseDirectoryParams,
  BrowseDirectoryResult,
  CheckLoginResult,
  CreateSessionParams,
  DispatchActionParams,
  DisposeSessionParams,
  EndLoginParams,
  FetchContentParams,
  FetchContentResult,
  FetchEventsParams,
  FetchEventsResult,
  FetchPartsParams,
  FetchPartsResult,
  FetchTurnsParams,
  FetchTurnsResult,
  ForkSessionParams,
  ImportSessionParams,
  ListArtifactsParams,
  ListArtifactsResult,
  ListSessionsParams,
  ListSessionsResult,
  NotificationParams,
  PingParams,
  PingResult,
  SendToLoginParams,
  SetAgentKeyParams,
  SetAgentKeyResult,
  SubscribeParams,
  UnsubscribeParams,
} from './commands.js';
import type {
  AddDeviceParams,
  AddDeviceResult,
  CreatePairingParams,
  CreatePairingResult,
  FetchPairingResult,
  ListDevicesParams,
  ListDevicesResult,
  PairingParams,
  RemoveDeviceParams,
  ShareSessionParams,
  ShareSessionResult,
  UpdateDeviceParams,
} from './devices.js';
import type {
  CheckFilesParams,
  CheckFilesResult,
  FindFilesParams,
  FindFilesResult,
  ListFolderParams,
  ListFolderResult,
  ReadSessionFileParams,
  ReadSessionFileResult,
} from './files.js';
import type { InitializeParams, InitializeResult, ReconnectParams, ReconnectResult, Snapshot } from './handshake.js';
import type {
  CommitChangesParams,
  CommitChangesResult,
  MergeChangesParams,
  MergeChangesResult,
  PreviewMergeParams,
  PreviewMergeResult,
  PullRequestParams,
  PullRequestResult,
  PushChangesParams,
  PushChangesResult,
} from './land.js';
import type {
  ContinueNativeSessionParams,
  FetchNativeTurnsParams,
  ListNativeSessionsParams,
  ListNativeSessionsResult,
} from './native.js';
import type {
  AddWebhookParams,
  AddWebhookResult,
  FetchPushKeyParams,
  FetchPushKeyResult,
  ListWebhooksParams,
  ListWebhooksResult,
  LookAtParams,
  RemovePushSubscriptionParams,
  SetPushSubscriptionParams,
  SetPushSubscriptionResult,
  TestWebhookResult,
  WebhookParams,
} from './push.js';
import type {
  FetchTestCommandParams,
  FetchTestCommandResult,
  RunTestsParams,
  RunTestsResult,
  StopTestsParams,
} from './reviews.js';
import type {
  ExistsResult,
  MkdirParams,
  ReaddirResult,
  ReaddirWithTypesResult,
  ReadFileParams,
  ReadFileResult,
  RenameParams,
  RmParams,
  SessionFsOutcome,
  SessionFsPathParams,
  SetProviderParams,
  SetProviderResult,
  StatResult,
  WriteFileParams,
} from './sessionFs.js';
import type {
  ConfirmTerminalParams,
  CreateTerminalParams,
  ListTerminalsParams,
  ListTerminalsResult,
  SendToTerminalParams,
  SendToTerminalResult,
  SharedTerminal,
  TerminalParams,
  TerminalScreen,
} from './terminals.js';
import type {
  ChangesState,
  FetchChangesParams,
  FetchDiffParams,
  FetchDiffResult,
  FetchVersionParams,
  FetchVersionResult,
  ListChangesParams,
  ListChangesResult,
  RestoreFilesParams,
  RestoreFilesResult,
  RevertChangesParams,
  RewindSessionParams,
  RewindSessionResult,
} from './work.js';

export interface Command<Params, Result> {
  readonly params: Params;
  readonly result: Result;
}

/** Client → host requests. */
export interface Commands {
  readonly initialize: Command<InitializeParams, InitializeResult>;
  readonly reconnect: Command<ReconnectParams, ReconnectResult>;
  readonly subscribe: Command<SubscribeParams, Snapshot>;
  readonly createSession: Command<CreateSessionParams, null>;
  readonly forkSession: Command<ForkSessionParams, null>;
  readonly importSession: Command<ImportSessionParams, null>;
  readonly disposeSession: Command<DisposeSessionParams, null>;
  readonly listSessions: Command<ListSessionsParams, ListSessionsResult>;
  readonly fetchTurns: Command<FetchTurnsParams, FetchTurnsResult>;
  readonly fetchParts: Command<FetchPartsParams, FetchPartsResult>;
  readonly fetchEvents: Command<FetchEventsParams, FetchEventsResult>;
  readonly fetchAudit: Command<FetchAuditParams, FetchAuditResult>;
  readonly fetchContent: Command<FetchContentParams, FetchContentResult>;
  readonly listArtifacts: Command<ListArtifactsParams, ListArtifactsResult>;
  readonly browseDirectory: Command<BrowseDirectoryParams, BrowseDirectoryResult>;
  readonly installAgent: Command<AgentParams, null>;
  readonly removeAgent: Command<AgentParams, null>;
  readonly listDevices: Command<ListDevicesParams, ListDevicesResult>;
  readonly addDevice: Command<AddDeviceParams, AddDeviceResult>;
  readonly updateDevice: Command<UpdateDeviceParams, null>;
  readonly removeDevice: Command<RemoveDeviceParams, null>;
  readonly createPairing: Command<CreatePairingParams, CreatePairingResult>;
  readonly fetchPairing: Command<PairingParams, FetchPairingResult>;
  readonly removePairing: Command<PairingParams, null>;
  readonly listWebhooks: Command<ListWebhooksParams, ListWebhooksResult>;
  readonly addWebhook: Command<AddWebhookParams, AddWebhookResult>;
  readonly removeWebhook: Command<WebhookParams, null>;
  readonly enableWebhook: Command<WebhookParams, null>;
  readonly testWebhook: Command<WebhookParams, TestWebhookResult>;
  readonly shareSession: Command<ShareSessionParams, ShareSessionResult>;
  readonly updateAgent: Command<AgentParams, null>;
  readonly cancelInstall: Command<AgentParams, null>;
  readonly beginLogin: Command<BeginLoginParams, BeginLoginResult>;
  readonly sendToLogin: Command<SendToLoginParams, null>;
  readonly endLogin: Command<EndLoginParams, null>;
  readonly checkLogin: Command<AgentParams, CheckLoginResult>;
  readonly setAgentKey: Command<SetAgentKeyParams, SetAgentKeyResult>;
  readonly logOutAgent: Command<AgentParams, null>;
  readonly listNativeSessions: Command<ListNativeSessionsParams, ListNativeSessionsResult>;
  readonly fetchNativeTurns: Command<FetchNativeTurnsParams, FetchTurnsResult>;
  readonly continueNativeSession: Command<ContinueNativeSessionParams, null>;
  readonly setClientTools: Command<SetClientToolsParams, null>;
  readonly createTerminal: Command<CreateTerminalParams, SharedTerminal>;
  readonly listTerminals: Command<ListTerminalsParams, ListTerminalsResult>;
  readonly attachTerminal: Command<TerminalParams, TerminalScreen>;
  readonly confirmTerminal: Command<ConfirmTerminalParams, null>;
  readonly detachTerminal: Command<TerminalParams, null>;
  readonly sendToTerminal: Command<SendToTerminalParams, SendToTerminalResult>;
  readonly closeTerminal: Command<TerminalParams, null>;
  readonly listChanges: Command<ListChangesParams, ListChangesResult>;
  readonly fetchVersion: Command<FetchVersionParams, FetchVersionResult>;
  readonly fetchDiff: Command<FetchDiffParams, FetchDiffResult>;
  readonly restoreFiles: Command<RestoreFilesParams, RestoreFilesResult>;
  readonly commitChanges: Command<CommitChangesParams, CommitChangesResult>;
  readonly previewMerge: Command<PreviewMergeParams, PreviewMergeResult>;
  readonly mergeChanges: Command<MergeChangesParams, MergeChangesResult>;
  readonly pushChanges: Command<PushChangesParams, PushChangesResult>;
  readonly pullRequest: Command<PullRequestParams, PullRequestResult>;
  readonly fetchChanges: Command<FetchChangesParams, ChangesState>;
  readonly fetchTestCommand: Command<FetchTestCommandParams, FetchTestCommandResult>;
  readonly runTests: Command<RunTestsParams, RunTestsResult>;
  readonly stopTests: Command<StopTestsParams, null>;
  readonly revertChanges: Command<RevertChangesParams, RestoreFilesResult>;
  readonly rewindSession: Command<RewindSessionParams, RewindSessionResult>;
  readonly listFolder: Command<ListFolderParams, ListFolderResult>;
  readonly readFile: Command<ReadSessionFileParams, ReadSessionFileResult>;
  readonly findFiles: Command<FindFilesParams, FindFilesResult>;
  readonly checkFiles: Command<CheckFilesParams, CheckFilesResult>;
  readonly 'sessionFs.setProvider': Command<SetProviderParams, SetProviderResult>;
  readonly fetchPushKey: Command<FetchPushKeyParams, FetchPushKeyResult>;
  readonly setPushSubscription: Command<SetPushSubscriptionParams, SetPushSubscriptionResult>;
  readonly removePushSubscription: Command<RemovePushSubscriptionParams, null>;
  readonly lookAt: Command<LookAtParams, null>;
  readonly ping: Command<PingParams, PingResult>;
}

/** Client → host notifications. */
export interface ClientNotifications {
  readonly unsubscribe: UnsubscribeParams;
  readonly dispatchAction: DispatchActionParams;
}

/** Host → client notifications. */
export interface HostNotifications {
  readonly action: ActionParams;
  readonly notification: NotificationParams;
}

/** Host → client requests: the ten methods of a provided file system. */
export interface SessionFsRequests {
  readonly 'sessionFs.readFile': Command<ReadFileParams, ReadFileResult>;
  readonly 'sessionFs.writeFile': Command<WriteFileParams, SessionFsOutcome>;
  readonly 'sessionFs.appendFile': Command<WriteFileParams, SessionFsOutcome>;
  readonly 'sessionFs.exists': Command<SessionFsPathParams, ExistsResult>;
  readonly 'sessionFs.stat': Command<SessionFsPathParams, StatResult>;
  readonly 'sessionFs.mkdir': Command<MkdirParams, SessionFsOutcome>;
  readonly 'sessionFs.readdir': Command<SessionFsPathParams, ReaddirResult>;
  readonly 'sessionFs.readdirWithTypes': Command<SessionFsPathParams, ReaddirWithTypesResult>;
  readonly 'sessionFs.rm': Command<RmParams, SessionFsOutcome>;
  readonly 'sessionFs.rename': Command<RenameParams, SessionFsOutcome>;
}

/** Host → client requests to a client that offers tools. */
export interface ClientToolRequests {
  readonly callClientTool: Command<CallClientToolParams, CallClientToolResult>;
}
