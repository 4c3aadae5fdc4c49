import { Socket } from 'node:net';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import type { HostLog } from '../hostLog.js';
import { SessionFsFailure } from '../storage/fs/sessionFs.js';
import { connectionConfig, DatabaseError } from './connectionConfig.js';
import { connectError, statementError } from './databaseErrors.js';
import { Reach } from './reach.js';

export interface DatabaseOptions {
  /** `postgres://…`. The password may be in it, in PGPASSWORD, in .pgpass or in a service file; it is never logged. */
  readonly url: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly log: HostLog;
  readonly maxConnections?: number;
}

/** One statement is one transaction, and none may hold a lock for long: a stopped host would block those that replace it (FEN3). */
const SETTINGS =
  '-c search_path=agenthost -c lock_timeout=2000 -c statement_timeout=5000 -c idle_in_transaction_session_timeout=2000';
const CONNECT_MS = 5_000;
/** Longer than the server may take. Nothing else notices a network that swallows everything: TCP itself waits for minutes. */
const ANSWER_MS = 8_000;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 500;
/** A statement that takes too long this often does not come to an end, however often it is tried. */
const MAX_TIMEOUTS = 3;

/** SQLSTATE classes that say nothing about the statement: the server, the network or a lock was in the way. */
const TRANSIENT = /^(?:08|53|55P03|57|40)/;

/** The database did not answer in time. */
export class DatabaseAwayError extends Error {
  /** As PostgreSQL says it: the connection failed. */
  readonly code = '08006';
}

/** The host ends while the database is away, or others have taken its place: whether a statement was carried out is not known. */
class UndecidedFailure extends SessionFsFailure {
  constructor(cause: unknown) {
    super('UNDECIDED', "the database can't be reached, and this host waits no longer: the outcome is not known", {
      cause,
    });
    this.name = 'UndecidedFailure';
  }
}

/** The connections of this host to its database. `pg` is loaded only when there is one. */
export class Database {
  /** Shared with the connections that are apart. */
  readonly reach: Reach;
  readonly #pool: Pool;
  readonly #connect: (max: number, answerMs: number) => Pool;
  readonly #log: HostLog;
  #isEnding = false;
  /** Aborted when the statements that wait are given up. */
  #waiting = new AbortController();

  /** Rejects with a `DatabaseError` when it can't be reached now. */
  static async open({ url, log, env = process.env, maxConnections = 8 }: DatabaseOptions): Promise<Database> {
    const { default: pg } = await import('pg');
    const config = await connectionConfig(url, env);
    const sockets = new Set<Socket>();
    const stream = () => {
      const socket = new Socket();
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    };
    const connect = (max: number, answerMs: number) => {
      const pool = new pg.Pool({
        ...config,
        stream,
        max,
        options: SETTINGS,
        application_name: 'agenthost',
        connectionTimeoutMillis: Math.min(CONNECT_MS, answerMs),
        query_timeout: answerMs,
        keepAlive: true,
      });
      // An idle connection that breaks is only replaced. Without a listener it would end the host.
      pool.on('error', (error) => log.debug(`a connection to the database was lost: ${error.message}`));
      return pool;
    };
    const pool = connect(maxConnections, ANSWER_MS);
    const database = new Database(pool, connect, log);
    try {
      await database.#examine();
      return database;
    } catch (error) {
      await pool.end();
      // The driver leaves one open that it has no password for, and with it the program would wait.
      for (const socket of sockets) socket.destroy();
      throw connectError(error, url);
    }
  }

  private constructor(
    pool: Pool,
    connect: (max: number, answerMs: number) => Pool,
    log: HostLog,
    reach: Reach = new Reach(),
  ) {
    this.reach = reach;
    this.#pool = pool;
    this.#connect = connect;
    this.#log = log;
  }

  /** The same database over a connection of its own, for statements that must not wait for others, or for longer than this. */
  apart(answerMs: number): Database {
    return new Database(this.#connect(1, answerMs), this.#connect, this.#log, this.reach);
  }

  /** Warns of settings with which a crash loses what was acknowledged. */
  async #examine(): Promise<void> {
    const [row] = await this.query<{ version: string; encoding: string; fsync: string; commits: string }>(
      `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
         current_setting('fsync') as fsync, current_setting('synchronous_commit') as commits`,
    );
    if (Number(row?.version) < MIN_VERSION) {
      throw new DatabaseError('PostgreSQL is too old.', `agenthost needs version ${MIN_VERSION / 10_000} or newer.`);
    }
    if (row?.encoding !== 'UTF8') {
      throw new DatabaseError(`The database has the encoding ${row?.encoding}.`, 'Make one with encoding UTF8.');
    }
    if (row.fsync === 'off' || row.commits === 'off') {
      this.#log.warn('the database has fsync or synchronous_commit off: a crash of it loses what was acknowledged');
    }
    const replicas = await this.query("select 1 from pg_stat_replication where sync_state = 'async' limit 1");
    if (replicas.length > 0) {
      this.#log.warn('a standby of the database is asynchronous: a failover to it loses what was acknowledged last');
    }
  }

  /** Runs one statement once. Rejects when the database can't be reached. */
  async query<R extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    this.reach.asked();
    try {
      const { rows } = await this.#pool.query<R>(sql, [...values]);
      this.reach.answered();
      return rows;
    } catch (error) {
      if (isAnswer(error)) this.reach.answered();
      else this.reach.failed();
      throw statementError(error);
    }
  }

  /**
   * Runs one statement until its outcome is known, for as long as the database is away. Only for statements that may run twice:
   * the answer to the first run may have been lost.
   */
  async settle<R extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<R[]> {
    const { signal } = this.#waiting;
    let timeouts = 0;
    /** An earlier run may have been carried out. */
    let isUnknown = false;
    for (let delay = FIRST_RETRY_MS; ; delay = Math.min(delay * 2, MAX_RETRY_MS)) {
      try {
        return await this.query<R>(sql, values);
      } catch (error) {
        if (!isTransient(error)) throw error;
        if (isTimeout(error)) timeouts++;
        else isUnknown = true;
        if (timeouts === MAX_TIMEOUTS && !isUnknown) throw error;
        if (this.#isEnding || signal.aborted || timeouts === MAX_TIMEOUTS) throw new UndecidedFailure(error);
        this.#log.debug(`the database can't be reached, the statement is sent again: ${String(error)}`);
        await pause(delay, signal);
      }
    }
  }

  /** For several statements on one connection. */
  async withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let failure: Error | undefined;
    const onError = (error: Error) => {
      // The first of them says why; that the connection has ended comes after it.
      failure ??= error;
    };
    client.on('error', onError);
    try {
      return await work(client);
    } catch (error) {
      // After it each statement says no more than that the connection is of no use.
      throw failure ?? error;
    } finally {
      client.off('error', onError);
      client.release(failure);
    }
  }

  /** Statements that wait for the database to come back are given up, also those that come later. */
  giveUp(): void {
    this.#isEnding = true;
    this.giveUpWaiting();
  }

  /** Statements that wait now are given up. */
  giveUpWaiting(): void {
    this.#waiting.abort();
    this.#waiting = new AbortController();
  }

  async close(): Promise<void> {
    this.giveUp();
    await this.#pool.end();
  }
}

/** Ends early when the signal is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

const MIN_VERSION = 140_000;

/** The server was there, but the statement took longer than `statement_timeout`. */
function isTimeout(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === '57014';
}

/** Whether an error is the server's own, about a statement that it has seen. One that starts or stops is away. */
function isAnswer(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^(?:08|53|57P)/.test(code);
}

/** Whether an error says nothing about the statement itself. */
export function isTransient(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) return TRANSIENT.test(code);
  // Errors of the socket have the system's codes, those of the driver none.
  return typeof code === 'string' || /connection|timeout/i.test(String(message));
}
