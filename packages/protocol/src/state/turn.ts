import type { URI } from '../uri.js';
import type { Author, ContentRef, ErrorInfo, TextRange, UsageInfo } from './common.js';
import type { CompletedToolCall, ToolCallState } from './toolCall.js';

export interface UserMessage {
  /** With `textRef`, only its head and its tail. */
  readonly text: string;
  /** The whole text, where it is too long for the state. */
  readonly textRef?: ContentRef;
  readonly attachments?: readonly Attachment[];
}

export interface Attachment {
  readonly kind: 'file' | 'directory' | 'selection' | 'image' | 'text';
  readonly label: string;
  readonly uri?: URI;
  /** Base64 for an image, the text itself for a selection or a text. */
  readonly data?: string;
  /** In place of `data`, where that is too large for the state: the text, or the decoded bytes of an image. */
  readonly ref?: ContentRef;
  readonly mimeType?: string;
  readonly range?: TextRange;
}

export interface MarkdownPart {
  readonly kind: 'markdown';
  readonly id: string;
  readonly content: string;
}

export interface ReasoningPart {
  readonly kind: 'reasoning';
  readonly id: string;
  readonly content: string;
  readonly startedAt?: number;
  /** When something else followed it, or its turn ended. */
  readonly endedAt?: number;
}

export interface ContentRefPart {
  readonly kind: 'contentRef';
  readonly id: string;
  readonly ref: ContentRef;
}

/** Keeps the order of text and tools; the call itself is in `toolCalls`. Only `session/toolStart` makes one. */
export interface ToolCallPart {
  readonly kind: 'toolCall';
  readonly toolCallId: string;
  /** Its place among all parts of the turn, where parts between it and the next one are not in the state. */
  readonly index?: number;
}

/** A steering message, where the agent took it in. */
export interface SteeringPart {
  readonly kind: 'steering';
  readonly id: string;
  readonly userMessage: UserMessage;
  readonly by?: Author;
}

/** Something the host says, e.g. "the host restarted during this turn". */
export interface NoticePart {
  readonly kind: 'notice';
  readonly id: string;
  readonly text: string;
  readonly severity: 'info' | 'warning' | 'error';
}

/** The parts that `session/responsePart` can bring. */
export type AddedPart = MarkdownPart | ReasoningPart | ContentRefPart | SteeringPart | NoticePart;

export type ResponsePart = AddedPart | ToolCallPart;

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
}

export interface PermissionOption {
  readonly id: string;
  readonly label: string;
  readonly description?: string;
  readonly kind?: 'approve' | 'deny';
  /** Only chosen by its id, as in ConfirmationOption. */
  readonly explicit?: true;
}

/** What is left of a permission request when somebody has answered it. */
export interface AnsweredPermission {
  readonly requestId: string;
  readonly kind: 'permission' | 'question';
  readonly title: string;
  readonly approved: boolean;
  readonly optionId?: string;
  /** What the chosen option was called. */
  readonly optionLabel?: string;
  /** The beginning of a written answer, MAX_ANSWER_KEPT code units at the most; so is the title. */
  readonly text?: string;
  readonly by?: Author;
  readonly at: number;
  /** How many parts the turn had then, with the earlier ones: where the answer stands among them. */
  readonly afterParts: number;
}

export interface ActiveTurn {
  readonly id: string;
  /** Empty where the turn is the agent's own. */
  readonly userMessage: UserMessage;
  /** The agent began it by itself, between two turns: something that it left running, say. */
  readonly origin?: 'agent';
  readonly by?: Author;
  readonly responseParts: readonly ResponsePart[];
  /** How many parts are not in `responseParts` any more; `fetchParts` returns them. */
  readonly earlierParts?: number;
  readonly toolCalls: Readonly<Record<string, ToolCallState>>;
  readonly pendingPermissions: Readonly<Record<string, PermissionRequest>>;
  /** In the order of the answers; the newest MAX_ANSWERED_PERMISSIONS. */
  readonly answeredPermissions?: readonly AnsweredPermission[];
  readonly usage?: UsageInfo;
  /** The session's model when the turn began. */
  readonly model?: string;
  readonly startedAt: number;
}

export interface Turn {
  readonly id: string;
  /** Empty where the turn is the agent's own. */
  readonly userMessage: UserMessage;
  /** The agent began it by itself, between two turns: something that it left running, say. */
  readonly origin?: 'agent';
  readonly by?: Author;
  readonly responseParts: readonly ResponsePart[];
  readonly earlierParts?: number;
  readonly toolCalls: readonly CompletedToolCall[];
  readonly answeredPermissions?: readonly AnsweredPermission[];
  readonly usage?: UsageInfo;
  /** The session's model when the turn began. */
  readonly model?: string;
  readonly state: 'complete' | 'cancelled' | 'error';
  readonly error?: ErrorInfo;
  readonly startedAt: number;
  readonly endedAt: number;
}
