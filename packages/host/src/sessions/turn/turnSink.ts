import type {
  ContentRef,
  SessionCommand,
  SessionSetting,
  StandingApproval,
  ToolCallResult,
  UserMessage,
} from '@agenthost/protocol';
import type { AgentContent, AgentToolResult, LeftTurn, OpenSessionOptions } from '../../agents/agent.js';
import type { AgentAction, AgentArtifact, KeptContent } from '../../agents/events/agentEventMapper.js';

/** The session as its agent's run sees it: what to open the agent with, and where to put what the agent reports. */
export interface TurnSink {
  /** Whether no agent of another host can be at work in the session's folder. */
  readonly isAlone: boolean;
  /** Resolves when it is alone, and shows meanwhile that the turn waits for it. Rejects at the signal. */
  untilAlone(signal: AbortSignal): Promise<void>;
  /** Absent when the agent takes no customizations. */
  readonly preparation: TurnPreparation | undefined;
  /** Called each time the agent's session is opened: model, customizations and native id may have changed. */
  openOptions(): Promise<Omit<OpenSessionOptions, 'signal'>>;
  /** Whether the session has turns that an agent without a memory does not know. */
  readonly hasHistory: boolean;
  /** Called with the id that the agent's session is resumed with from now on. */
  agentOpened(nativeSessionId: string | undefined): void;
  /** The agent's session is resumed no more: it has turns that were removed. */
  agentForgotten(): Promise<void>;
  /** The turn that runs, as far as it is stored: an earlier host began it. */
  leftTurn(): Promise<LeftTurn | undefined>;
  /** Returns the message as it was sent, with the content that the state only refers to. */
  wholeMessage(message: UserMessage): Promise<UserMessage>;
  /** The agent begins a turn by itself. Returns whether the session can have one now. */
  beginOwnTurn(turnId: string): boolean;
  /** Keeps the folder as it is before the turn, for a bounded time. Absent where no snapshots are made. */
  keepFolder(turnId: string): Promise<void> | undefined;
  dispatch(action: AgentAction): void;
  commandsChanged(commands: readonly SessionCommand[]): void;
  settingsChanged(settings: readonly SessionSetting[]): void;
  /** The agent is closed and does not answer choices. */
  settingsAnswered(): void;
  /** The agent does something without asking from now on. */
  approvalAdded(approval: StandingApproval): void;
  approvalsEnded(): void;
  storeArtifact(artifact: AgentArtifact): void;
  /** Stores the files of a result, and returns the result that refers to them. */
  keepFiles(result: AgentToolResult): ToolCallResult;
  /** Stores a text that is too long for the state. */
  keepText(text: string): ContentRef | undefined;
  /** Returns what stores the images, audio and files of one turn. */
  contentKeeper(): (content: AgentContent) => KeptContent;
  /** About how many bytes of what the agent reported wait to be stored or sent. */
  readonly waitingBytes: number;
  /** Resolves when what waits now is stored and sent. */
  relieved(): Promise<void>;
  storageFailed(error: unknown): void;
}

/** Runs before each turn. */
export interface TurnPreparation {
  /** When it changes, the agent's session is opened again before the next turn. */
  readonly key: string;
  /** The agent waits for it. A rejection becomes the turn's error. */
  prepare(turnId: string, signal: AbortSignal): Promise<void>;
}
