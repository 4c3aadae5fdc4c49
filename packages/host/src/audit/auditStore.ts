import type { AuditEntry, FetchAuditResult } from '@agenthost/protocol';

/** An entry as it is stored: only owners of the same space read it. */
export interface StoredAuditEntry extends AuditEntry {
  readonly space: string;
}

export interface AuditQuery {
  readonly space: string;
  /** Only entries about this session. */
  readonly session?: string;
  readonly before?: string;
  readonly limit: number;
}

/** Newest first. A page may be empty and have a next one. */
export type AuditPage = FetchAuditResult;

/** Where the audit trail is kept. Entries are only ever appended; the oldest go when there are too many. */
export interface AuditStore {
  append(entries: readonly StoredAuditEntry[]): Promise<void>;
  read(query: AuditQuery): Promise<AuditPage>;
}
