import type { FileChangeSummary, SessionStatus, SessionSummary } from './state/sessionState.js';
import type { URI } from './uri.js';

/** Ephemeral: not reduced, not stored, not replayed. After a reconnect a client fetches the list again. */
export type Notification =
  | SessionAddedNotification
  | SessionRemovedNotification
  | SessionSummaryChangedNotification
  | ProgressNotification;

export interface SessionAddedNotification {
  readonly type: 'notify/sessionAdded';
  readonly summary: SessionSummary;
}

export interface SessionRemovedNotification {
  readonly type: 'notify/sessionRemoved';
  readonly session: URI;
}

export interface SessionSummaryChangedNotification {
  readonly type: 'notify/sessionSummaryChanged';
  readonly session: URI;
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
  readonly workingDirectory?: URI | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly changes?: readonly FileChangeSummary[] | null;
  readonly lastTurnEndedAt?: number | null;
  readonly isCreating?: true | null;
}

export interface ProgressNotification {
  readonly type: 'notify/progress';
  readonly token: string;
  readonly message: string;
  readonly done?: number;
  readonly total?: number;
}
