export { type Disposable, Emitter, type Event, type Observable } from '@agenthost/client';
export { AgentHostProvider, type AgentHostProviderOptions } from './agentHost/agentHostProvider.js';
export type { AnsweredPrompt, PromptAnswer } from './agentHost/answeredPrompts.js';
export type { FolderBrowser } from './agentHost/folderBrowser.js';
export type { HostStatus } from './agentHost/hostStatus.js';
export { NeedsInput, type WaitingChat } from './agentHost/needsInput.js';
export type { ChatFeature, ChatModel, ChatPhase, ConfirmationAnswer, OpenChatOptions } from './chat/chatModel.js';
export { type ChatModelOfOptions, chatModelOf } from './chat/chatModelOf.js';
export { Drafts } from './chat/drafts.js';
export { type ChatFields, createChat, type EditableChat } from './chat/editableChat.js';
export { fittingCommands, typedCommand } from './chat/fittingCommands.js';
export { type UnsentKind, type UnsentMessage, UnsentMessages } from './chat/unsentMessages.js';
export type { ContextKeys, ContextKeyValues } from './contextKeys.js';
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
export type { SessionGroup, SessionRow } from './list/groupedRows.js';
export { type Grouping, type GroupingName, type GroupOf, groupings } from './list/grouping.js';
export type { SessionsFilter } from './list/sessionsFilter.js';
export {
  type SessionsListItem,
  SessionsListModel,
  type SessionsListOptions,
  type SessionsSource,
} from './list/sessionsListModel.js';
export { type SessionsOrder, type SessionsOrderName, sessionsOrders } from './list/sessionsOrder.js';
export { computed, constant, observable, type SettableObservable, tracked, transaction } from './observable.js';
export type { FoundSessions, SearchAllOptions } from './providers/searchAll.js';
export type {
  AttachedContext,
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
  type GitHubPullRequest,
  type IconId,
  type Markdown,
  type Session,
  type SessionCapabilities,
  type SessionFileChange,
  type SessionMode,
  type SessionRepository,
  SessionStatus,
  type SessionWorkspace,
  type URI,
} from './session.js';
export { isProviderId, parseSessionId, type SessionIdParts, sessionIdOf } from './sessionId.js';
export { type SessionOfChatsOptions, sessionOfChats } from './sessionOfChats.js';
export type { ActiveSession } from './sessionSelection.js';
export {
  type OpenSessionOptions,
  type SessionsManagementOptions,
  SessionsManagementService,
} from './sessionsManagementService.js';
export { memoryStorage, type SessionsStorage } from './sessionsStorage.js';
export { type SessionMetadata, UNKNOWN_WORKSPACE, workspaceLabel } from './workspace/workspaceLabel.js';
export { gitHubInfoOf, type WorkspaceSource, workspaceOfMetadata } from './workspace/workspaceOfMetadata.js';
