import { type Database, DatabaseAwayError } from '../../../packages/host/src/database/database.js';

/** The way of one host to its database. */
export class DatabaseGate {
  #state: 'open' | 'held' | 'dead' = 'open';
  #waiting: (() => void)[] = [];
  readonly #databases: Database[] = [];

  /** All statements of these connections pass here from now on, and so do their answers. */
  guard(database: Database): Database {
    this.#databases.push(database);
    const { query, withClient, apart } = database;
    database.query = async (sql, values) => {
      await this.#pass();
      const rows = await query.call(database, sql, values);
      await this.#pass();
      return rows as never;
    };
    database.withClient = async (work) => {
      await this.#pass();
      return (await withClient.call(database, work)) as never;
    };
    database.apart = (answerMs) => this.guard(apart.call(database, answerMs));
    return database;
  }

  /** Nothing passes until it is opened again. What is under way may be carried out, but nobody learns of it. */
  hold(): void {
    if (this.#state === 'open') this.#state = 'held';
  }

  open(): void {
    if (this.#state === 'held') this.#state = 'open';
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Nothing passes ever again. */
  kill(): void {
    this.#state = 'dead';
    for (const database of this.#databases) database.giveUp();
    for (const go of this.#waiting.splice(0)) go();
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#databases.map((database) => database.close()));
  }

  async #pass(): Promise<void> {
    while (this.#state === 'held') await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#state === 'dead') throw new DatabaseAwayError('the host was killed');
  }
}
