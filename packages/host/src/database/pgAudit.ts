import type { AuditEntry } from '@agenthost/protocol';
import type { AuditPage, AuditQuery, AuditStore, StoredAuditEntry } from '../audit/auditStore.js';
import type { Database } from './database.js';

/** The newest of all hosts; about as much as a state folder keeps. */
const MAX_ROWS = 100_000;
/** After so many rows of this host the oldest are removed. */
const TRIM_EVERY = 1_000;

/** The audit trail of all hosts of a database. */
export class PgAudit implements AuditStore {
  readonly #database: Database;
  readonly #maxRows: number;
  #untrimmed = 0;

  constructor(database: Database, maxRows = MAX_ROWS) {
    this.#database = database;
    this.#maxRows = maxRows;
  }

  async append(entries: readonly StoredAuditEntry[]): Promise<void> {
    const shown = entries.map(({ space: _, ...entry }) => JSON.stringify(entry));
    await this.#database.query(
      'insert into audit (space, session, entry) select * from unnest($1::text[], $2::text[], $3::text[])',
      [entries.map(({ space }) => space), entries.map(({ session }) => session ?? null), shown],
    );
    this.#untrimmed += entries.length;
    if (this.#untrimmed < Math.min(TRIM_EVERY, this.#maxRows)) return;
    this.#untrimmed = 0;
    await this.#database.query('delete from audit where id <= (select max(id) from audit) - $1', [this.#maxRows]);
  }

  async read({ space, session, before, limit }: AuditQuery): Promise<AuditPage> {
    const id = /^\d{1,18}$/.test(before ?? '') ? before : undefined;
    const rows = await this.#database.query<{ id: string; entry: string }>(
      `select id, entry from audit where space = $1 and ($2::text is null or session = $2) and ($3::bigint is null or id < $3)
         order by id desc limit $4`,
      [space, session ?? null, id ?? null, limit],
    );
    const last = rows.length === limit ? rows.at(-1)?.id : undefined;
    return {
      items: rows.map(({ entry }) => JSON.parse(entry) as AuditEntry),
      ...(last !== undefined && { nextCursor: String(last) }),
    };
  }
}
