export { AGENT_ICONS, type AgentIcon } from './agentIcons.js';
export { ARTIFACT_KINDS, type ArtifactTimes, artifactTimes, withArtifactTime } from './artifacts.js';
export { dateOf } from './dates.js';
export { dropOldest } from './dropOldest.js';
export { errorMessage } from './errorMessage.js';
export {
  ERROR_CODE,
  type ErrorCode,
  REJECTION,
  type Refusal,
  type RejectionCode,
  refuse,
  rejectionOf,
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
export { createSessionState, type NewSession } from './reducers/createSessionState.js';
export { findPendingMessage } from './reducers/pendingMessages.js';
export { createRootState, rootReducer } from './reducers/rootReducer.js';
export { sessionReducer } from './reducers/sessionReducer.js';
export { needsInput } from './reducers/summary.js';
export { appendToolOutput, type ToolOutputView, viewToolOutput } from './reducers/toolOutput.js';
export { droppedSteps, heldFrom, isOpenStep, type TurnStep, turnLength, turnSteps } from './reducers/turnSteps.js';
export { type TurnRoom, withNewestParts } from './reducers/turnWindow.js';
export { describeRole, ROLES, roleIncludes } from './roles.js';
export {
  answerTextLimit,
  CLIENT_ACTION_TYPES,
  isClientDispatchable,
  roleForAction,
  roleForMethod,
  roleRefusal,
} from './roleTable.js';
export { isSafeKey, ownValue } from './safeKey.js';
export { sameValue } from './sameValue.js';
export { type ByteTools, fromStoredText, isPlainStoredText, toStoredText } from './storedText.js';
export { contentHash, turnContents } from './turnContents.js';
export type * from './types/actions.js';
export type * from './types/clientActions.js';
export type * from './types/commands.js';
export type * from './types/common.js';
export type * from './types/handshake.js';
export type * from './types/hostActions.js';
export type * from './types/methods.js';
export type * from './types/notifications.js';
export type * from './types/rootState.js';
export type * from './types/sessionFs.js';
export type * from './types/sessionState.js';
export type * from './types/toolCalls.js';
export type * from './types/turns.js';
export type * from './types/wireTypes.js';
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
export { capabilitiesOf } from './version/capabilities.js';
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
