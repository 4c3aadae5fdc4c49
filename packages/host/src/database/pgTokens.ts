import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import type { HostLog } from '../hostLog.js';
import type { DeviceToken, DeviceTokenStore } from '../server/access/deviceToken.js';
import { newToken, TokenFile } from '../server/access/tokenFile.js';
import type { TokenSource, TokenWatcher } from '../server/access/tokenSource.js';
import type { Database } from './database.js';
import { PgCodes } from './pgCodes.js';

/** How often a host looks for tokens that were added or revoked. */
const LOOK_MS = 1_000;
/** Many connections at once cause one write. */
const GATHER_MS = 500;
const OWNER_TOKEN = 'ownerToken';
/** When the owner's token was last used, in milliseconds since 1970. */
const OWNER_USE = 'ownerTokenUsedAt';
const OWNER_ID = 'owner';

/** The tokens of all hosts of a database. */
export class PgTokens implements TokenSource {
  readonly owner: TokenSource['owner'];
  readonly devices: DeviceTokenStore;
  readonly use: TokenSource['use'];
  readonly codes: TokenSource['codes'];
  readonly #database: Database;
  readonly #log: HostLog;

  /** The owner's token is kept in the state root too, for commands on this machine. */
  constructor(database: Database, log: HostLog, stateRoot?: string) {
    this.#database = database;
    this.#log = log;
    this.owner = new PgOwnerToken(database, stateRoot);
    this.devices = new PgDeviceTokens(database);
    this.use = new PgTokenUse(database, log);
    this.codes = new PgCodes(database);
  }

  /** Also works through a pooler of connections, which passes no notifications on. */
  watch(changed: (what: 'owner' | 'devices') => void): TokenWatcher {
    const marks = `select (select md5(coalesce(string_agg(id || name || coalesce(person, '') || role || space || sha256 || ends, ' ' order by id), ''))
        from (select id, name, person, role, space, sha256, '' as ends from token_all
          union all select id, name, person, role, space, sha256, ends_at::text || session from link_token
          union all select id, name, null, '', '', sha256, 'metrics' from metrics_token) as tokens) as devices,
      (select value from secret where name = '${OWNER_TOKEN}') as owner`;
    type Marks = { readonly devices: string; readonly owner: string | null };
    let seen: Marks | undefined;
    let forgotten = 0;
    let isLooking = false;
    const look = async () => {
      if (isLooking) return;
      isLooking = true;
      const forgottenBefore = forgotten;
      try {
        const [found] = await this.#database.query<Marks>(marks);
        const before = seen;
        // What was read in between is compared by the next look.
        seen = forgotten === forgottenBefore ? found : undefined;
        // The first look can't know what changed since the caller has read them.
        if (before?.devices !== found?.devices) changed('devices');
        if (before?.owner !== found?.owner) changed('owner');
      } catch (error) {
        this.#log.debug(`the tokens could not be read: ${String(error)}`);
      } finally {
        isLooking = false;
      }
    };
    void look();
    const timer = setInterval(() => void look(), LOOK_MS).unref();
    const forget = () => {
      forgotten++;
      seen = undefined;
    };
    return { close: () => clearInterval(timer), forget };
  }
}

/** The owner's token is the same at every host, and made by the first. */
export class PgOwnerToken {
  readonly path = 'the database';
  readonly #database: Database;
  readonly #copy: TokenFile | undefined;

  constructor(database: Database, stateRoot?: string) {
    this.#database = database;
    this.#copy = stateRoot === undefined ? undefined : new TokenFile(stateRoot);
  }

  async readOrCreate(): Promise<string> {
    const sql = 'insert into secret (name, value) values ($1, $2) on conflict do nothing';
    await this.#database.settle(sql, [OWNER_TOKEN, newToken()]);
    return (await this.read()) ?? '';
  }

  async read(): Promise<string | undefined> {
    const sql = 'select value from secret where name = $1';
    const token = (await this.#database.settle<{ value: string }>(sql, [OWNER_TOKEN]))[0]?.value;
    if (token !== undefined) await this.#copy?.write(token);
    return token;
  }

  async rotate(): Promise<string> {
    const token = newToken();
    const sql =
      'insert into secret (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value';
    await this.#database.settle(sql, [OWNER_TOKEN, token]);
    return token;
  }
}

export class PgDeviceTokens implements DeviceTokenStore {
  readonly path = 'the database';
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(): Promise<readonly DeviceToken[]> {
    return (await this.#database.settle<TokenRow>(LIST)).map(tokenOf);
  }

  /** When each was last used, by its id. */
  async lastUses(): Promise<ReadonlyMap<string, number>> {
    const sql = TABLES.map((table) => `select id, used_at as "usedAt" from ${table} where used_at is not null`).join(
      ' union all ',
    );
    const own = `union all select '${OWNER_ID}', value::float8 from secret where name = '${OWNER_USE}'`;
    const rows = await this.#database.settle<{ id: string; usedAt: number }>(`${sql} ${own}`);
    return new Map(rows.map(({ id, usedAt }) => [id, usedAt]));
  }

  async change(change: (tokens: readonly DeviceToken[]) => readonly DeviceToken[]): Promise<void> {
    await this.#database.withClient(async (client) => {
      await client.query('begin');
      try {
        await client.query(`lock table ${TABLES.join(', ')} in exclusive mode`);
        const tokens = change((await client.query<TokenRow>(LIST)).rows.map(tokenOf));
        const ids = tokens.map(({ id }) => id);
        for (const table of TABLES) await client.query(`delete from ${table} where id <> all($1)`, [ids]);
        for (const token of tokens) {
          const { id, name, user, role, space = DEFAULT_SPACE, sha256, createdAt, shared } = token;
          if (token.only) {
            await client.query(INSERT_FOR_METRICS, [id, name, sha256, createdAt]);
            continue;
          }
          const [table, more] = shared ? ['link_token', [shared.session, shared.endsAt]] : ['token_all', []];
          const columns = `id, name, role, space, sha256, created_at, person${shared ? ', session, ends_at' : ''}`;
          const values = [id, name, role, space, sha256, createdAt, user ?? null, ...more];
          const sql = `insert into ${table} (${columns}) values (${values.map((_, n) => `$${n + 1}`).join(', ')})
            on conflict (id) do update set name = excluded.name, role = excluded.role`;
          await client.query(sql, values);
        }
        await client.query('commit');
      } catch (error) {
        await client.query('rollback').catch(() => undefined);
        throw error;
      }
    });
  }
}

/** Of devices, of read-only links, and of what reads metrics. */
const TABLES = ['token_all', 'link_token', 'metrics_token'] as const;
const INSERT_FOR_METRICS = `insert into metrics_token (id, name, sha256, created_at) values ($1, $2, $3, $4)
  on conflict (id) do update set name = excluded.name`;
const LIST = `select id, name, person, role, sha256, created_at as "createdAt", space, null as session, null as "endsAt", null as only from token_all
  union all select id, name, person, role, sha256, created_at, space, session, ends_at, null from link_token
  union all select id, name, null, 'viewer', sha256, created_at, 'default', null, null, 'metrics' from metrics_token
  order by "createdAt", id`;

interface TokenRow extends Omit<DeviceToken, 'user' | 'space' | 'shared' | 'only'> {
  readonly person: string | null;
  readonly space: string;
  readonly session: string | null;
  readonly endsAt: number | null;
  readonly only: 'metrics' | null;
}

/** As in a file: `default` is not said. */
function tokenOf({ person, space, session, endsAt, only, ...token }: TokenRow): DeviceToken {
  return {
    ...token,
    ...(person !== null && { user: person }),
    ...(space !== DEFAULT_SPACE && { space }),
    ...(session !== null && { shared: { session, endsAt: endsAt ?? 0 } }),
    ...(only !== null && { only }),
  };
}

class PgTokenUse {
  readonly #database: Database;
  readonly #log: HostLog;
  readonly #used = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Database, log: HostLog) {
    this.#database = database;
    this.#log = log;
  }

  used(id: string): void {
    this.#used.set(id, Date.now());
    this.#timer ??= setTimeout(() => void this.#write(), GATHER_MS).unref();
  }

  async all(): Promise<ReadonlyMap<string, number>> {
    return new Map([...(await new PgDeviceTokens(this.#database).lastUses()), ...this.#used]);
  }

  /** Nothing to do: the time is in the row of the token. */
  keepOnly(): void {}

  async dispose(): Promise<void> {
    if (this.#timer) await this.#write();
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const used = [...this.#used];
    this.#used.clear();
    const update = (table: string) => `update ${table} set used_at = greatest(used_at, t.at)
      from unnest($1::text[], $2::float8[]) as t(key, at) where id = t.key`;
    const uses = [used.map(([id]) => id), used.map(([, at]) => at)];
    const own = `insert into secret as s (name, value) values ('${OWNER_USE}', $1) on conflict (name)
      do update set value = greatest(s.value::float8, excluded.value::float8)::text`;
    const ownUse = used.find(([id]) => id === OWNER_ID)?.[1];
    await Promise.all([
      ...TABLES.map((table) => this.#database.query(update(table), uses)),
      ...(ownUse === undefined ? [] : [this.#database.query(own, [String(ownUse)])]),
    ]).catch((error: unknown) => this.#log.error('when tokens were used could not be noted', error));
  }
}
