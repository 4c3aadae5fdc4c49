import type {
  ApproveOptions,
  Content,
  DenyOptions,
  EarlierSteps,
  EarlierStepsOptions,
  ExportOptions,
  FetchContentOptions,
  Interruption,
  Message,
  Observable,
  PendingConfirmation,
  PendingPermission,
  PermissionAnswer,
  ToolCallInput,
} from '@agenthost/client';
import type {
  ActiveTurn,
  Artifact,
  NewComment,
  SessionState,
  ToolCallState,
  Turn,
  UserMessage,
} from '@agenthost/protocol';
import type { URI } from '../session.js';

export type ChatPhase =
  | { readonly state: 'opening' }
  | { readonly state: 'open' }
  /** Its provider has it but can't load it now, and is asked again; `state` shows what it was last, and what is sent waits. */
  | ({ readonly state: 'interrupted' } & Interruption)
  /** Its provider has it no more; `state` shows what it was last. */
  | { readonly state: 'gone'; readonly error: Error }
  | { readonly state: 'failed'; readonly error: unknown };

/** What a chat may be able to do beyond being read. */
export const CHAT_FEATURES = ['submit', 'steer', 'artifacts', 'customizations', 'settings'] as const;
export type ChatFeature = (typeof CHAT_FEATURES)[number];

export interface OpenChatOptions {
  /** How many of the newest turns to begin with. */
  readonly turns?: number;
}

export type ConfirmationAnswer =
  | ({ readonly approved: true } & ApproveOptions)
  | ({ readonly approved: false } & DenyOptions);

/**
 * An open conversation: all its state and all that can be done in it, from the moment it is made until it is
 * disposed. `chatModelOf` makes one of a list of turns.
 *
 * Contract:
 * - What changes something waits until the chat is open, shows in `state` at once, resolves when its provider has accepted it
 *   and rejects when it has not. What the chat can't do rejects with a NotSupportedError.
 * - Messages that were sent are delivered also after `dispose`.
 */
export interface ChatModel {
  readonly resource: URI;
  /** What user interfaces may offer. */
  readonly supports: ReadonlySet<ChatFeature>;
  readonly phase: Observable<ChatPhase>;
  /** As it will be when its provider accepts what was sent; nothing until it is open. */
  readonly state: Observable<SessionState | undefined>;
  /** The provider's word: what is only in `state` is kept here, and is sent when there is a connection. */
  readonly confirmed: Observable<SessionState | undefined>;
  readonly confirmations: Observable<readonly PendingConfirmation[]>;
  readonly permissions: Observable<readonly PendingPermission[]>;

  /** Resolves when its state is here. */
  opened(): Promise<void>;
  /** Ends the wait for the next attempt, where the provider could not load it. Absent where that never happens. */
  retryNow?(): void;
  /**
   * Starts a turn; while one runs, the message waits for its end. Resolves with the message's id. Sent again with the same
   * id, it is taken once.
   */
  submit(message: Message, id?: string): Promise<string>;
  /** For the running turn; when that is over by then, for the next one. */
  steer(message: Message, id?: string): Promise<string>;
  editPending(id: string, message: Message): Promise<void>;
  removePending(id: string): Promise<void>;
  reorderQueue(order: readonly string[]): Promise<void>;
  /** Rejects with an AnsweredElsewhereError when another client was faster. */
  confirm(turnId: string, toolCallId: string, answer: ConfirmationAnswer): Promise<void>;
  /** As `confirm`, for a question or permission of the agent. */
  answer(turnId: string, requestId: string, answer: PermissionAnswer): Promise<void>;
  /** Types into a running call that has `takesInput`: a line, Ctrl+D, Ctrl+C. Nobody keeps the text. */
  sendInput(toolCallId: string, input: ToolCallInput): Promise<void>;
  /** Stops the running turn. With `holdQueue` the messages that wait are not sent until `resumeQueue` or the next message. */
  cancel(options?: { readonly holdQueue?: boolean }): Promise<void>;
  /** Sends the first message that waits; the others follow as usual. */
  resumeQueue(): Promise<void>;

  rename(title: string): Promise<void>;
  setModel(modelId: string): Promise<void>;
  /** Chooses a value of one of `state.settings`: the agent's mode, its effort. When the agent refuses it later, it goes back and says why. */
  chooseSetting(setting: string, value: string): Promise<void>;
  markRead(isRead?: boolean): Promise<void>;
  archive(isArchived?: boolean): Promise<void>;
  /** Ends one of the state's `approvals` that has `isRevocable`: the agent asks again. */
  revokeApproval(approvalId: string): Promise<void>;
  toggleCustomization(uri: URI, enabled: boolean): Promise<void>;

  /** Puts older turns in front of those in `state`; resolves with how many there were. */
  loadEarlierTurns(limit?: number): Promise<number>;
  /** Forgets old turns but for the newest; `loadEarlierTurns` brings them back. */
  trimTurns(keep: number): void;
  /** A message as it was sent: `state` only refers to what is large. To edit it. */
  wholeMessage(message: UserMessage): Promise<UserMessage>;
  /** All of what a tool call was given: `state` only refers to what is large. To show it to the person who approves it. */
  wholeInput(call: ToolCallState): Promise<string>;
  /** A page of the parts that a turn had before those that `state` has of it. */
  earlierSteps(turn: ActiveTurn | Turn, options?: EarlierStepsOptions): Promise<EarlierSteps>;
  /** What `state` only refers to: large output, images. */
  fetchContent(uri: URI, options?: FetchContentOptions): Promise<Content>;
  /** What the session keeps beside its conversation; as many as asked for. */
  listArtifacts(limit: number): Promise<readonly Artifact[]>;

  /**
   * The whole conversation as the text of a file, in pieces, as `agenthost export` writes it. Rejects when a piece can't be read.
   * Missing where the provider has no files.
   */
  exported?(options: ExportOptions): AsyncGenerator<string, void, undefined>;

  /** Comments on lines of the changes: `state` has them. Missing where the provider has no changes. */
  readonly review?: ChatReview;

  /** Call it when the conversation is no longer shown. */
  dispose(): void;
}

/** What reviewers do with comments; everybody who looks at the chat sees them. */
export interface ChatReview {
  /** Adds a comment, or changes one of the user that was not sent. */
  setComment(comment: NewComment): Promise<void>;
  removeComment(id: string): Promise<void>;
  resolveComment(id: string, isResolved: boolean): Promise<void>;
  /** Sends comments as one message; while a turn runs, it waits for its end. Resolves with the message's id. */
  sendComments(text: string, ids: readonly string[]): Promise<string>;
}
