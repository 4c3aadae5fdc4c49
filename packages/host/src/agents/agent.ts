import type {
  AgentIcon,
  AgentInfo,
  AvailableAgent,
  ErrorInfo,
  FileChangeSummary,
  FileEditResultContent,
  ModelInfo,
  PermissionRequest,
  SessionCommand,
  SessionMode,
  ToolCallResult,
  ToolCallStart,
  ToolResultContent,
  UnavailableAgent,
  UsageInfo,
  UserMessage,
} from '@agenthost/protocol';
import type { Disposable } from '@agenthost/rpc';
import type { SessionFs } from '../storage/fs/sessionFs.js';
import type { TempFiles } from '../storage/stateRoot/tempFiles.js';
import type { AgentCustomization, CustomizationSupport } from './agentCustomization.js';
import type { AgentPackage } from './install/agentPackage.js';

/**
 * A backend that does the work: one for each provider.
 *
 * Contract:
 * - Nothing outside the agent's own folder knows its tool names, parameters or SDK. What it reports is ready to display.
 * - `availability` and `listModels` may be slow and may be called often; they don't start sessions.
 * - `dispose` ends every session that is still open, and resolves when no process is left.
 */
export interface Agent {
  readonly descriptor: AgentDescriptor;
  /** What `installAgent` fetches for it; without it there is nothing to install or to remove. */
  readonly npmPackage?: AgentPackage | undefined;
  /** Without it nothing is looked for, listed or asked about in its sessions. */
  readonly customizations?: CustomizationSupport;
  availability(): Promise<AvailableAgent | UnavailableAgent>;
  listModels(): Promise<readonly ModelInfo[]>;
  /** Rejects with an error whose message a person can act on; the session's creation then fails with it. */
  openSession(options: OpenSessionOptions): Promise<AgentSession>;
  dispose(): Promise<void>;
}

/** `supportsMultipleChats` is for an agent that can't have two sessions side by side: all others can have several chats. */
export type AgentDescriptor = Pick<
  AgentInfo,
  'provider' | 'displayName' | 'description' | 'supportsMultipleChats' | 'runsInput'
> & { readonly icon?: AgentIcon };

export interface OpenSessionOptions {
  readonly sessionId: string;
  /** An absolute path that exists. */
  readonly cwd: string;
  readonly model?: string;
  /** The native id of the session to go on with, from an earlier `AgentSession.nativeSessionId`. */
  readonly resume?: string;
  /** With `resume`, the id of the mode that the session was in when it was last open. */
  readonly mode?: string;
  readonly sessionFs: SessionFs;
  /** Where the session may have an SQLite database: whoever opens it makes it. Absent where its files are not on this machine. */
  readonly databasePath?: string;
  /** Those that it is to use. When they change, the session is opened anew before the next turn, with `resume`. */
  readonly customizations: readonly AgentCustomization[];
  /**
   * `createSession.config`, as the client sent it. Unchecked: it comes from outside. A `mode` in it is the one to begin in; an
   * agent that does not have it rejects, and the host refuses it for agents that report no mode.
   */
  readonly config: Readonly<Record<string, unknown>>;
  /** The whole environment for the agent's processes; none of the host's secrets is in it. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborts when the session is disposed of while it is still being opened. */
  readonly signal: AbortSignal;
  /** For what has to be a file for a while: an attachment for a program, say. They go when the session leaves the memory. */
  readonly tempFiles?: TempFiles;
}

/**
 * One session of an agent.
 *
 * Contract:
 * - Events of one turn come in order. After `idle` or `error` nothing comes until the next `send`, but for `title`,
 *   `mode`, `checkpoint` and `commands`, or until `ownTurn`, which begins a turn that nobody sent a message for. It ends like any
 *   other. `send` may still be called while it runs; what follows is one turn then.
 * - `send` is called only when no turn runs; it resolves when the agent has taken the message; progress comes as events.
 * - `abort` leads to `idle` or `error` within five seconds, or the host disposes of the session.
 * - A failure during a turn (a thrown error, a dead process) is one `error` event, not a rejected promise.
 * - `dispose` may be called at any time and more than once; afterwards there are no events and no processes.
 */
export interface AgentSession {
  readonly nativeSessionId: string | undefined;
  /** Those that are known when it has been opened; a change is an event. */
  readonly commands?: readonly SessionCommand[] | undefined;
  /** The mode that it is in when it has been opened, for agents that have modes; a change is an event. */
  readonly mode?: SessionMode | undefined;
  onEvent(listener: (event: AgentEvent) => void): Disposable;
  send(message: UserMessage): Promise<void>;
  /** Resolves when the running turn has taken the message in; rejects when it can't, and then the message waits. */
  steer?(message: UserMessage): Promise<void>;
  /** The answer to a tool call that waits (its `toolCallId`) or to a permission request (its `requestId`). */
  answer(requestId: string, decision: Decision): void;
  abort(): Promise<void>;
  /**
   * Asks it to report nothing for now: what it reported is still on its way to where it is kept. It stops reading its source;
   * what it has read already may still come. `abort` and `dispose` work meanwhile. An agent without these is not asked, and
   * its turn ends with an error when far too much waits.
   */
  pause?(): void;
  resume?(): void;
  /** Used from the next turn on. */
  setModel?(id: string): Promise<void>;
  dispose(): Promise<void>;
}

export interface Decision {
  readonly approved: boolean;
  readonly optionId?: string;
  readonly editedToolInput?: string;
  /** Why not; agents that can go on after a denial are told. */
  readonly reason?: string;
  /** The answer to a question with `allowText`. */
  readonly text?: string;
}

/**
 * Bytes that belong to the answer: an image, audio, a file. The host stores them and puts a reference into the turn; what it
 * does not keep is a notice in the turn.
 */
export interface AgentContent {
  /** The bytes, or their base64. Absent where the agent only says that there was something; that is a notice, too. */
  readonly data?: Uint8Array | string | undefined;
  /** What the agent says they are. The host looks at the bytes before it believes that. */
  readonly mimeType?: string | undefined;
}

export interface AgentToolResult extends Omit<ToolCallResult, 'content'> {
  readonly content?: readonly (Exclude<ToolResultContent, FileEditResultContent> | AgentFileEdit)[];
}

/** A file that a tool changed. The host stores its contents, and refers to them. */
export interface AgentFileEdit extends Omit<FileEditResultContent, 'before' | 'after'> {
  /** Only where both are known for sure, to the last byte: somebody may write them back. */
  readonly whole?: WholeEdit;
}

export interface WholeEdit {
  /** `null` where there was no such file. */
  readonly before: string | null;
  readonly after: string;
}

export type AgentEvent =
  /** The agent goes on by itself, because something that it left running has ended or asks: events of a turn follow. */
  | { readonly type: 'ownTurn' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Announces a call; again for the same call when the agent learns while it runs that it has to ask. */
  | { readonly type: 'toolStart'; readonly toolCall: ToolCallStart }
  | {
      readonly type: 'toolUpdate';
      readonly toolCallId: string;
      readonly output?: string;
      readonly invocationMessage?: string;
    }
  | {
      readonly type: 'toolComplete';
      readonly toolCallId: string;
      readonly result: AgentToolResult;
      /** Images, audio and files of the result. The host adds a reference to each to `result.content`. */
      readonly contents?: readonly AgentContent[];
    }
  /** An image, audio or a file at this place of the answer. */
  | { readonly type: 'content'; readonly content: AgentContent }
  | { readonly type: 'permissionRequest'; readonly request: PermissionRequest }
  | { readonly type: 'notice'; readonly text: string; readonly severity: 'info' | 'warning' | 'error' }
  | { readonly type: 'usage'; readonly usage: UsageInfo }
  | { readonly type: 'title'; readonly title: string }
  /** The mode that the agent works in from now on; without one, it has none. */
  | { readonly type: 'mode'; readonly mode?: SessionMode }
  | { readonly type: 'activity'; readonly activity?: string }
  /** The whole plan; an empty one takes it away. */
  | { readonly type: 'plan'; readonly markdown: string }
  /** A summary of history that the agent has compacted. */
  | { readonly type: 'checkpoint'; readonly title: string; readonly markdown: string }
  /** A file to keep with the session, or a note of its research. The name may have folders, with `/` between them. */
  | {
      readonly type: 'artifact';
      readonly kind: 'file' | 'research';
      readonly name: string;
      readonly content: string | Uint8Array;
    }
  /** All that can follow a `/` at the start of a message. */
  | { readonly type: 'commands'; readonly commands: readonly SessionCommand[] }
  | { readonly type: 'changes'; readonly changes: readonly FileChangeSummary[] }
  | { readonly type: 'idle' }
  | { readonly type: 'error'; readonly error: ErrorInfo };
