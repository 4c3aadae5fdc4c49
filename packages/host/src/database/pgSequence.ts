import { errorMessage } from '@agenthost/protocol/internal';
import type { HostLog } from '../hostLog.js';
import type { SequenceSource } from '../state/publisher.js';
import type { Database } from './database.js';

/** As the schema has it. */
const BLOCK = 100_000;

/** The host's counter, in blocks of a sequence of the database. No other host, and no later run of this one, gets the same numbers. */
export class PgSequence implements SequenceSource {
  readonly #database: Database;
  readonly #log: HostLog;
  #current: number;
  #end: number;
  /** The next block, taken ahead. */
  #next: number | undefined;
  #taking: Promise<void> | undefined;

  static async open(database: Database, log: HostLog): Promise<PgSequence> {
    return new PgSequence(database, log, await takeBlock(database));
  }

  private constructor(database: Database, log: HostLog, start: number) {
    this.#database = database;
    this.#log = log;
    this.#current = start;
    this.#end = start + BLOCK - 1;
  }

  get current(): number {
    return this.#current;
  }

  /** Throws, and gives out nothing, when the database has been away for two blocks. */
  next(): number {
    if (this.#current >= this.#end) this.#begin();
    this.#current++;
    if (this.#end - this.#current < BLOCK / 2 && this.#next === undefined) this.#takeAhead();
    return this.#current;
  }

  async dispose(): Promise<void> {
    await this.#taking;
  }

  #begin(): void {
    if (this.#next === undefined) throw new Error('no more numbers: the database can’t be reached');
    this.#current = this.#next;
    this.#end = this.#next + BLOCK - 1;
    this.#next = undefined;
  }

  #takeAhead(): void {
    this.#taking ??= takeBlock(this.#database)
      .then((start) => {
        this.#next = start;
      })
      .catch((error: unknown) => this.#log.warn(`the next numbers could not be taken: ${errorMessage(error)}`))
      .finally(() => {
        this.#taking = undefined;
      });
  }
}

async function takeBlock(database: Database): Promise<number> {
  const [row] = await database.settle<{ start: string }>("select nextval('server_seq') as start");
  return Number(row?.start);
}
