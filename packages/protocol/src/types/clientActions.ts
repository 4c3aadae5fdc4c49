// Generated from the schemas by `npm run schemas`. Do not edit.

import type { PendingMessageKind } from './actions.js';
import type { Author } from './common.js';
import type { UserMessage } from './turns.js';

export interface CustomizationToggledAction {
  readonly type: 'session/customizationToggled';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly uri: string;
  readonly enabled: boolean;
}

export interface IsArchivedChangedAction {
  readonly type: 'session/isArchivedChanged';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly isArchived: boolean;
}

export interface IsReadChangedAction {
  readonly type: 'session/isReadChanged';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly isRead: boolean;
}

export interface ModelChangedAction {
  readonly type: 'session/modelChanged';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly model: string;
}

export interface PendingMessageRemovedAction {
  readonly type: 'session/pendingMessageRemoved';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly kind: PendingMessageKind;
  readonly id: string;
}

export interface PendingMessageSetAction {
  readonly type: 'session/pendingMessageSet';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly kind: PendingMessageKind;
  readonly id: string;
  readonly userMessage: UserMessage;
}

export interface PermissionResolvedAction {
  readonly type: 'session/permissionResolved';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly turnId: string;
  readonly requestId: string;
  readonly approved: boolean;
  readonly optionId?: string;
  readonly text?: string;
}

export interface QueuedMessagesReorderedAction {
  readonly type: 'session/queuedMessagesReordered';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly order: readonly string[];
}

export interface TitleChangedAction {
  readonly type: 'session/titleChanged';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly title: string;
}

export interface ToolCallConfirmedAction {
  readonly type: 'session/toolCallConfirmed';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly turnId: string;
  readonly toolCallId: string;
  readonly approved: boolean;
  readonly optionId?: string;
  readonly editedToolInput?: string;
  readonly reason?: string;
}

export interface TurnCancelledAction {
  readonly type: 'session/turnCancelled';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly turnId: string;
}

export interface TurnStartedAction {
  readonly type: 'session/turnStarted';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly turnId: string;
  readonly userMessage: UserMessage;
  /** The pending message that this turn is made of; the reducer takes it out of the pending ones. */
  readonly queuedMessageId?: string;
  /** The agent began the turn by itself: the message is empty then. Only the host says so. */
  readonly origin?: 'agent';
  /** The session's model at that time, stamped by the host for readers of a part of the log. */
  readonly model?: string;
}
