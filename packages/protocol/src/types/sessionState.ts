// Generated from the schemas by `npm run schemas`. Do not edit.

import type { Author, ErrorInfo } from './common.js';
import type { PickedSession, ReviewComment, TestRun } from './reviews.js';
import type { ActiveTurn, Turn, UserMessage } from './turns.js';

export interface Customization {
  readonly uri: string;
  readonly displayName: string;
  readonly description?: string;
  readonly kind: 'instructions' | 'skill' | 'agent' | 'mcpServer' | 'plugin';
}

export interface FileChangeSummary {
  readonly uri: string;
  readonly insertions: number;
  readonly deletions: number;
}

export interface OfferedTool {
  readonly name: string;
  readonly title?: string;
  /** Its beginning. */
  readonly description: string;
}

/** The tools that a client carries out for the agent. */
export interface OfferedTools {
  readonly client: Author;
  readonly tools: readonly OfferedTool[];
}

export interface PendingMessage {
  readonly id: string;
  readonly userMessage: UserMessage;
  readonly by?: Author;
}

/** Sent as a message that begins with `/name`. */
export interface SessionCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description?: string;
  /** What may be written after it, e.g. "a branch". Absent if nothing is expected there. */
  readonly inputHint?: string;
}

export interface SessionCustomization {
  readonly customization: Customization;
  readonly enabled: boolean;
  readonly status?: 'loading' | 'loaded' | 'degraded' | 'error';
  readonly statusMessage?: string;
}

/** A mode of the agent. The id is the agent's own. */
export interface SessionMode {
  readonly id: string;
  /** Ready to display; absent if the agent gives no name. */
  readonly name?: string;
}

/** Something that the agent lets users choose in a session: its mode, its effort. The ids are the agent's own. */
export interface SessionSetting {
  readonly id: string;
  /** Ready to display. */
  readonly name: string;
  readonly description?: string;
  /** What it is about: `mode`, `effort`, or another word of the agent. Clients know how to show some. */
  readonly kind?: string;
  /** The id of one of `values`; the agent may also be at one that it does not offer. */
  readonly value: string;
  readonly values: readonly SettingValue[];
  /** A client chose the value. The host sets it again when it reopens the agent. */
  readonly chosen?: SettingChoice;
  /** The agent has not answered the last choice yet. */
  readonly pending?: true;
  /** Why the agent did not take the last choice. */
  readonly problem?: string;
}

export interface SessionState {
  readonly summary: SessionSummary;
  readonly lifecycle: 'creating' | 'ready' | 'creationFailed';
  readonly creationError?: ErrorInfo;
  /** A person chose the title: no title of an agent replaces it. */
  readonly titleByUser?: true;
  /** The newest ones; a client may hold more of them than the host has in memory. */
  readonly turns: readonly Turn[];
  /** How many turns before the first of `turns` `fetchTurns` can return. */
  readonly earlierTurns?: number;
  /** How often the newest turns were removed. Since version 2. */
  readonly truncations?: number;
  readonly activeTurn?: ActiveTurn;
  readonly steeringMessage?: PendingMessage;
  readonly queuedMessages?: readonly PendingMessage[];
  readonly customizations?: readonly SessionCustomization[];
  /** What the agent takes after a `/` at the start of a message. */
  readonly commands?: readonly SessionCommand[];
  /** What the agent lets users choose. The setting of kind `mode` says the same as `summary.mode`. Since version 2. */
  readonly settings?: readonly SessionSetting[];
  /** What the running agent does without asking, the newest last. Not logged. Since version 2. */
  readonly approvals?: readonly StandingApproval[];
  /** Which clients carry out which tools for the agent. Not logged. Since version 2. */
  readonly clientTools?: readonly OfferedTools[];
  /** What people say about lines of the changes, in the order in which they wrote it. Since version 2. */
  readonly comments?: readonly ReviewComment[];
  /** Since version 2. */
  readonly tests?: TestRun;
  /** Of several sessions with one prompt (`metadata.several`). Since version 2. */
  readonly picked?: PickedSession;
  /** Which clients look at this session now. Not logged. */
  readonly clients?: readonly Author[];
}

export type SessionStatus = 'idle' | 'inProgress' | 'inputNeeded' | 'error';

export interface SessionSummary {
  readonly resource: string;
  readonly provider: string;
  readonly title: string;
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly status: SessionStatus;
  readonly isRead: boolean;
  readonly isArchived: boolean;
  /** What the agent does right now, e.g. "Running npm test". */
  readonly activity?: string;
  readonly model?: string;
  /** How the agent works right now, e.g. planning. Since version 2. */
  readonly mode?: SessionMode;
  /** A `file:` URI. */
  readonly workingDirectory?: string;
  /**
   * The keys of the metadata contract, `group` for sessions that are chats of one another, and `several` (`Several`).
   */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly changes?: readonly FileChangeSummary[];
  /** When the last turn ended; absent before that. */
  readonly lastTurnEndedAt?: number;
  /** Its agent is being started for the first time. */
  readonly isCreating?: true;
}

export interface SettingChoice {
  readonly by?: Author;
  /** The turn that ran at that moment: its next step may be the first with the new value. */
  readonly turnId?: string;
}

export interface SettingValue {
  readonly id: string;
  /** Ready to display. */
  readonly name: string;
  readonly description?: string;
}

/** An answer that counts for later calls too. Since version 2. */
export interface StandingApproval {
  readonly id: string;
  /** What the agent does without asking, e.g. "Every command". */
  readonly covers: string;
  /** `session/approvalRevoked` ends it. Absent if the agent itself keeps it, until its process ends. */
  readonly isRevocable?: true;
}
