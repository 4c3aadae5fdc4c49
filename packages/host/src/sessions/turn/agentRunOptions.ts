import type { SessionCommand, ToolCallResult, UserMessage } from '@agenthost/protocol';
import type { Agent, AgentContent, AgentToolResult, OpenSessionOptions } from '../../agents/agent.js';
import type { AgentAction, AgentArtifact, KeptContent } from '../../agents/events/agentEventMapper.js';
import type { KeepText } from '../../agents/events/boundedToolCall.js';
import type { HostLog } from '../../hostLog.js';

export interface AgentRunOptions {
  readonly agent: Agent;
  /** Asked for anew each time the agent's session is opened: model, customizations and native id may have changed. */
  readonly openOptions: () => Promise<Omit<OpenSessionOptions, 'signal'>>;
  /** Before a turn; the agent waits for it. What it rejects with is the turn's error. */
  readonly prepare?: (turnId: string, signal: AbortSignal) => Promise<void>;
  /** Where it is another one than when the agent's session was opened, that is opened anew before the next turn. */
  readonly openKey?: () => string;
  /** The agent begins a turn by itself. Whether the session has room for it. */
  readonly onOwnTurn: (turnId: string) => boolean;
  readonly onAction: (action: AgentAction) => void;
  /** Keeps the files of a result elsewhere. */
  readonly keepFiles: (result: AgentToolResult) => ToolCallResult;
  /** Keeps elsewhere what is too long for the state. */
  readonly keepText: KeepText;
  /** What stores images, audio and files of one turn. */
  readonly contentKeeper: () => (content: AgentContent) => KeptContent;
  /** A message as it was sent, with what the state only refers to. */
  readonly wholeMessage: (message: UserMessage) => Promise<UserMessage>;
  /** About how many bytes of what the agent reported wait to be stored or sent, and when those have gone. */
  readonly waitingBytes: () => number;
  readonly relieved: () => Promise<void>;
  readonly onStorageFailed: (error: unknown) => void;
  readonly onArtifact: (artifact: AgentArtifact) => void;
  readonly onCommands: (commands: readonly SessionCommand[]) => void;
  readonly onOpened: (nativeSessionId: string | undefined) => void;
  readonly abortGraceMs: number;
  /** After this long without a turn the agent's session is closed; the next turn resumes it. */
  readonly idleMs: number;
  readonly newId: () => string;
  readonly log: HostLog;
}
