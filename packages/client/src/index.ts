/**
 * Everything that is exported here is public API: `etc/client.api.md` lists it, and a change of it is a change of the version.
 *
 * - `connect` and `createHostClient` make a `HostClient`; its `createSession` and `openSession` give a `SessionHandle`.
 * - The errors that they reject with all extend `ClientError`.
 * - `SessionFsHandler` is for clients that keep the files of the sessions themselves.
 */
export type { Disposable } from '@agenthost/rpc';
export { connect, createHostClient } from './connect.js';
export type { CommandOptions } from './connection/commandChannel.js';
export type { ConnectionState, TransportFactory } from './connection/connection.js';
export { createWebSocketTransport, type WebSocketTransportOptions } from './connection/webSocketTransport.js';
export type { Devices } from './devices.js';
export {
  ActionRejectedError,
  CapabilityMissingError,
  ClientClosedError,
  ClientError,
  CommandFailedError,
  CommandTimeoutError,
  ConnectionLostError,
  HostUnreachableError,
  LimitReachedError,
  OriginRefusedError,
  ReplacedError,
  SessionCreationError,
  SessionFsRefusedError,
  SessionGoneError,
  SessionRemadeError,
  UnauthorizedError,
  UnsupportedVersionError,
} from './errors.js';
export type { ExportOptions } from './export/exportSession.js';
export type { FilesClient } from './filesClient.js';
export type {
  CreateSessionOptions,
  ForkSessionOptions,
  HostClient,
  HostEvent,
  OpenSessionOptions,
} from './hostClient.js';
export type { HostClientOptions } from './hostClientOptions.js';
export { COMMIT_MESSAGE_REQUEST, conflictRequest } from './landRequests.js';
export type { LoginClient, LoginListener, LoginOutcome, RunningLogin, TerminalSize } from './loginClient.js';
export type { NativeClient } from './nativeClient.js';
export type { Observable } from './observable.js';
export type { HostPush } from './push.js';
export type { EachArtifactOptions, ListArtifactsOptions } from './session/artifacts.js';
export type { ToolCallContext, ToolDefinition } from './session/clientTools.js';
export { SessionComments } from './session/comments.js';
export type { Content, FetchContentOptions } from './session/content.js';
export type { EarlierSteps, EarlierStepsOptions, HistoryOptions } from './session/history.js';
export type { ImportSessionOptions } from './session/importSession.js';
export type {
  ApproveOptions,
  DenyOptions,
  PendingConfirmation,
  PendingPermission,
  PermissionAnswer,
} from './session/prompts.js';
export type { SessionHandle } from './session/sessionHandle.js';
export type { ClientActionInput, Message, ToolCallInput } from './session/sessionInput.js';
export type {
  CreateSessionFsHandler,
  SessionFsConfig,
  SessionFsFileOptions,
  SessionFsFileStat,
  SessionFsHandler,
} from './sessionFs/sessionFsHandler.js';
export {
  type SeveralAgent,
  type SeveralOptions,
  SeveralSessions,
  type SeveralWorktree,
  type StartingMember,
} from './several.js';
export type { WatchedChanges } from './sync/changesWatches.js';
export type { ClientSeqStore } from './sync/outbox.js';
export type { Interruption } from './sync/sharedSessions.js';
export type { AppliedEnvelope } from './sync/subscription.js';
export type { AttachedTerminal, TerminalListener } from './terminals/attachedTerminal.js';
export type { SessionTerminals } from './terminals/sessionTerminals.js';
export type { WebhookClient } from './webhookClient.js';
export type { WorkClient } from './workClient.js';
