import type { Pool, PoolClient, QueryResultRow } from 'pg';
import type { HostLog } from '../../hostLog.js';

export interface DatabaseOptions {
  /** `postgres://…`. The password may be in it, in PGPASSWORD or in a service file; it is never logged. */
  readonly url: string;
  readonly log: HostLog;
  readonly maxConnections?: number;
}

/** One statement is one transaction, and none may hold a lock for long: a stopped host would block those that replace it (FEN3). */
const SETTINGS =
  '-c search_path=agenthost -c lock_timeout=2000 -c statement_timeout=5000 -c idle_in_transaction_session_timeout=2000';
const CONNECT_MS = 5_000;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 2_000;

/** SQLSTATE classes that say nothing about the statement: the server, the network or a lock was in the way. */
const TRANSIENT = /^(?:08|53|55P03|57|40)/;

/** The connections of this host to its database. `pg` is loaded only when there is one. */
export class Database {
  readonly #pool: Pool;
  readonly #log: HostLog;
  readonly #closing = new AbortController();

  static async open({ url, log, maxConnections = 8 }: DatabaseOptions): Promise<Database> {
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({
      connectionString: url,
      max: maxConnections,
      options: SETTINGS,
      application_name: 'agenthost',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    });
    // An idle connection that breaks is only replaced. Without a listener it would end the host.
    pool.on('error', (error) => log.debug(`a connection to the database was lost: ${error.message}`));
    return new Database(pool, log);
  }

  private constructor(pool: Pool, log: HostLog) {
    this.#pool = pool;
    this.#log = log;
  }

  /** Runs one statement once. Rejects when the database can't be reached. */
  async query<R extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await this.#pool.query<R>(sql, [...values])).rows;
  }

  /**
   * Runs one statement until its outcome is known, for as long as the database is away. Only for statements that may run twice:
   * the answer to the first run may have been lost.
   */
  async settle<R extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    for (let delay = FIRST_RETRY_MS; ; delay = Math.min(delay * 2, MAX_RETRY_MS)) {
      try {
        return await this.query<R>(sql, values);
      } catch (error) {
        if (!isTransient(error) || this.#closing.signal.aborted) throw error;
        this.#log.debug(`the database can't be reached, the statement is sent again: ${String(error)}`);
        await this.#pause(delay);
      }
    }
  }

  /** For several statements on one connection. */
  async withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let failure: Error | undefined;
    const onError = (error: Error) => {
      failure = error;
    };
    client.on('error', onError);
    try {
      return await work(client);
    } finally {
      client.off('error', onError);
      client.release(failure);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#pool.end();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#closing.signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/** Whether an error says nothing about the statement itself. */
export function isTransient(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return TRANSIENT.test(code);
  // Errors of the socket have the system's codes, those of the driver none.
  return typeof code === 'string' || /connection|timeout/i.test(String(message));
}
