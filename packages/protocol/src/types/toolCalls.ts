// Generated from the schemas by `npm run schemas`. Do not edit.

import type { Author, ContentRef } from './common.js';

export interface CancelledToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly invocationMessage: string;
  readonly toolKind?: 'terminal';
  readonly language?: string;
  /** With `toolInputRef`, only its head and its tail. */
  readonly toolInput?: string;
  /** The tool is one of a client: the name of that client, ready to display. Since version 2. */
  readonly clientName?: string;
  /** The whole input, where it is too long for the state. */
  readonly toolInputRef?: ContentRef;
  /** The call that started the sub-agent which makes this one. Since version 2. */
  readonly parentToolCallId?: string;
  /** While it runs, clients may give it input with `session/toolInput`. Since version 2. */
  readonly takesInput?: true;
  readonly status: 'cancelled';
  /** Denied by an answer, or still open when its turn ended. */
  readonly cancelled: 'denied' | 'turnEnded';
  /** Who allowed or denied it. */
  readonly confirmed?: ToolConfirmed;
  readonly reason?: string;
  readonly output?: ToolOutput;
  readonly lastInput?: GivenInput;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A call that does not change any more. */
export type CompletedToolCall = FinishedToolCall | CancelledToolCall;

export interface ConfirmationOption {
  readonly id: string;
  readonly label: string;
  readonly kind: 'approve' | 'deny';
  /** Only chosen by its id: it also counts for later calls, or the agent does not say what it means. */
  readonly explicit?: true;
  readonly covers?: Covers;
}

/** What it allows from now on without a question, where it counts for later calls. Since version 2. */
export type Covers = string;

export interface FileEditResultContent {
  readonly type: 'fileEdit';
  readonly uri: string;
  readonly insertions: number;
  readonly deletions: number;
  readonly diff?: string;
  /** The whole file before and after, byte for byte; neither if the host is not sure. A new file has no `before`. */
  readonly before?: ContentRef;
  readonly after?: ContentRef;
}

export interface FinishedToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly invocationMessage: string;
  readonly toolKind?: 'terminal';
  readonly language?: string;
  /** With `toolInputRef`, only its head and its tail. */
  readonly toolInput?: string;
  /** The tool is one of a client: the name of that client, ready to display. Since version 2. */
  readonly clientName?: string;
  /** The whole input, where it is too long for the state. */
  readonly toolInputRef?: ContentRef;
  /** The call that started the sub-agent which makes this one. Since version 2. */
  readonly parentToolCallId?: string;
  /** While it runs, clients may give it input with `session/toolInput`. Since version 2. */
  readonly takesInput?: true;
  readonly status: 'completed';
  readonly confirmed: ToolConfirmed;
  readonly output?: ToolOutput;
  readonly lastInput?: GivenInput;
  readonly result: ToolCallResult;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The newest input that a client gave a running call. Its text is never stored or shown. Since version 2. */
export interface GivenInput {
  readonly kind: 'line' | 'endOfInput' | 'interrupt';
  readonly by?: Author;
  readonly at: number;
  /** How often the call was given input, this time included. */
  readonly count: number;
}

export interface PendingToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly invocationMessage: string;
  readonly toolKind?: 'terminal';
  readonly language?: string;
  /** With `toolInputRef`, only its head and its tail. */
  readonly toolInput?: string;
  /** The tool is one of a client: the name of that client, ready to display. Since version 2. */
  readonly clientName?: string;
  /** The whole input, where it is too long for the state. */
  readonly toolInputRef?: ContentRef;
  /** The call that started the sub-agent which makes this one. Since version 2. */
  readonly parentToolCallId?: string;
  /** While it runs, clients may give it input with `session/toolInput`. Since version 2. */
  readonly takesInput?: true;
  readonly status: 'pendingConfirmation';
  readonly confirmation: ToolConfirmation;
  readonly startedAt: number;
}

export interface PendingToolCallStart {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly invocationMessage: string;
  readonly toolKind?: 'terminal';
  readonly language?: string;
  /** With `toolInputRef`, only its head and its tail. */
  readonly toolInput?: string;
  /** The tool is one of a client: the name of that client, ready to display. Since version 2. */
  readonly clientName?: string;
  /** The whole input, where it is too long for the state. */
  readonly toolInputRef?: ContentRef;
  /** The call that started the sub-agent which makes this one. Since version 2. */
  readonly parentToolCallId?: string;
  /** While it runs, clients may give it input with `session/toolInput`. Since version 2. */
  readonly takesInput?: true;
  readonly status: 'pendingConfirmation';
  readonly confirmation: ToolConfirmation;
}

export interface RefResultContent {
  readonly type: 'contentRef';
  readonly ref: ContentRef;
}

export interface RunningToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly invocationMessage: string;
  readonly toolKind?: 'terminal';
  readonly language?: string;
  /** With `toolInputRef`, only its head and its tail. */
  readonly toolInput?: string;
  /** The tool is one of a client: the name of that client, ready to display. Since version 2. */
  readonly clientName?: string;
  /** The whole input, where it is too long for the state. */
  readonly toolInputRef?: ContentRef;
  /** The call that started the sub-agent which makes this one. Since version 2. */
  readonly parentToolCallId?: string;
  /** While it runs, clients may give it input with `session/toolInput`. Since version 2. */
  readonly takesInput?: true;
  readonly status: 'running';
  readonly confirmed: ToolConfirmed;
  readonly output?: ToolOutput;
  readonly lastInput?: GivenInput;
  readonly startedAt: number;
}

export interface RunningToolCallStart {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly displayName: string;
  readonly invocationMessage: string;
  readonly toolKind?: 'terminal';
  readonly language?: string;
  /** With `toolInputRef`, only its head and its tail. */
  readonly toolInput?: string;
  /** The tool is one of a client: the name of that client, ready to display. Since version 2. */
  readonly clientName?: string;
  /** The whole input, where it is too long for the state. */
  readonly toolInputRef?: ContentRef;
  /** The call that started the sub-agent which makes this one. Since version 2. */
  readonly parentToolCallId?: string;
  /** While it runs, clients may give it input with `session/toolInput`. Since version 2. */
  readonly takesInput?: true;
  readonly status: 'running';
  readonly confirmed: ToolConfirmed;
}

export interface TextResultContent {
  readonly type: 'text';
  readonly text: string;
}

export interface ToolCallResult {
  readonly success: boolean;
  readonly pastTenseMessage: string;
  readonly toolOutput?: string;
  readonly content?: readonly ToolResultContent[];
  readonly exitCode?: number;
  readonly error?: ToolError;
}

/** How `session/toolStart` announces a call; the reducer adds the times. */
export type ToolCallStart = PendingToolCallStart | RunningToolCallStart;

export type ToolCallState = PendingToolCall | RunningToolCall | FinishedToolCall | CancelledToolCall;

export interface ToolConfirmation {
  readonly title?: string;
  readonly options?: readonly ConfirmationOption[];
  /** The client may send back a changed `toolInput`. */
  readonly editable?: boolean;
  /** The agent says that the call only reads: it changes nothing and runs nothing. */
  readonly readOnly?: true;
}

export interface ToolConfirmed {
  readonly how: 'user' | 'policy' | 'notNeeded';
  readonly by?: Author;
  readonly optionId?: string;
  /** When it was answered. */
  readonly at?: number;
  /** Whoever allowed it changed its input. Since version 2. */
  readonly edited?: true;
}

export interface ToolError {
  readonly message: string;
  readonly code?: string;
}

/**
 * Live output: everything while it is short; then its first `TOOL_OUTPUT_HEAD` and its last `TOOL_OUTPUT_TAIL` code
 * units, joined, with `omitted` code units missing between the two.
 */
export interface ToolOutput {
  readonly text: string;
  readonly truncated?: boolean;
  readonly omitted?: number;
  readonly ref?: ContentRef;
}

export type ToolResultContent = TextResultContent | RefResultContent | FileEditResultContent;
