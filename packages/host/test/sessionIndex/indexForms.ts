import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import { TestPostgres } from '../../../../test/support/storage/postgres.js';
import { Database } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrate.js';
import { OwnedSessions } from '../../src/database/ownedSessions.js';
import { PgSessionIndex } from '../../src/database/pgSessionIndex.js';
import { silentLog } from '../../src/hostLog.js';
import { SqliteSessionIndex } from '../../src/sessionIndex/sqliteSessionIndex.js';

/** In tests a session is in `default` unless told. */
export type TestedIndex = SqliteSessionIndex | PgSessionIndex;

/** A form of the index, to be tried with the same tests. */
export interface IndexForm {
  readonly name: string;
  start(): Promise<void>;
  /** An empty one. */
  open(): Promise<TestedIndex>;
  stop(): Promise<void>;
}

const fails = (error: unknown) => {
  throw error;
};

class SqliteForm implements IndexForm {
  readonly name = 'SQLite';
  async start() {}
  async open() {
    return new SqliteSessionIndex(':memory:', { onError: fails });
  }
  async stop() {}
}

class PgForm implements IndexForm {
  readonly name = 'PostgreSQL';
  #server: TestPostgres | undefined;
  #database: Database | undefined;

  async start() {
    this.#server = await TestPostgres.start();
    this.#database = await Database.open({ url: this.#server.urlOf(), log: silentLog });
    await migrate(this.#database);
  }

  async open() {
    if (!this.#database) throw new Error('start it first');
    await this.#database.query('truncate session_all cascade');
    await this.#database.query('truncate kind_count_all');
    return new OwningPgIndex(this.#database);
  }

  async stop() {
    await this.#database?.close();
    await this.#server?.dispose();
  }
}

/** Has every session that it is told of open, as the host that owns it. */
class OwningPgIndex extends PgSessionIndex {
  /** Their spaces, by their ids. */
  readonly #begun: Map<string, string>;

  constructor(database: Database) {
    const owned = new (class extends OwnedSessions {
      override get(sessionId: string) {
        return { fence: { sessionId, epoch: '0', claim: '0' }, isIndexed: true, logSize: () => 0 };
      }
    })();
    const begun = new Map<string, string>();
    const sql =
      'insert into session_all (id, space) select * from unnest($1::text[], $2::text[]) on conflict do nothing';
    const settle: Database['settle'] = async (...statement) => {
      if (begun.size > 0) await database.query(sql, [[...begun.keys()], [...begun.values()]]);
      begun.clear();
      return database.settle(...statement);
    };
    const beginning = { settle, query: database.query.bind(database) } as Database;
    super({ database: beginning, owned, cluster: { alive: [], place: 'here' }, log: { ...silentLog, warn: fails } });
    this.#begun = begun;
  }

  override put(...[summary, space = DEFAULT_SPACE]: Parameters<PgSessionIndex['put']>): void {
    this.#begun.set(summary.resource.slice(summary.resource.indexOf(':/') + 2), space);
    super.put(summary, space);
  }
}

export const INDEX_FORMS: readonly IndexForm[] = [new SqliteForm(), new PgForm()];
