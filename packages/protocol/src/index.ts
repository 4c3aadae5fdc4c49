/**
 * Everything that is exported here is public API: `etc/protocol.api.md` lists it, and a change of it is a change of the version.
 *
 * - The state (`SessionState`, `RootState` and what is in them), the actions that change it, and the reducers that both sides run.
 * - `Commands`, `ClientNotifications`, `HostNotifications`, `SessionFsRequests` and `ClientToolRequests`: every method with its params and its result.
 * - Versions, capabilities, roles, error codes, rejections, the limits that clients meet, and URIs.
 *
 * `@agenthost/protocol/schemas` has a zod schema for each of them, and `schema/` the same as JSON Schema.
 */

export type { AgentIcon } from './agentIcons.js';
export type { ArtifactTimes } from './artifacts.js';
export { ERROR_CODE, type ErrorCode, LOGIN_REQUIRED, REJECTION, type RejectionCode } from './errors.js';
export { showCommand, showHiddenCharacters } from './hiddenCharacters.js';
export {
  DEFAULT_SNAPSHOT_TURNS,
  MAX_AUDIT_LIMIT,
  MAX_COMMENT_LENGTH,
  MAX_COMMENTS,
  MAX_CONTENT_RANGE,
  MAX_FRAME_BYTES,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  MAX_LIST_LIMIT,
  MAX_PARTS_LIMIT,
  MAX_QUOTE_LENGTH,
  MAX_SEVERAL,
  MAX_SNAPSHOT_TURNS,
  MAX_TEST_COMMAND,
  MAX_TEXT_LENGTH,
  MAX_WEBHOOKS,
} from './limits.js';
export { changesReducer, createChangesState } from './reducers/changesReducer.js';
export { createSessionState } from './reducers/createSessionState.js';
export { createRootState, rootReducer } from './reducers/rootReducer.js';
export { sessionReducer } from './reducers/sessionReducer.js';
export { severalOf } from './reducers/several.js';
export { type TurnStep, turnSteps } from './reducers/turnSteps.js';
export { reviewMessage } from './reviewMessage.js';
export { ROLES } from './roles.js';
export { roleIncludes } from './tables/tableRules.js';
export type {
  Action,
  ActionEnvelope,
  ActionOrigin,
  ChangesAction,
  ClientAction,
  Rejection,
  RootAction,
  SessionAction,
} from './types/actions.js';
export type { AuditActor, AuditEntry, FetchAuditParams, FetchAuditResult } from './types/audit.js';
export type {
  CallClientToolParams,
  CallClientToolResult,
  ClientTool,
  ClientToolContent,
  SetClientToolsParams,
} from './types/clientTools.js';
export type {
  Artifact,
  ArtifactKind,
  BrowseDirectoryResult,
  ContentRange,
  CreateSessionParams,
  DirectoryEntry,
  DisposeSessionParams,
  ForkSessionParams,
  ImportSessionParams,
  ListArtifactsParams,
  ListArtifactsResult,
  ListSessionsFilter,
  ListSessionsParams,
  ListSessionsResult,
} from './types/commands.js';
export type { Author, ContentRef, ErrorInfo, UsageInfo } from './types/common.js';
export type {
  AddDeviceParams,
  AddDeviceResult,
  CreatePairingParams,
  CreatePairingResult,
  Device,
  FetchPairingResult,
  ListDevicesResult,
  ShareSessionParams,
  ShareSessionResult,
  UpdateDeviceParams,
} from './types/devices.js';
export type {
  CheckedFile,
  CheckFilesParams,
  CheckFilesResult,
  FindFilesParams,
  FindFilesResult,
  FolderEntry,
  FoundFile,
  ListFolderParams,
  ListFolderResult,
  ReadSessionFileParams,
  ReadSessionFileResult,
} from './types/files.js';
export type {
  Form,
  FormChoice,
  FormField,
  FormSecrets,
  FormValue,
  FormValues,
} from './types/forms.js';
export type { ClientInfo, ProtocolCapabilities, Role, ServerInfo, SharedSession, Snapshot } from './types/handshake.js';
export type {
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
} from './types/land.js';
export type {
  ClientNotifications,
  ClientToolRequests,
  Commands,
  HostNotifications,
  SessionFsRequests,
} from './types/methods.js';
export type {
  ContinueNativeSessionParams,
  FetchNativeTurnsParams,
  ListNativeSessionsParams,
  ListNativeSessionsResult,
  NativeSession,
} from './types/native.js';
export type { Notification, ProgressNotification, SessionSummaryChanges } from './types/notifications.js';
export type {
  AddWebhookParams,
  AddWebhookResult,
  ListWebhooksResult,
  PushNotify,
  SetPushSubscriptionParams,
  TestWebhookResult,
  Webhook,
  WebhookEvent,
} from './types/push.js';
export type {
  FetchTestCommandResult,
  NewComment,
  PickedSession,
  ResolvedComment,
  ReviewComment,
  RunTestsResult,
  SentComment,
  Several,
  SeveralMember,
  TestRun,
} from './types/reviews.js';
export type {
  AgentAvailability,
  AgentInfo,
  AgentKey,
  AgentLogin,
  AvailableAgent,
  ModelInfo,
  RootState,
  UnavailableAgent,
} from './types/rootState.js';
export type {
  Customization,
  FileChangeSummary,
  OfferedTool,
  OfferedTools,
  PendingMessage,
  SessionCommand,
  SessionCustomization,
  SessionMode,
  SessionSetting,
  SessionState,
  SessionStatus,
  SessionSummary,
  SettingChoice,
  SettingValue,
  StandingApproval,
} from './types/sessionState.js';
export type { SharedTerminal } from './types/terminals.js';
export type {
  CompletedToolCall,
  ConfirmationOption,
  FileEditResultContent,
  GivenInput,
  PendingToolCall,
  ToolCallResult,
  ToolCallStart,
  ToolCallState,
  ToolConfirmation,
  ToolConfirmed,
  ToolError,
  ToolOutput,
  ToolResultContent,
} from './types/toolCalls.js';
export type {
  ActiveTurn,
  AnsweredPermission,
  Attachment,
  NoticePart,
  PermissionOption,
  PermissionRequest,
  ReasoningPart,
  ResponsePart,
  SteeringPart,
  Turn,
  UserMessage,
} from './types/turns.js';
export type {
  ChangedFile,
  ChangesComparison,
  ChangesSince,
  ChangesState,
  DiffHunk,
  FetchChangesParams,
  FetchDiffParams,
  FetchDiffResult,
  FetchVersionParams,
  FetchVersionResult,
  HunkRange,
  ListChangesParams,
  ListChangesResult,
  RestoreFilesParams,
  RestoreFilesResult,
  RevertChangesParams,
  RewindSessionParams,
  RewindSessionResult,
} from './types/work.js';
export { changesUri, parseSessionUri, ROOT_URI, type SessionUriParts, sessionUri, type URI } from './uri.js';
export { capabilitiesOf } from './version/capabilities.js';
export { MIN_PROTOCOL_VERSION, PROTOCOL_VERSION } from './version/versions.js';
export { CLOSE_CODE, FILES_SUBPROTOCOL, SUBPROTOCOL, TOKEN_SUBPROTOCOL_PREFIX } from './webSocket.js';
