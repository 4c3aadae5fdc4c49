/**
 * Everything that is exported here is public API: `etc/sessions.api.md` lists it, and a change of it is a change of the version.
 *
 * - For user interfaces: `SessionsProvidersService`, `SessionsManagementService`, `SessionsListModel`, `NeedsInput`, `Drafts`,
 *   `UnsentMessages`, and what they show (`Session`, `Chat`, `ChatModel`).
 * - For providers: `SessionsProvider`, `AgentHostProvider`, `InMemoryProvider`, and what sessions are made with (`sessionOfChats`, `createChat`,
 *   `chatModelOf`, `workspaceOfMetadata`, `observable`, `computed`, `Emitter`).
 * - The errors all extend `SessionsError`.
 */
export type { Disposable, Observable } from '@agenthost/client';
export { Emitter, type Event } from '@agenthost/client/internal';
export { AgentHostProvider, type AgentHostProviderOptions } from './agentHost/agentHostProvider.js';
export type { AnsweredPrompt, PromptAnswer } from './agentHost/answeredPrompts.js';
export type { FolderBrowser } from './agentHost/folderBrowser.js';
export type { HostStatus } from './agentHost/hostStatus.js';
export { NeedsInput, type WaitingChat } from './agentHost/needsInput.js';
export type {
  ChatFeature,
  ChatModel,
  ChatPhase,
  ChatReview,
  ConfirmationAnswer,
  OpenChatOptions,
} from './chat/chatModel.js';
export { type ChatModelOfOptions, chatModelOf } from './chat/chatModelOf.js';
export { Drafts } from './chat/drafts.js';
export { type ChatFields, createChat, type EditableChat } from './chat/editableChat.js';
export { fittingCommands, typedCommand } from './chat/fittingCommands.js';
export { type UnsentMessage, UnsentMessages } from './chat/unsentMessages.js';
export type { ContextKeys } from './contextKeys.js';
export {
  AmbiguousResourceError,
  AnsweredElsewhereError,
  InvalidSessionIdError,
  NotSupportedError,
  ProviderError,
  ProviderFailedError,
  ProviderNotFoundError,
  ProviderRegistrationError,
  ProviderTimeoutError,
  ProviderUnregisteredError,
  SessionNotFoundError,
  SessionsError,
} from './errors.js';
export { InMemoryProvider, type InMemoryProviderOptions } from './inMemory/inMemoryProvider.js';
export type { SessionGroup } from './list/groupedRows.js';
export { type Grouping, groupings } from './list/grouping.js';
export type { SessionsFilter } from './list/sessionsFilter.js';
export {
  type SessionsListItem,
  SessionsListModel,
  type SessionsListOptions,
  type SessionsSource,
} from './list/sessionsListModel.js';
export { type SessionsOrder, sessionsOrders } from './list/sessionsOrder.js';
export { computed, constant, observable, type SettableObservable, tracked, transaction } from './observable.js';
export type { FoundSessions } from './providers/searchAll.js';
export type {
  DeleteSessionOptions,
  NewWorktree,
  SearchOptions,
  SearchResult,
  SearchResults,
  SendRequestOptions,
  SessionReplacement,
  SessionsChangeEvent,
  SessionsProvider,
  SessionType,
  SessionWorkspaceBrowseAction,
} from './providers/sessionsProvider.js';
export { type SessionsProvidersChangeEvent, SessionsProvidersService } from './providers/sessionsProvidersService.js';
export {
  type Chat,
  type GitHubInfo,
  type Session,
  type SessionCapabilities,
  type SessionFileChange,
  type SessionLocation,
  type SessionMode,
  type SessionRepository,
  SessionStatus,
  type SessionWorkspace,
  type URI,
} from './session.js';
export { isProviderId, parseSessionId } from './sessionId.js';
export { type SessionOfChatsOptions, sessionOfChats } from './sessionOfChats.js';
export type { ActiveSession } from './sessionSelection.js';
export {
  type OpenSessionOptions,
  type SessionsManagementOptions,
  SessionsManagementService,
} from './sessionsManagementService.js';
export type { SessionsStorage } from './sessionsStorage.js';
export { locationOf, workspaceOfMetadata } from './workspace/workspaceOfMetadata.js';
