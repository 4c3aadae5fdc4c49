import type {
  AgentIcon,
  AgentInfo,
  AvailableAgent,
  ErrorInfo,
  FileChangeSummary,
  FileEditResultContent,
  FormValues,
  GivenInput,
  ModelInfo,
  PermissionRequest,
  SessionCommand,
  SessionMode,
  SessionSetting,
  StandingApproval,
  ToolCallResult,
  ToolCallStart,
  ToolCallState,
  ToolResultContent,
  UnavailableAgent,
  UsageInfo,
  UserMessage,
} from '@agenthost/protocol';
import type { Disposable } from '@agenthost/rpc';
import type { SessionFs } from '../storage/fs/sessionFs.js';
import type { TempFiles } from '../storage/stateRoot/tempFiles.js';
import type { AgentCustomization, CustomizationSupport } from './agentCustomization.js';
import type { AgentLoginSupport } from './agentLogin.js';
import type { ClientTools } from './clientTools.js';
import type { AgentPackage } from './install/agentPackage.js';
import type { SessionRunner } from './runner/sessionRunner.js';

/**
 * A backend that does the work. There is one per provider.
 *
 * Contract:
 * - Nothing outside the agent's own folder knows its tool names, parameters or SDK. Its reports are ready to display.
 * - `availability` and `listModels` may be slow and may be called often; they don't start sessions.
 * - `dispose` ends every session that is still open, and resolves when no process is left.
 */
export interface Agent {
  readonly descriptor: AgentDescriptor;
  /** The package that `installAgent` fetches; without it there is nothing to install or to remove. */
  readonly npmPackage?: AgentPackage | undefined;
  /** Without it, the host finds no customizations for its sessions. */
  readonly customizations?: CustomizationSupport;
  /** Its sessions have `goOn`, and use `Outliving` where it is given. */
  readonly outlivesHost?: true;
  /** Without it, the agent needs no log-in. */
  readonly login?: AgentLoginSupport;
  availability(): Promise<AvailableAgent | UnavailableAgent>;
  listModels(): Promise<readonly ModelInfo[]>;
  /** Rejects with an error whose message a person can act on; the session's creation then fails with it. */
  openSession(options: OpenSessionOptions): Promise<AgentSession>;
  /**
   * Deletes a conversation in the agent's own store; no session has it open. Resolves when it is gone, or was not there. Rejects with
   * why it is kept, as a sentence for people. Without this method, the agent keeps nothing outside of the session's folder.
   */
  deleteConversation?(options: DeleteConversationOptions): Promise<void>;
  dispose(): Promise<void>;
}

/** `supportsMultipleChats` is for an agent that can't have two sessions side by side: all others can have several chats. */
export type AgentDescriptor = Pick<
  AgentInfo,
  'provider' | 'displayName' | 'description' | 'supportsMultipleChats' | 'runsInput'
> & { readonly icon?: AgentIcon };

export interface DeleteConversationOptions extends Pick<OpenSessionOptions, 'sessionId' | 'env' | 'signal'> {
  /** The session's folder. Absent when programs must not run there, because what it configures is not trusted. */
  readonly cwd?: string;
  /** An earlier `AgentSession.nativeSessionId`. */
  readonly nativeSessionId: string;
}

export interface OpenSessionOptions {
  readonly sessionId: string;
  /** An absolute path that exists. */
  readonly cwd: string;
  readonly model?: string;
  /** The native id of the session to resume, from an earlier `AgentSession.nativeSessionId`. */
  readonly resume?: string;
  /**
   * The turns of this session so far, as text. An agent that did not resume a session gives it to its model with the first message,
   * once, and says so in a notice. `undefined` while the session has no ended turn.
   */
  readonly transcript?: () => Promise<Transcript | undefined>;
  /** With `resume`, the id of the mode that the session was in when it was last open. */
  readonly mode?: string;
  /**
   * The values that users chose for settings, by the setting's id, also without `resume`. The agent sets them again; it ignores
   * those that it no longer offers.
   */
  readonly settings?: Readonly<Record<string, string>>;
  readonly sessionFs: SessionFs;
  /** Path for an SQLite database of the session; the agent that opens it creates it. Absent when the files are not on this machine. */
  readonly databasePath?: string;
  /** The customizations to use. When they change, the session is reopened with `resume` before the next turn. */
  readonly customizations: readonly AgentCustomization[];
  /**
   * `createSession.config` as the client sent it. It is unchecked input. A `mode` in it is the first mode: an agent that does not
   * have it rejects, and the host refuses it for agents without modes.
   */
  readonly config: Readonly<Record<string, unknown>>;
  /** The whole environment for the agent's processes; none of the host's secrets is in it. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborts when the session is disposed of while it is still being opened. */
  readonly signal: AbortSignal;
  /** Where programs outlive the host. An agent that uses it has `goOn`. */
  readonly outliving?: Outliving;
  /** For temporary files, such as an attachment for a program. They are removed when the session is unloaded. */
  readonly tempFiles?: TempFiles;
  /**
   * Tools that clients carry out. Absent when there are none. The session is reopened with `resume` before the next turn when there are
   * others. An agent asks about their calls as about those of any other tool.
   */
  readonly clientTools?: ClientTools;
}

/** What an agent needs so that its programs outlive the host. */
export interface Outliving {
  readonly runner: SessionRunner;
  /** Of the turn that runs. */
  readonly turnId: () => string | undefined;
  /** Resolves when all that the agent has reported so far is stored: it is not reported again. Rejects when that failed. */
  stored(): Promise<void>;
}

/** A turn of an earlier host, as far as it was stored. */
export interface LeftTurn {
  readonly id: string;
  readonly message: UserMessage;
  /** By the ids that the agent gave them. */
  readonly calls: Readonly<Record<string, ToolCallState>>;
  /** Whether the agent has said something beside its calls. */
  readonly hasText: boolean;
  /** How many bytes a call has printed, as UTF-8. To be called before it prints more. */
  printed(toolCallId: string): Promise<number>;
}

/** What was said and done in a session, for an agent that was not there. */
export interface Transcript {
  readonly text: string;
  /** How many turns it has. */
  readonly turns: number;
  /** Whether these are all turns of the session. */
  readonly isWhole: boolean;
}

/**
 * One session of an agent.
 *
 * Contract:
 * - Events of one turn come in order. After `idle` or `error` nothing comes until the next `send`, except `title`, `mode`,
 *   `settings`, `checkpoint`, `commands` and `approval`, or until `ownTurn`, which begins a turn without a message. It ends like any
 *   other. `send`
 *   may be called while it runs; both are then one turn.
 * - `send` is called only when no turn runs; it resolves when the agent has accepted the message; progress comes as events.
 * - `abort` leads to `idle` or `error` within five seconds, or the host disposes of the session.
 * - A failure during a turn (a thrown error, a dead process) is one `error` event, not a rejected promise.
 * - `dispose` may be called at any time and more than once; afterwards there are no events and no processes.
 */
export interface AgentSession {
  readonly nativeSessionId: string | undefined;
  /** The models that are known when it has been opened; a change is an event. */
  readonly commands?: readonly SessionCommand[] | undefined;
  /** The mode when it has been opened, for agents with modes; a change is an event. */
  readonly mode?: SessionMode | undefined;
  /** What users can choose when it has been opened, the mode included; a change is an event. */
  readonly settings?: readonly SessionSetting[] | undefined;
  onEvent(listener: (event: AgentEvent) => void): Disposable;
  send(message: UserMessage): Promise<void>;
  /**
   * Goes on with a turn of an earlier host: what was stored of it is not reported again. Called instead of `send` on a session that was
   * just opened. Resolves with whether it can.
   */
  goOn?(turn: LeftTurn): Promise<boolean>;
  /**
   * Resolves when the running turn has taken the message; rejects when it has not, and then the message waits for the turn's end.
   * Called for one message at a time. An answer that comes long after the turn's end counts as a refusal.
   */
  steer?(message: UserMessage): Promise<void>;
  /** Answers a waiting tool call (by its `toolCallId`) or a permission request (by its `requestId`). */
  answer(requestId: string, decision: Decision): void;
  /**
   * Gives input to a running call that was announced with `takesInput`. Decides at once whether it takes it, and does not wait for the
   * program to read it. The text may be a password: it is kept nowhere and in no error.
   */
  input?(toolCallId: string, input: ToolInput): ToolInputProblem | undefined;
  /** Ends an `approval` with `isRevocable`: from the next call on the agent asks again. */
  revokeApproval?(id: string): void;
  abort(): Promise<void>;
  /**
   * Asks the agent to report nothing for now, because earlier reports are still being stored. It stops reading its source;
   * what it has already read may still come. `abort` and `dispose` work meanwhile. An agent without these methods continues,
   * and its turn ends with an error when far too much waits.
   */
  pause?(): void;
  resume?(): void;
  /**
   * Copies the agent's memory of the session as it is now. Resolves with the native id of the copy, which another session resumes.
   * Called between two turns. `undefined` when the agent can't.
   */
  fork?(): Promise<string | undefined>;
  /**
   * Forgets its newest turns, which began with these messages in this order. Called between two turns. Resolves with `false` when it
   * can't be sure that it forgot exactly those: then it is opened anew, and gets what remains as text.
   */
  rewind?(messages: readonly UserMessage[]): Promise<boolean>;
  /** Used from the next turn on. */
  setModel?(id: string): Promise<void>;
  /**
   * Sets one of `settings`, also while a turn runs. Resolves when the agent has taken the value and a `settings` event has said so;
   * rejects with the reason when it refuses. The host asks for one change at a time.
   */
  setSetting?(id: string, value: string): Promise<void>;
  dispose(): Promise<void>;
}

export interface ToolInput {
  /** A line, the end of the input (Ctrl+D), or an interrupt of what runs in the foreground (Ctrl+C). */
  readonly kind: GivenInput['kind'];
  /** Of a `line`: one line or several, without the end of the last one. */
  readonly text?: string;
}

/** Why a call does not take input; the codes of the refusal. */
export type ToolInputProblem = 'callNotRunning' | 'inputFull' | 'inputTooLong';

export interface Decision {
  readonly approved: boolean;
  readonly optionId?: string;
  readonly editedToolInput?: string;
  /** The reason of a denial; agents that continue after a denial get it. */
  readonly reason?: string;
  /** The answer to a question with `allowText`. */
  readonly text?: string;
  /** The answer to a question with a `form`, by the ids of its fields, secrets included. Absent when the agent shall decide. */
  readonly values?: FormValues;
}

/**
 * Bytes of the answer: an image, audio, a file. The host stores them and puts a reference into the turn; for content that it
 * does not keep, it adds a notice.
 */
export interface AgentContent {
  /** The bytes, or their base64. Absent when the agent only reports that there was content; that adds a notice too. */
  readonly data?: Uint8Array | string | undefined;
  /** The type according to the agent. The host checks the bytes. */
  readonly mimeType?: string | undefined;
}

export interface AgentToolResult extends Omit<ToolCallResult, 'content'> {
  readonly content?: readonly (Exclude<ToolResultContent, FileEditResultContent> | AgentFileEdit)[];
}

/** A file that a tool changed. The host stores its contents and refers to them. */
export interface AgentFileEdit extends Omit<FileEditResultContent, 'before' | 'after'> {
  /** Only when both are proven to the last byte: a client may write them back. */
  readonly whole?: WholeEdit;
}

export interface WholeEdit {
  /** `null` when no file existed. */
  readonly before: string | null;
  readonly after: string;
}

export type AgentEvent =
  /** The agent continues by itself, because a background task has ended or asks: events of a turn follow. */
  | { readonly type: 'ownTurn' }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Announces a call; sent again for the same call when the agent learns while it runs that it has to ask. */
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
  /** An image, audio or a file at this position of the answer. */
  | { readonly type: 'content'; readonly content: AgentContent }
  | { readonly type: 'permissionRequest'; readonly request: PermissionRequest }
  /** The agent no longer waits for the answer to a `permissionRequest`. */
  | { readonly type: 'questionWithdrawn'; readonly requestId: string }
  | { readonly type: 'notice'; readonly text: string; readonly severity: 'info' | 'warning' | 'error' }
  | { readonly type: 'usage'; readonly usage: UsageInfo }
  | { readonly type: 'title'; readonly title: string }
  /** The agent's mode from now on; absent when it has none. */
  | { readonly type: 'mode'; readonly mode?: SessionMode }
  /** All settings with their values from now on. */
  | { readonly type: 'settings'; readonly settings: readonly SessionSetting[] }
  | { readonly type: 'activity'; readonly activity?: string }
  /** The whole plan; an empty one removes it. */
  | { readonly type: 'plan'; readonly markdown: string }
  /** A compaction summary: the agent summarised earlier history. */
  | { readonly type: 'checkpoint'; readonly title: string; readonly markdown: string }
  /** A file to keep with the session, or a research note. The name may have folders, separated by `/`. */
  | {
      readonly type: 'artifact';
      readonly kind: 'file' | 'research';
      readonly name: string;
      readonly content: string | Uint8Array;
    }
  /** All commands that can follow a `/` at the start of a message. */
  | { readonly type: 'commands'; readonly commands: readonly SessionCommand[] }
  /** An answer counts for later calls: what the agent does without asking until its session is closed. */
  | { readonly type: 'approval'; readonly approval: StandingApproval }
  | { readonly type: 'changes'; readonly changes: readonly FileChangeSummary[] }
  | { readonly type: 'idle' }
  | { readonly type: 'error'; readonly error: ErrorInfo };
