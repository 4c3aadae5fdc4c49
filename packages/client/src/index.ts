export type { Disposable } from '@agenthost/rpc';
export type { EachArtifactOptions, ListArtifactsOptions } from './artifacts.js';
export { backoffDelay } from './backoff.js';
export type { CommandOptions } from './commandChannel.js';
export { connect, createHost } from './connect.js';
export type { ConnectionState, TransportFactory } from './connection.js';
export type { Content, FetchContentOptions } from './content.js';
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
  ReplacedError,
  SessionCreationError,
  SessionFsRefusedError,
  SessionGoneError,
  SessionRemadeError,
  UnauthorizedError,
  UnsupportedVersionError,
} from './errors.js';
export type { HistoryOptions } from './history.js';
export type { CreateSessionOptions, ForkSessionOptions, Host, HostEvent, OpenSessionOptions } from './host.js';
export type { HostOptions } from './hostOptions.js';
export type { ImportSessionOptions } from './importSession.js';
export type { Interruption } from './interruptedSessions.js';
export { Listeners, type ReportError } from './listeners.js';
export { listInStep, withSummaryChanges } from './listInStep.js';
export { derived, type Observable } from './observable.js';
export type { ClientSeqStore } from './outbox.js';
export type {
  ApproveOptions,
  DenyOptions,
  PendingConfirmation,
  PendingPermission,
  PermissionAnswer,
} from './prompts.js';
export type { ClientActionInput, Message, Session } from './session.js';
export { createSessionFsAdapter, type SessionFsAdapter } from './sessionFsAdapter.js';
export type {
  CreateSessionFsHandler,
  SessionFsConfig,
  SessionFsFileOptions,
  SessionFsFileStat,
  SessionFsHandler,
} from './sessionFsHandler.js';
export type { AppliedEnvelope } from './subscription.js';
export type { Schedule } from './timer.js';
export type { EarlierSteps, EarlierStepsOptions } from './turnPieces.js';
export { createWebSocketTransport, type WebSocketTransportOptions } from './webSocketTransport.js';
export { type OrderedAction, type PendingAction, WriteAhead, type WriteAheadOptions } from './writeAhead.js';
