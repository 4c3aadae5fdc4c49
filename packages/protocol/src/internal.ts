/** `@agenthost/protocol/internal`: for the other packages of this repository, which are pinned to one version. It may change in any version. */

export { AGENT_ICONS } from './agentIcons.js';
export { ARTIFACT_KINDS, artifactTimes, withArtifactTime } from './artifacts.js';
export { CallTree } from './callTree.js';
export { dateOf } from './dates.js';
export { dropOldest } from './dropOldest.js';
export { errorMessage } from './errorMessage.js';
export { type Refusal, refuse, rejectionOf } from './errors.js';
export {
  type FieldProblem,
  type FormAnswer,
  fieldProblem,
  filledForm,
  formAnswerOf,
  formAnswerText,
  formDefaults,
  formProblem,
  plainAnswers,
  RESERVED_CHOICE,
  withoutSecrets,
} from './forms.js';
export { grantsTrust, TRUST_OPTION, TRUST_REQUEST } from './grantsTrust.js';
export { hasHiddenCharacters } from './hiddenCharacters.js';
export {
  DEFAULT_ARTIFACTS_LIMIT,
  DEFAULT_LIST_LIMIT,
  INLINE_CONTENT_LIMIT,
  INLINE_MESSAGE_LIMIT,
  MAX_APPROVALS,
  MAX_BRANCHES,
  MAX_CALL_DEPTH,
  MAX_CLIENT_TOOLS,
  MAX_COMMANDS,
  MAX_COMMENTS_LENGTH,
  MAX_CONFIG_LENGTH,
  MAX_DISPLACED_MESSAGES,
  MAX_FILE_TEXT_PAGE,
  MAX_FORM_CHOICES,
  MAX_FORM_FIELDS,
  MAX_FORM_LENGTH,
  MAX_FORM_TEXT,
  MAX_HOST_TERMINALS,
  MAX_ID_LENGTH,
  MAX_IMPORTED_SESSION_TURNS,
  MAX_IMPORTED_TURNS,
  MAX_METADATA_LENGTH,
  MAX_OPEN_STEPS,
  MAX_PAGE_BYTES,
  MAX_PART_LENGTH,
  MAX_PUSH_BYTES,
  MAX_QUEUED_MESSAGES,
  MAX_RESYNC_BYTES,
  MAX_SESSION_TERMINALS,
  MAX_SESSION_TOOLS,
  MAX_SETTING_VALUES,
  MAX_SETTINGS,
  MAX_SETTINGS_LENGTH,
  MAX_SHARE_MS,
  MAX_SHOWN_CHANGES,
  MAX_SHOWN_CHANGES_LENGTH,
  MAX_SHOWN_DESCRIPTION_LENGTH,
  MAX_SUBSCRIPTIONS,
  MAX_TERMINAL_INPUT,
  MAX_TERMINAL_SCROLLBACK,
  MAX_TERMINAL_UNCONFIRMED,
  MAX_TEST_OUTPUT,
  MAX_TITLE_LENGTH,
  MAX_TOOL_INPUT_LENGTH,
  MAX_TOOL_RESULT_LENGTH,
  MAX_TOOL_SCHEMA_LENGTH,
  MAX_TURN_PARTS,
  MAX_URI_LENGTH,
  MAX_VERSION_BYTES,
  TOOL_OUTPUT_HEAD,
  TOOL_OUTPUT_TAIL,
} from './limits.js';
export { findComment } from './reducers/comments.js';
export { findPendingMessage } from './reducers/pendingMessages.js';
export { needsInput, withSummaryChanges } from './reducers/summary.js';
export { appendToolOutput, viewToolOutput } from './reducers/toolOutput.js';
export { droppedSteps, heldFrom, isOpenStep, turnLength } from './reducers/turnSteps.js';
export { withNewestParts } from './reducers/turnWindow.js';
export { isSafeKey, ownValue } from './safeKey.js';
export { sameValue } from './sameValue.js';
export { DEFAULT_SPACE, isSpaceName } from './space.js';
export { type ByteTools, fromStoredText, isPlainStoredText, toStoredText } from './storedText.js';
export {
  ACTION_INTRODUCED_IN,
  answerTextLimit,
  CLIENT_ACTION_TYPES,
  COMMAND_INTRODUCED_IN,
  describeRole,
  isActionKnownToVersion,
  isAllowedByLink,
  isClientDispatchable,
  isCommandKnownToVersion,
  isNotificationKnownToVersion,
  NOTIFICATION_INTRODUCED_IN,
  roleForAction,
  roleForMethod,
  roleRefusal,
} from './tables/tableRules.js';
export { contentHash, turnContents } from './turnContents.js';
export { turnsAwaitingLogin } from './turnsAwaitingLogin.js';
export type { PendingMessageKind } from './types/actions.js';
export type * from './types/clientActions.js';
export type {
  ActionParams,
  FetchContentParams,
  FetchContentResult,
  FetchEventsParams,
  FetchEventsResult,
  FetchPartsParams,
  FetchPartsResult,
  FetchTurnsResult,
  ImportedContent,
  NotificationParams,
  SubscribeParams,
  TurnsRange,
} from './types/commands.js';
export type {
  ErrorData,
  FailedSubscription,
  InitializeParams,
  InitializeResult,
  ReconnectParams,
  ReconnectResult,
  RoleRefusedData,
  SnapshotResult,
  UnsupportedProtocolVersionData,
} from './types/handshake.js';
export type * from './types/hostActions.js';
export type {
  LookAtParams,
  PushAnswer,
  PushedClosure,
  PushedEnd,
  PushedQuestion,
  PushMessage,
} from './types/push.js';
export type {
  ReadFileParams,
  SessionFsEncoding,
  SessionFsEntry,
  SessionFsError,
  SessionFsOutcome,
  SetProviderParams,
  SetProviderResult,
  WriteFileParams,
} from './types/sessionFs.js';
export type { SendToTerminalParams, TerminalScreen } from './types/terminals.js';
export type { FinishedToolCall, PendingToolCallStart } from './types/toolCalls.js';
export type { AddedPart } from './types/turns.js';
export { untrustedFolder, withoutUntrustedFolder, withUntrustedFolder } from './untrustedFolder.js';
export {
  type ArtifactUriParts,
  artifactUri,
  contentUri,
  isProviderId,
  isSessionId,
  parseArtifactUri,
  parseContentUri,
  SESSION_HEADER,
  SESSION_VARIABLE,
  sessionOfChanges,
} from './uri.js';
export { negotiateVersion, supportedVersions } from './version/versions.js';
export { withNewestTurns } from './windows.js';
