import { TestPostgres } from '../../../../test/support/storage/postgres.js';
import { Database } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrate.js';
import { OwnedSessions } from '../../src/database/ownedSessions.js';
import { PgSessionIndex } from '../../src/database/pgSessionIndex.js';
import { silentLog } from '../../src/hostLog.js';
import type { SessionIndex } from '../../src/sessionIndex/sessionIndex.js';
import { SqliteSessionIndex } from '../../src/sessionIndex/sqliteSessionIndex.js';

/** A form of the index, to be tried with the same tests. */
export interface IndexForm {
  readonly name: string;
  start(): Promise<void>;
  /** An empty one. */
  open(): Promise<SessionIndex>;
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
    await this.#database.query('truncate session cascade');
    await this.#database.query('truncate kind_count');
    return new OwningPgIndex(this.#database);
  }

  async stop() {
    await this.#database?.close();
    await this.#server?.dispose();
  }
}

/** Has every session that it is told of open, as the host that owns it. */
class OwningPgIndex extends PgSessionIndex {
  readonly #begun: Set<string>;

  constructor(database: Database) {
    const owned = new (class extends OwnedSessions {
      override get(sessionId: string) {
        return { fence: { sessionId, epoch: '0', claim: '0' }, isIndexed: true, logSize: () => 0 };
      }
    })();
    const begun = new Set<string>();
    const sql = 'insert into session (id) select * from unnest($1::text[]) on conflict do nothing';
    const settle: Database['settle'] = async (...statement) => {
      if (begun.size > 0) await database.query(sql, [[...begun]]);
      begun.clear();
      return database.settle(...statement);
    };
    const beginning = { settle, query: database.query.bind(database) } as Database;
    super({ database: beginning, owned, cluster: { alive: [] }, log: { ...silentLog, warn: fails } });
    this.#begun = begun;
  }

  override put(...[summary]: Parameters<PgSessionIndex['put']>): void {
    this.#begun.add(summary.resource.slice(summary.resource.indexOf(':/') + 2));
    super.put(summary);
  }
}

export const INDEX_FORMS: readonly IndexForm[] = [new SqliteForm(), new PgForm()];
