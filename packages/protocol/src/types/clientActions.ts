// Generated from the schemas by `npm run schemas`. Do not edit.

import type { PendingMessageKind } from './actions.js';
import type { Author } from './common.js';
import type { FormSecrets, FormValues } from './forms.js';
import type { NewComment } from './reviews.js';
import type { UserMessage } from './turns.js';

/** The agent asks again. Only for one with `isRevocable`. Since version 2. */
export interface ApprovalRevokedAction {
  readonly type: 'session/approvalRevoked';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly approvalId: string;
}

/** Removes a review comment: by its author, or by a driver. Since version 2. */
export interface CommentRemovedAction {
  readonly type: 'session/commentRemoved';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly commentId: string;
}

/** Marks a review comment as dealt with, or as open again. Since version 2. */
export interface CommentResolvedAction {
  readonly type: 'session/commentResolved';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly commentId: string;
  readonly resolved: boolean;
}

/** Adds a review comment. Its author may change it so until it is sent. Since version 2. */
export interface CommentSetAction {
  readonly type: 'session/commentSet';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly comment: NewComment;
}

/** Takes effect from the next turn on. */
export interface CustomizationToggledAction {
  readonly type: 'session/customizationToggled';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly uri: string;
  readonly enabled: boolean;
}

/** Archives the session, or brings it back. */
export interface IsArchivedChangedAction {
  readonly type: 'session/isArchivedChanged';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly isArchived: boolean;
}

/** Marks the session as read or unread. */
export interface IsReadChangedAction {
  readonly type: 'session/isReadChanged';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly isRead: boolean;
}

/** Used from the next turn on. */
export interface ModelChangedAction {
  readonly type: 'session/modelChanged';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly model: string;
}

/** Removes a pending message. */
export interface PendingMessageRemovedAction {
  readonly type: 'session/pendingMessageRemoved';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly kind: PendingMessageKind;
  readonly id: string;
}

/** Queues or steers; queued while idle starts a turn at once. */
export interface PendingMessageSetAction {
  readonly type: 'session/pendingMessageSet';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly kind: PendingMessageKind;
  readonly id: string;
  readonly userMessage: UserMessage;
  /** The review comments that the message is made of: they are sent with it, or it is refused. Since version 2. */
  readonly comments?: readonly string[];
}

/** Unblocks the agent. Of a form: its `values`, or `approved` without them to skip it. */
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
  /** The answers to a form. Since version 2. */
  readonly values?: FormValues;
  /**
   * The answers to fields of kind `secret`. Only the agent gets them: the host passes the action on with empty texts.
   * Since version 2.
   */
  readonly secrets?: FormSecrets;
}

/** Says which of several sessions with one prompt is landed; the first of two wins. Since version 2. */
export interface PickChangedAction {
  readonly type: 'session/pickChanged';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  /** Absent to take it back. */
  readonly picked?: string;
}

/** Reorders the queue. */
export interface QueuedMessagesReorderedAction {
  readonly type: 'session/queuedMessagesReordered';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly order: readonly string[];
}

/**
 * Chooses a value of a setting; the agent is told at once. If it refuses, `settingsChanged` takes it back. Since
 * version 2.
 */
export interface SettingChosenAction {
  readonly type: 'session/settingChosen';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly setting: string;
  readonly value: string;
}

/** An agent's title never replaces a client's (`titleByUser`); an empty title allows it again. */
export interface TitleChangedAction {
  readonly type: 'session/titleChanged';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly title: string;
}

/** Unblocks or cancels the call. */
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

/** Gives input to a running call with `takesInput`. The host passes `text` on and removes it. Since version 2. */
export interface ToolInputAction {
  readonly type: 'session/toolInput';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly turnId: string;
  readonly toolCallId: string;
  /**
   * `line`: the text and the end of a line. `endOfInput`: Ctrl+D. `interrupt`: Ctrl+C, for what runs in the foreground.
   */
  readonly kind: 'line' | 'endOfInput' | 'interrupt';
  /**
   * Of a `line`, without its end; it may have several lines. Only on the way to the host: neither the log, nor the
   * echo, nor other clients get it.
   */
  readonly text?: string;
}

/**
 * Ends the turn, aborts the agent. With `holdQueue` pending messages wait until a client starts one or sends another.
 */
export interface TurnCancelledAction {
  readonly type: 'session/turnCancelled';
  readonly session: string;
  readonly at: number;
  readonly by?: Author;
  readonly turnId: string;
  /** Pending messages are not started because this turn has ended. Since version 2. */
  readonly holdQueue?: true;
}

/** Starts the agent. `origin: 'agent'`, only from the host, means that the agent began the turn. */
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
  /** The review comments that the message is made of: they are sent with it, or it is refused. Since version 2. */
  readonly comments?: readonly string[];
}
