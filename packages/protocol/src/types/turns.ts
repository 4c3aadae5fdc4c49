// Generated from the schemas by `npm run schemas`. Do not edit.

import type { Author, ContentRef, ErrorInfo, TextRange, UsageInfo } from './common.js';
import type { Form } from './forms.js';
import type { CompletedToolCall, Covers, ToolCallState } from './toolCalls.js';

export interface ActiveTurn {
  readonly id: string;
  /** Empty if the agent began the turn. */
  readonly userMessage: UserMessage;
  /** The agent began the turn by itself, between two turns of the user. */
  readonly origin?: 'agent';
  readonly by?: Author;
  readonly responseParts: readonly ResponsePart[];
  /** How many parts are no longer in `responseParts`; `fetchParts` returns them. */
  readonly earlierParts?: number;
  readonly toolCalls: Readonly<Record<string, ToolCallState>>;
  readonly pendingPermissions: Readonly<Record<string, PermissionRequest>>;
  /** In the order of the answers; the newest `MAX_ANSWERED_PERMISSIONS`. */
  readonly answeredPermissions?: readonly AnsweredPermission[];
  readonly usage?: UsageInfo;
  /** The session's model when the turn began. */
  readonly model?: string;
  readonly startedAt: number;
}

/** The parts that `session/responsePart` can add. */
export type AddedPart = MarkdownPart | ReasoningPart | ContentRefPart | SteeringPart | NoticePart;

/** What is kept of a permission request after it was answered. */
export interface AnsweredPermission {
  readonly requestId: string;
  readonly kind: 'permission' | 'question';
  readonly title: string;
  readonly approved: boolean;
  readonly optionId?: string;
  /** The label of the chosen option. */
  readonly optionLabel?: string;
  /**
   * The beginning of a written answer, or of the values of a form: at most `MAX_ANSWER_KEPT` code units, as of the
   * title.
   */
  readonly text?: string;
  /** What became of a form. Skipped: the agent decides. Since version 2. */
  readonly form?: 'answered' | 'skipped' | 'declined';
  readonly by?: Author;
  readonly at: number;
  /** How many parts the turn had then, including dropped ones: the place of the answer among them. */
  readonly afterParts: number;
}

export interface Attachment {
  readonly kind: 'file' | 'directory' | 'selection' | 'image' | 'text';
  readonly label: string;
  readonly uri?: string;
  /** Base64 for an image, the text itself for a selection or a text. */
  readonly data?: string;
  /** In place of `data` that is too large for the state: the text, or the decoded bytes of an image. */
  readonly ref?: ContentRef;
  readonly mimeType?: string;
  readonly range?: TextRange;
}

export interface ContentRefPart {
  readonly kind: 'contentRef';
  readonly id: string;
  readonly ref: ContentRef;
}

export interface MarkdownPart {
  readonly kind: 'markdown';
  readonly id: string;
  readonly content: string;
}

/** Something that the host says, e.g. "the host restarted during this turn". */
export interface NoticePart {
  readonly kind: 'notice';
  readonly id: string;
  readonly text: string;
  readonly severity: 'info' | 'warning' | 'error';
}

export interface PermissionOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly kind?: 'approve' | 'deny';
  /** Only chosen by its id, as in `ConfirmationOption`. */
  readonly explicit?: true;
  readonly covers?: Covers;
}

/** A question that is not the confirmation of one announced tool call. */
export interface PermissionRequest {
  readonly requestId: string;
  readonly kind: 'permission' | 'question';
  readonly title: string;
  readonly message: string;
  readonly toolCallId?: string;
  readonly options?: readonly PermissionOption[];
  readonly allowText?: boolean;
  readonly askedAt?: number;
  /**
   * What is asked, field by field. `options` and `allowText` are then for clients that show no forms. Since version 2.
   */
  readonly form?: Form;
}

export interface ReasoningPart {
  readonly kind: 'reasoning';
  readonly id: string;
  readonly content: string;
  readonly startedAt?: number;
  /** When something else followed it, or its turn ended. */
  readonly endedAt?: number;
}

export type ResponsePart = MarkdownPart | ReasoningPart | ContentRefPart | SteeringPart | NoticePart | ToolCallPart;

/** A steering message, at the place where the agent took it in. */
export interface SteeringPart {
  readonly kind: 'steering';
  readonly id: string;
  readonly userMessage: UserMessage;
  readonly by?: Author;
}

/** Keeps the order of text and tools; the call itself is in `toolCalls`. Only `session/toolStart` adds one. */
export interface ToolCallPart {
  readonly kind: 'toolCall';
  readonly toolCallId: string;
  /** Its place among all parts of the turn, where parts between it and the next one are not in the state. */
  readonly index?: number;
}

export interface Turn {
  readonly id: string;
  /** Empty if the agent began the turn. */
  readonly userMessage: UserMessage;
  /** The agent began the turn by itself, between two turns of the user. */
  readonly origin?: 'agent';
  readonly by?: Author;
  readonly responseParts: readonly ResponsePart[];
  /** How many parts are no longer in `responseParts`; `fetchParts` returns them. */
  readonly earlierParts?: number;
  readonly toolCalls: readonly CompletedToolCall[];
  /** In the order of the answers; the newest `MAX_ANSWERED_PERMISSIONS`. */
  readonly answeredPermissions?: readonly AnsweredPermission[];
  readonly usage?: UsageInfo;
  /** The session's model when the turn began. */
  readonly model?: string;
  readonly state: 'complete' | 'cancelled' | 'error';
  readonly error?: ErrorInfo;
  /** Pending messages wait after this turn until a client starts one or sends another. Since version 2. */
  readonly holdsQueue?: true;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface UserMessage {
  /** With `textRef`, only its head and its tail. */
  readonly text: string;
  /** The whole text, where it is too long for the state. */
  readonly textRef?: ContentRef;
  readonly attachments?: readonly Attachment[];
}
