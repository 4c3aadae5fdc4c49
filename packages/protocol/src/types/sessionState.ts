// Generated from the schemas by `npm run schemas`. Do not edit.

import type { Author, ErrorInfo } from './common.js';
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
  readonly activeTurn?: ActiveTurn;
  readonly steeringMessage?: PendingMessage;
  readonly queuedMessages?: readonly PendingMessage[];
  readonly customizations?: readonly SessionCustomization[];
  /** What the agent takes after a `/` at the start of a message. */
  readonly commands?: readonly SessionCommand[];
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
  /** The keys of the metadata contract, and `group` for sessions that are chats of one another. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly changes?: readonly FileChangeSummary[];
  /** When the last turn ended; absent before that. */
  readonly lastTurnEndedAt?: number;
  /** Its agent is being started for the first time. */
  readonly isCreating?: true;
}
