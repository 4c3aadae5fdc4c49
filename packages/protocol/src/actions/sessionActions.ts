import type { Author, ContentRef, ErrorInfo, UsageInfo } from '../state/common.js';
import type { FileChangeSummary, SessionCommand, SessionCustomization, SessionMode } from '../state/sessionState.js';
import type { ToolCallResult, ToolCallStart } from '../state/toolCall.js';
import type { AddedPart, PermissionRequest, UserMessage } from '../state/turn.js';
import type { URI } from '../uri.js';

export interface SessionActionBase {
  readonly session: URI;
  /** Milliseconds since 1970, stamped by the host when it orders the action (by a client for its own prediction). */
  readonly at: number;
}

/** What a client may dispatch; the host stamps `by`. */
export interface ClientActionBase extends SessionActionBase {
  readonly by?: Author;
}

export interface ReadyAction extends SessionActionBase {
  readonly type: 'session/ready';
}

export interface CreationFailedAction extends SessionActionBase {
  readonly type: 'session/creationFailed';
  readonly error: ErrorInfo;
}

export interface TurnStartedAction extends ClientActionBase {
  readonly type: 'session/turnStarted';
  readonly turnId: string;
  readonly userMessage: UserMessage;
  /** The pending message that this turn is made of; the reducer takes it out of the pending ones. */
  readonly queuedMessageId?: string;
  /** The agent began it by itself: the message is empty then. Only the host says so. */
  readonly origin?: 'agent';
  /** The model that the session has then, stamped by the host: whoever reads a part of a log does not know it otherwise. */
  readonly model?: string;
}

export interface DeltaAction extends SessionActionBase {
  readonly type: 'session/delta';
  readonly turnId: string;
  readonly partId: string;
  readonly content: string;
}

export interface ResponsePartAction extends SessionActionBase {
  readonly type: 'session/responsePart';
  readonly turnId: string;
  readonly part: AddedPart;
}

export interface ReasoningAction extends SessionActionBase {
  readonly type: 'session/reasoning';
  readonly turnId: string;
  readonly partId: string;
  readonly content: string;
}

export interface ToolStartAction extends SessionActionBase {
  readonly type: 'session/toolStart';
  readonly turnId: string;
  readonly toolCall: ToolCallStart;
}

export interface ToolUpdateAction extends SessionActionBase {
  readonly type: 'session/toolUpdate';
  readonly turnId: string;
  readonly toolCallId: string;
  /** A chunk, appended to the live output. */
  readonly output?: string;
  /** Where the whole output can be read. */
  readonly ref?: ContentRef;
  readonly invocationMessage?: string;
}

export interface ToolCallConfirmedAction extends ClientActionBase {
  readonly type: 'session/toolCallConfirmed';
  readonly turnId: string;
  readonly toolCallId: string;
  readonly approved: boolean;
  readonly optionId?: string;
  readonly editedToolInput?: string;
  readonly reason?: string;
}

export interface ToolCompleteAction extends SessionActionBase {
  readonly type: 'session/toolComplete';
  readonly turnId: string;
  readonly toolCallId: string;
  readonly result: ToolCallResult;
}

export interface PermissionRequestAction extends SessionActionBase {
  readonly type: 'session/permissionRequest';
  readonly turnId: string;
  readonly request: PermissionRequest;
}

export interface PermissionResolvedAction extends ClientActionBase {
  readonly type: 'session/permissionResolved';
  readonly turnId: string;
  readonly requestId: string;
  readonly approved: boolean;
  readonly optionId?: string;
  readonly text?: string;
}

export interface TurnCompleteAction extends SessionActionBase {
  readonly type: 'session/turnComplete';
  readonly turnId: string;
}

export interface TurnCancelledAction extends ClientActionBase {
  readonly type: 'session/turnCancelled';
  readonly turnId: string;
}

export interface ErrorAction extends SessionActionBase {
  readonly type: 'session/error';
  readonly turnId: string;
  readonly error: ErrorInfo;
}

export interface TitleChangedAction extends ClientActionBase {
  readonly type: 'session/titleChanged';
  readonly title: string;
}

export interface UsageAction extends SessionActionBase {
  readonly type: 'session/usage';
  readonly turnId: string;
  readonly usage: UsageInfo;
}

export interface ModelChangedAction extends ClientActionBase {
  readonly type: 'session/modelChanged';
  readonly model: string;
}

/** Since version 2. */
export interface ModeChangedAction extends SessionActionBase {
  readonly type: 'session/modeChanged';
  /** Absent when the agent no longer has a mode. */
  readonly mode?: SessionMode;
}

export interface IsReadChangedAction extends ClientActionBase {
  readonly type: 'session/isReadChanged';
  readonly isRead: boolean;
}

export interface IsArchivedChangedAction extends ClientActionBase {
  readonly type: 'session/isArchivedChanged';
  readonly isArchived: boolean;
}

export interface ActivityChangedAction extends SessionActionBase {
  readonly type: 'session/activityChanged';
  readonly activity?: string;
}

export interface ChangesChangedAction extends SessionActionBase {
  readonly type: 'session/changesChanged';
  readonly changes: readonly FileChangeSummary[];
}

export interface ClientsChangedAction extends SessionActionBase {
  readonly type: 'session/clientsChanged';
  readonly clients: readonly Author[];
}

export interface MetadataChangedAction extends SessionActionBase {
  readonly type: 'session/metadataChanged';
  /** Merged by key; `null` removes the key. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export type PendingMessageKind = 'steering' | 'queued';

export interface PendingMessageSetAction extends ClientActionBase {
  readonly type: 'session/pendingMessageSet';
  readonly kind: PendingMessageKind;
  readonly id: string;
  readonly userMessage: UserMessage;
}

export interface PendingMessageRemovedAction extends ClientActionBase {
  readonly type: 'session/pendingMessageRemoved';
  readonly kind: PendingMessageKind;
  readonly id: string;
}

export interface QueuedMessagesReorderedAction extends ClientActionBase {
  readonly type: 'session/queuedMessagesReordered';
  readonly order: readonly string[];
}

export interface CustomizationsChangedAction extends SessionActionBase {
  readonly type: 'session/customizationsChanged';
  readonly customizations: readonly SessionCustomization[];
  /** Absent where they have not changed. */
  readonly commands?: readonly SessionCommand[];
}

export interface CustomizationToggledAction extends ClientActionBase {
  readonly type: 'session/customizationToggled';
  readonly uri: URI;
  readonly enabled: boolean;
}

export type SessionAction =
  | ReadyAction
  | CreationFailedAction
  | TurnStartedAction
  | DeltaAction
  | ResponsePartAction
  | ReasoningAction
  | ToolStartAction
  | ToolUpdateAction
  | ToolCallConfirmedAction
  | ToolCompleteAction
  | PermissionRequestAction
  | PermissionResolvedAction
  | TurnCompleteAction
  | TurnCancelledAction
  | ErrorAction
  | TitleChangedAction
  | UsageAction
  | ModelChangedAction
  | ModeChangedAction
  | IsReadChangedAction
  | IsArchivedChangedAction
  | ActivityChangedAction
  | ChangesChangedAction
  | ClientsChangedAction
  | MetadataChangedAction
  | PendingMessageSetAction
  | PendingMessageRemovedAction
  | QueuedMessagesReorderedAction
  | CustomizationsChangedAction
  | CustomizationToggledAction;
