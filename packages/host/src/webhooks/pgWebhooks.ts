import { parseSessionUri, type URI } from '@agenthost/protocol';
import type { Database } from '../database/database.js';
import type { StoredWebhook, WaitingSession, WebhookQueue, WebhookStore } from './webhookStore.js';

/** Sessions of one look; the others are found later. */
const MAX_FOUND = 1_000;
const LIST = 'select record from webhook order by created_at, id';
const WAITING = `
select m.resource as session, p.cursor, coalesce(p.bytes, 0)::text as bytes
from session_all s join summary_all m on m.session = s.id
left join webhook_place p on p.webhook = $1 and p.session = s.id
where s.space = $2 and s.log_size > coalesce(p.bytes, 0)`;

/** The webhooks of all hosts of a database. What waits is told by the sizes of the sessions' logs. */
export class PgWebhooks implements WebhookStore {
  readonly isShared = true;
  readonly #database: Database;
  readonly #hostId: string;

  constructor(database: Database, hostId: string) {
    this.#database = database;
    this.#hostId = hostId;
  }

  async list(): Promise<readonly StoredWebhook[]> {
    const rows = await this.#database.query<{ record: string }>(LIST);
    return rows.map(({ record }) => JSON.parse(record) as StoredWebhook);
  }

  async change(
    change: (webhooks: readonly StoredWebhook[]) => readonly StoredWebhook[],
  ): Promise<readonly StoredWebhook[]> {
    return this.#database.withClient(async (client) => {
      await client.query('begin');
      try {
        await client.query('lock table webhook in exclusive mode');
        const { rows } = await client.query<{ record: string }>(LIST);
        const before = rows.map(({ record }) => JSON.parse(record) as StoredWebhook);
        const after = change(before);
        if (after !== before) {
          const ids = after.map(({ id }) => id);
          await client.query('delete from webhook where id <> all($1)', [ids]);
          const sql = `insert into webhook (id, record, created_at) values ($1, $2, $3)
            on conflict (id) do update set record = excluded.record`;
          for (const one of after) await client.query(sql, [one.id, JSON.stringify(one), one.createdAt]);
          const gone = before.filter(({ id }) => !ids.includes(id)).map(({ id }) => id);
          await client.query('delete from webhook_place where webhook = any($1)', [gone]);
        }
        await client.query('commit');
        return after;
      } catch (error) {
        await client.query('rollback').catch(() => undefined);
        throw error;
      }
    });
  }

  async queueOf({ id, space }: StoredWebhook): Promise<WebhookQueue> {
    const keep = ({ session, cursor }: WaitingSession) => this.#keep(id, session, cursor);
    return {
      place: undefined,
      waiting: (isThorough) => this.#waiting(id, space, isThorough),
      begin: () => {},
      keep,
      end: keep,
      close: () => {},
    };
  }

  async startNow({ id, space }: StoredWebhook): Promise<void> {
    const sql = `insert into webhook_place (webhook, session, bytes)
      select $1, id, log_size from session_all where space = $2 and log_size > 0
      on conflict (webhook, session) do update set cursor = null, bytes = excluded.bytes`;
    await this.#database.query(sql, [id, space]);
  }

  async holdsLease(ms: number): Promise<boolean> {
    const sql = `insert into webhook_lease as l (id, host, ends_at) values (1, $1, now() + $2 * interval '1 millisecond')
      on conflict (id) do update set host = excluded.host, ends_at = excluded.ends_at
      where l.host = $1 or l.ends_at < now() returning host`;
    return (await this.#database.query(sql, [this.#hostId, ms])).length > 0;
  }

  async titleOf(session: URI): Promise<string | undefined> {
    const sql = 'select title from summary_all where resource = $1';
    return (await this.#database.query<{ title: string }>(sql, [session]))[0]?.title;
  }

  async #waiting(id: string, space: string, isThorough: boolean): Promise<readonly WaitingSession[]> {
    type Row = { session: string; cursor: string | null; bytes: string };
    const which = isThorough ? '' : 'and s.owner is not null';
    const rows = await this.#database.query<Row>(`${WAITING} ${which} limit ${MAX_FOUND}`, [id, space]);
    return rows.map(({ session, cursor, bytes }) => ({
      session,
      seq: 0,
      bytes: Number(bytes),
      ...(cursor !== null && { cursor }),
    }));
  }

  /** Nothing for a session, or a webhook, that was removed meanwhile. */
  async #keep(id: string, session: URI, cursor: string | undefined): Promise<void> {
    if (cursor === undefined) return;
    const sql = `insert into webhook_place as p (webhook, session, cursor, bytes)
      select w.id, s.id, $3, $4 from session_all s, webhook w where w.id = $1 and s.id = $2
      on conflict (webhook, session) do update set cursor = excluded.cursor, bytes = greatest(p.bytes, excluded.bytes)`;
    await this.#database.query(sql, [id, parseSessionUri(session)?.sessionId, cursor, Number(cursor.split('-')[2])]);
  }
}
