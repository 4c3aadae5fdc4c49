import type { PoolClient } from 'pg';
import type { PushDevice, PushStore, VapidKeys } from '../push/pushStore.js';
import type { Database } from './database.js';

const KEYS = 'vapidKeys';
/** Of tokens that are there: what a device had is gone with its token. */
const LIST = `select id, token_id as "tokenId", token_mark as "tokenMark", endpoint, p256dh, auth, notify, created_at as "createdAt"
  from push_device where token_id = 'owner' or token_id in (select id from token) order by created_at, id`;

/** The push subscriptions of all hosts of a database, which have the same keys. */
export class PgPush implements PushStore {
  readonly isShared = true;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async keys(make: () => Promise<VapidKeys>): Promise<VapidKeys> {
    const read = async () => {
      const sql = 'select value from secret where name = $1';
      const [found] = await this.#database.settle<{ value: string }>(sql, [KEYS]);
      return found && (JSON.parse(found.value) as VapidKeys);
    };
    const known = await read();
    if (known) return known;
    const made = await make();
    const sql = 'insert into secret (name, value) values ($1, $2) on conflict do nothing';
    await this.#database.settle(sql, [KEYS, JSON.stringify(made)]);
    return (await read()) ?? made;
  }

  list(): Promise<readonly PushDevice[]> {
    return this.#database.settle<PushDevice>(LIST);
  }

  async change(change: (devices: readonly PushDevice[]) => readonly PushDevice[]): Promise<void> {
    await this.#database.withClient(async (client) => {
      await client.query('begin');
      try {
        await client.query('lock table push_device in exclusive mode');
        const { rows } = await client.query<PushDevice>(LIST);
        const devices = change(rows);
        if (devices !== rows) await write(client, devices);
        await client.query('commit');
      } catch (error) {
        await client.query('rollback').catch(() => undefined);
        throw error;
      }
    });
  }
}

/** Also removes those of tokens that are gone, which no list has. */
async function write(client: Pick<PoolClient, 'query'>, devices: readonly PushDevice[]): Promise<void> {
  await client.query('delete from push_device where id <> all($1)', [devices.map(({ id }) => id)]);
  const sql = `insert into push_device (id, token_id, token_mark, endpoint, p256dh, auth, notify, created_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (id) do update set token_id = excluded.token_id,
    token_mark = excluded.token_mark, p256dh = excluded.p256dh, auth = excluded.auth, notify = excluded.notify`;
  for (const { id, tokenId, tokenMark, endpoint, p256dh, auth, notify, createdAt } of devices)
    await client.query(sql, [id, tokenId, tokenMark, endpoint, p256dh, auth, notify, createdAt]);
}
