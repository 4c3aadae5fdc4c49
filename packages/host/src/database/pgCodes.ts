import type { CodeRecord, CodeStore } from '../server/access/oneTimeCodes.js';
import type { PairingValue } from '../server/access/pairings.js';
import type { Database } from './database.js';

const MAX_CODES = 16;

/** Codes that pair devices, for all hosts of a database: a balancer may lead a phone to another host than the one that made its code. */
export class PgCodes implements CodeStore<PairingValue> {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The clocks of hosts on one database differ by less than counts here. */
  now(): number {
    return Date.now();
  }

  async get(key: string): Promise<CodeRecord<PairingValue> | undefined> {
    const sql = 'select record from one_time_code where key = $1';
    const [row] = await this.#database.query<{ record: string }>(sql, [key]);
    return row && (JSON.parse(row.record) as CodeRecord<PairingValue>);
  }

  async replace(
    key: string,
    before: CodeRecord<PairingValue> | undefined,
    after: CodeRecord<PairingValue> | undefined,
  ): Promise<boolean> {
    if (!before) return after === undefined || this.#insert(key, after);
    const known = JSON.stringify(before);
    const sql = after
      ? 'update one_time_code set record = $3 where key = $1 and record = $2 returning key'
      : 'delete from one_time_code where key = $1 and record = $2 returning key';
    return (await this.#database.query(sql, [key, known, ...(after ? [JSON.stringify(after)] : [])])).length > 0;
  }

  async #insert(key: string, record: CodeRecord<PairingValue>): Promise<boolean> {
    const sql =
      'insert into one_time_code (key, record, expires_at) values ($1, $2, $3) on conflict do nothing returning key';
    const isNew = (await this.#database.query(sql, [key, JSON.stringify(record), record.expiresAt])).length > 0;
    const newest = `select key from one_time_code order by expires_at desc limit ${MAX_CODES}`;
    await this.#database.query(`delete from one_time_code where key not in (${newest})`);
    return isNew;
  }
}
