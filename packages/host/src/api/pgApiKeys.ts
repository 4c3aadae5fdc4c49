import type { Database } from '../database/database.js';
import { KEY_MS, type KeyRecord, type KeyStore, MAX_KEYS } from './keyStore.js';

/** After so many keys of this host the oldest are removed. */
const TRIM_EVERY = 500;

/** The keys of all hosts of a database. */
export class PgApiKeys implements KeyStore {
  readonly isShared = true;
  readonly #database: Database;
  #untrimmed = TRIM_EVERY;

  constructor(database: Database) {
    this.#database = database;
  }

  async claim(id: string, record: KeyRecord): Promise<KeyRecord | undefined> {
    await this.#trim();
    const insert = 'insert into api_key (id, record, at) values ($1, $2, $3) on conflict do nothing returning id';
    const made = await this.#database.query(insert, [id, JSON.stringify(record), record.at]);
    if (made.length > 0) return undefined;
    const [row] = await this.#database.query<{ record: string }>('select record from api_key where id = $1', [id]);
    const known = row && (JSON.parse(row.record) as KeyRecord);
    if (known && Date.now() - known.at < KEY_MS) return known;
    await this.put(id, record);
    return undefined;
  }

  async put(id: string, record: KeyRecord): Promise<void> {
    const sql = `insert into api_key (id, record, at) values ($1, $2, $3)
      on conflict (id) do update set record = excluded.record, at = excluded.at`;
    await this.#database.query(sql, [id, JSON.stringify(record), record.at]);
  }

  async remove(id: string): Promise<void> {
    await this.#database.query('delete from api_key where id = $1', [id]);
  }

  async #trim(): Promise<void> {
    if (++this.#untrimmed < TRIM_EVERY) return;
    this.#untrimmed = 0;
    const newest = '(select at from api_key order by at desc offset $2 limit 1)';
    await this.#database.query(`delete from api_key where at < $1 or at <= ${newest}`, [Date.now() - KEY_MS, MAX_KEYS]);
  }
}
