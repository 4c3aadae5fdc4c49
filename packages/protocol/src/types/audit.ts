// Generated from the schemas by `npm run schemas`. Do not edit.

import type { Role } from './handshake.js';

export interface AuditActor {
  /** The person, or the device where no person is known. */
  readonly name: string;
  readonly device?: string;
  /** The id of its token, as in `listDevices`. */
  readonly token?: string;
  readonly role?: Role;
  readonly clientId?: string;
}

export interface AuditEntry {
  readonly at: number;
  /** For programs: the command, or `connected`, `refused`, `approved`, `tokenAdded` and so on. */
  readonly event: string;
  /** What happened, ready to display after the name in `by`, or alone without it. */
  readonly text: string;
  readonly by?: AuditActor;
  /** The network address. */
  readonly from?: string;
  readonly session?: string;
  readonly outcome?: 'done' | 'failed' | 'refused';
  /** How often it happened since the entry before it of the same kind. */
  readonly count?: number;
  /** Which of several hosts. */
  readonly host?: string;
}

export interface FetchAuditParams {
  /** Only entries about it. */
  readonly session?: string;
  /** `nextCursor` of the page before. */
  readonly before?: string;
  readonly limit: number;
}

export interface FetchAuditResult {
  /** Newest first. */
  readonly items: readonly AuditEntry[];
  /** Absent at the end. A page may be empty and have one. */
  readonly nextCursor?: string;
}

export interface NoteExportParams {
  readonly session: string;
  readonly format: 'md' | 'json';
}
