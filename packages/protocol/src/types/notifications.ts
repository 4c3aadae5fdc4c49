// Generated from the schemas by `npm run schemas`. Do not edit.

import type { FileChangeSummary, SessionMode, SessionStatus, SessionSummary } from './sessionState.js';
import type { SharedTerminal } from './terminals.js';

/** The last of a log-in. Only for the client that began it. Since version 2. */
export interface LoginEndedNotification {
  readonly type: 'notify/loginEnded';
  readonly login: string;
  readonly isLoggedIn: boolean;
  /** Ready to display: how it ended. */
  readonly message: string;
}

/** What an agent's own log-in program prints into its terminal. Only for the client that began it. Since version 2. */
export interface LoginOutputNotification {
  readonly type: 'notify/loginOutput';
  readonly login: string;
  readonly data: string;
}

/** Ephemeral: not reduced, not stored, not replayed. After a reconnect a client fetches the list again. */
export type Notification =
  | SessionAddedNotification
  | SessionRemovedNotification
  | SessionSummaryChangedNotification
  | ProgressNotification
  | StorageChangedNotification
  | LoginOutputNotification
  | LoginEndedNotification
  | TerminalOutputNotification
  | TerminalScreenNotification
  | TerminalChangedNotification
  | TerminalRemovedNotification
  | WorkChangedNotification;

export interface ProgressNotification {
  readonly type: 'notify/progress';
  readonly token: string;
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
}

export interface SessionAddedNotification {
  readonly type: 'notify/sessionAdded';
  readonly summary: SessionSummary;
}

export interface SessionRemovedNotification {
  readonly type: 'notify/sessionRemoved';
  readonly session: string;
}

export interface SessionSummaryChangedNotification {
  readonly type: 'notify/sessionSummaryChanged';
  readonly session: string;
  readonly changes: SessionSummaryChanges;
}

/** Only the changed fields; `null` where an optional field went away. */
export interface SessionSummaryChanges {
  readonly title?: string;
  readonly modifiedAt?: number;
  readonly status?: SessionStatus;
  readonly isRead?: boolean;
  readonly isArchived?: boolean;
  readonly activity?: string | null;
  readonly model?: string | null;
  readonly mode?: SessionMode | null;
  readonly workingDirectory?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly changes?: readonly FileChangeSummary[] | null;
  readonly lastTurnEndedAt?: number | null;
  readonly isCreating?: true | null;
}

/** The place of the sessions' files has changed. Since version 2. */
export interface StorageChangedNotification {
  readonly type: 'notify/storageChanged';
  /**
   * `client`: a client keeps the files. `gone`: that client has disconnected, and nothing can be stored until the host
   * restarts.
   */
  readonly storage: 'local' | 'client' | 'gone';
  /** Ready to display: what happened and what to do. */
  readonly message: string;
}

/** A terminal of a session is new, or has changed. For subscribers of the session. Since version 2. */
export interface TerminalChangedNotification {
  readonly type: 'notify/terminalChanged';
  readonly session: string;
  readonly terminal: SharedTerminal;
}

/** What the program in a terminal prints. Only for clients that have attached to it. Since version 2. */
export interface TerminalOutputNotification {
  readonly type: 'notify/terminalOutput';
  readonly terminal: string;
  /** Code units of output before this one. */
  readonly offset: number;
  readonly data: string;
}

/** A terminal of a session was closed. For subscribers of the session. Since version 2. */
export interface TerminalRemovedNotification {
  readonly type: 'notify/terminalRemoved';
  readonly session: string;
  readonly terminal: string;
}

/** For an attached client that was too slow: the screen as it is now, in place of all before. Since version 2. */
export interface TerminalScreenNotification {
  readonly type: 'notify/terminalScreen';
  readonly terminal: string;
  readonly screen: string;
  /** Of the output that comes next. */
  readonly offset: number;
}

/** Files of the session's folder have changed since the last turn or were restored. Since version 2. */
export interface WorkChangedNotification {
  readonly type: 'notify/workChanged';
  readonly session: string;
}
