export { CLIENT_ACTION_TYPES, type ClientAction, isClientDispatchable } from './actions/clientActions.js';
export type { Action, ActionEnvelope, ActionOrigin, Rejection } from './actions/envelope.js';
export type { AgentsChangedAction, RootAction } from './actions/rootActions.js';
export type {
  ActivityChangedAction,
  ChangesChangedAction,
  ClientActionBase,
  ClientsChangedAction,
  CreationFailedAction,
  CustomizationsChangedAction,
  CustomizationToggledAction,
  DeltaAction,
  ErrorAction,
  IsArchivedChangedAction,
  IsReadChangedAction,
  MetadataChangedAction,
  ModeChangedAction,
  ModelChangedAction,
  PendingMessageKind,
  PendingMessageRemovedAction,
  PendingMessageSetAction,
  PermissionRequestAction,
  PermissionResolvedAction,
  QueuedMessagesReorderedAction,
  ReadyAction,
  ReasoningAction,
  ResponsePartAction,
  SessionAction,
  TitleChangedAction,
  ToolCallConfirmedAction,
  ToolCompleteAction,
  ToolStartAction,
  ToolUpdateAction,
  TurnCancelledAction,
  TurnCompleteAction,
  TurnStartedAction,
  UsageAction,
} from './actions/sessionActions.js';
export { ARTIFACT_KINDS, type ArtifactKind, type ArtifactTimes, artifactTimes, withArtifactTime } from './artifacts.js';
export type {
  ActionParams,
  AgentParams,
  Artifact,
  BrowseDirectoryParams,
  BrowseDirectoryResult,
  ClientInfo,
  ClientNotifications,
  Commands,
  ContentRange,
  CreateSessionParams,
  DirectoryEntry,
  DispatchActionParams,
  DisposeSessionParams,
  FailedSubscription,
  FetchContentParams,
  FetchContentResult,
  FetchPartsParams,
  FetchPartsResult,
  FetchTurnsParams,
  FetchTurnsResult,
  ForkSessionParams,
  HostNotifications,
  ImportedContent,
  ImportSessionParams,
  InitializeParams,
  InitializeResult,
  ListArtifactsParams,
  ListArtifactsResult,
  ListSessionsFilter,
  ListSessionsParams,
  ListSessionsResult,
  NotificationParams,
  PingParams,
  PingResult,
  ReconnectParams,
  ReconnectResult,
  ReplayResult,
  ServerInfo,
  Snapshot,
  SnapshotResult,
  SubscribeParams,
  TurnsRange,
  UnsubscribeParams,
} from './commands/commands.js';
export type {
  ExistsResult,
  MkdirParams,
  ReaddirResult,
  ReaddirWithTypesResult,
  ReadFileParams,
  ReadFileResult,
  RenameParams,
  RmParams,
  SessionFsEncoding,
  SessionFsEntry,
  SessionFsError,
  SessionFsOutcome,
  SessionFsPathParams,
  SessionFsRequests,
  SetProviderParams,
  SetProviderResult,
  StatResult,
  WriteFileParams,
} from './commands/sessionFs.js';
export { dateOf } from './dates.js';
export { dropOldest } from './dropOldest.js';
export { errorMessage } from './errorMessage.js';
export {
  ERROR_CODE,
  type ErrorCode,
  type ErrorData,
  REJECTION,
  type Refusal,
  type RejectionCode,
  refuse,
  rejectionOf,
  type UnsupportedProtocolVersionData,
} from './errors.js';
export { grantsTrust, TRUST_OPTION, TRUST_REQUEST } from './grantsTrust.js';
export { hasHiddenCharacters, showCommand, showHiddenCharacters } from './hiddenCharacters.js';
export {
  DEFAULT_ARTIFACTS_LIMIT,
  DEFAULT_LIST_LIMIT,
  DEFAULT_SNAPSHOT_TURNS,
  INLINE_CONTENT_LIMIT,
  INLINE_MESSAGE_LIMIT,
  MAX_ARTIFACTS_LIMIT,
  MAX_ATTACHMENT_DATA_LENGTH,
  MAX_ATTACHMENTS,
  MAX_COMMANDS,
  MAX_CONFIG_LENGTH,
  MAX_CONTENT_RANGE,
  MAX_DISPLACED_MESSAGES,
  MAX_FRAME_BYTES,
  MAX_ID_LENGTH,
  MAX_IMPORTED_SESSION_TURNS,
  MAX_IMPORTED_TURNS,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  MAX_LIST_LIMIT,
  MAX_METADATA_LENGTH,
  MAX_OPEN_STEPS,
  MAX_PAGE_BYTES,
  MAX_PART_LENGTH,
  MAX_PARTS_LIMIT,
  MAX_PROVIDED_SESSIONS,
  MAX_QUEUED_MESSAGES,
  MAX_RESYNC_BYTES,
  MAX_SNAPSHOT_TURNS,
  MAX_SUBSCRIPTIONS,
  MAX_TEXT_LENGTH,
  MAX_TITLE_LENGTH,
  MAX_TURN_PARTS,
  MAX_URI_LENGTH,
  TOOL_OUTPUT_HEAD,
  TOOL_OUTPUT_TAIL,
} from './limits.js';
export type {
  Notification,
  ProgressNotification,
  SessionAddedNotification,
  SessionRemovedNotification,
  SessionSummaryChangedNotification,
  SessionSummaryChanges,
  StorageChangedNotification,
} from './notifications.js';
export { createSessionState, type NewSession } from './reducers/createSessionState.js';
export { findPendingMessage } from './reducers/pendingMessages.js';
export { createRootState, rootReducer } from './reducers/rootReducer.js';
export { sessionReducer } from './reducers/sessionReducer.js';
export { needsInput } from './reducers/summary.js';
export { appendToolOutput, type ToolOutputView, viewToolOutput } from './reducers/toolOutput.js';
export { droppedSteps, heldFrom, isOpenStep, type TurnStep, turnLength, turnSteps } from './reducers/turnSteps.js';
export { type TurnRoom, withNewestParts } from './reducers/turnWindow.js';
export { describeRole, ROLES, type Role, type RoleRefusedData, roleIncludes } from './roles.js';
export { answerTextLimit, roleForAction, roleForMethod, roleRefusal } from './roleTable.js';
export { isSafeKey, ownValue } from './safeKey.js';
export { sameValue } from './sameValue.js';
export { uncheckedDispatchActionParams } from './schemas/commandSchemas.js';
export { jsonSchemaFiles } from './schemas/jsonSchemas.js';
export {
  CLIENT_NOTIFICATION_SCHEMAS,
  COMMAND_SCHEMAS,
  HOST_NOTIFICATION_SCHEMAS,
  SCHEMAS,
  SESSION_FS_SCHEMAS,
} from './schemas/schemas.js';
export { AGENT_ICONS, type AgentIcon } from './state/agentIcons.js';
export type { Author, ContentRef, ErrorInfo, TextPosition, TextRange, UsageInfo } from './state/common.js';
export type {
  AgentAvailability,
  AgentInfo,
  AvailableAgent,
  InstallableAgent,
  InstallingAgent,
  ModelInfo,
  RootState,
  UnavailableAgent,
} from './state/rootState.js';
export type {
  Customization,
  FileChangeSummary,
  PendingMessage,
  SessionCommand,
  SessionCustomization,
  SessionMode,
  SessionState,
  SessionStatus,
  SessionSummary,
} from './state/sessionState.js';
export type {
  CancelledToolCall,
  CompletedToolCall,
  ConfirmationOption,
  FileEditResultContent,
  FinishedToolCall,
  PendingToolCall,
  PendingToolCallStart,
  RefResultContent,
  RunningToolCall,
  RunningToolCallStart,
  TextResultContent,
  ToolCallResult,
  ToolCallStart,
  ToolCallState,
  ToolConfirmation,
  ToolConfirmed,
  ToolError,
  ToolOutput,
  ToolResultContent,
} from './state/toolCall.js';
export type {
  ActiveTurn,
  AddedPart,
  AnsweredPermission,
  Attachment,
  ContentRefPart,
  MarkdownPart,
  NoticePart,
  PermissionOption,
  PermissionRequest,
  ReasoningPart,
  ResponsePart,
  SteeringPart,
  ToolCallPart,
  Turn,
  UserMessage,
} from './state/turn.js';
export { type ByteTools, fromStoredText, isPlainStoredText, toStoredText } from './storedText.js';
export { contentHash, turnContents } from './turnContents.js';
export { untrustedFolder, withoutUntrustedFolder, withUntrustedFolder } from './untrustedFolder.js';
export {
  type ArtifactUriParts,
  artifactUri,
  type ContentUriParts,
  contentUri,
  isProviderId,
  isSessionId,
  parseArtifactUri,
  parseContentUri,
  parseSessionUri,
  ROOT_URI,
  type SessionUriParts,
  sessionUri,
  type URI,
} from './uri.js';
export { capabilitiesOf, type ProtocolCapabilities } from './version/capabilities.js';
export {
  ACTION_INTRODUCED_IN,
  COMMAND_INTRODUCED_IN,
  isActionKnownToVersion,
  isCommandKnownToVersion,
  isNotificationKnownToVersion,
  NOTIFICATION_INTRODUCED_IN,
} from './version/registry.js';
export { MIN_PROTOCOL_VERSION, negotiateVersion, PROTOCOL_VERSION, supportedVersions } from './version/versions.js';
export { CLOSE_CODE, FILES_SUBPROTOCOL, SUBPROTOCOL, TOKEN_SUBPROTOCOL_PREFIX } from './webSocket.js';
export { withNewestTurns } from './windows.js';
export type { WireTypes } from './wireTypes.js';
