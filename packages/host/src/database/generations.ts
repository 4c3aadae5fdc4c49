import type { Database } from './database.js';

const BLOCK = 100;

/** Numbers for contents that nobody has used before, taken in blocks. */
export class Generations {
  readonly #database: Database;
  #free: string[] = [];
  #taking: Promise<void> | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  async next(): Promise<string> {
    for (;;) {
      const gen = this.#free.pop();
      if (gen !== undefined) return gen;
      this.#taking ??= this.#take();
      await this.#taking;
    }
  }

  async #take(): Promise<void> {
    try {
      const sql = `select nextval('gen') as gen from generate_series(1, ${BLOCK})`;
      this.#free = (await this.#database.settle<{ gen: string }>(sql)).map(({ gen }) => gen);
    } finally {
      this.#taking = undefined;
    }
  }
}
