import type { WorkspaceTrust } from '../customizations/workspaceTrust.js';
import type { Database } from './database.js';

/** Maximum number of folders of a place; beyond it, the oldest are asked about again. */
const MAX_FOLDERS = 2_000;

/** The trusted folders in the database, by place: the same path on another machine is another folder. */
export class PgTrust implements WorkspaceTrust {
  readonly #database: Database;
  readonly #place: string;
  readonly #listeners = new Set<(folder: string) => void>();

  constructor(database: Database, place: string) {
    this.#database = database;
    this.#place = place;
  }

  async isTrusted(folder: string): Promise<boolean> {
    const sql = 'select 1 from trust where place = $1 and folder = $2';
    return (await this.#database.settle(sql, [this.#place, folder])).length > 0;
  }

  /** Those of this place, the oldest first. */
  async list(): Promise<readonly string[]> {
    const sql = 'select folder from trust where place = $1 order by at, folder';
    return (await this.#database.settle<{ folder: string }>(sql, [this.#place])).map(({ folder }) => folder);
  }

  async trust(folder: string): Promise<void> {
    await this.#database.settle(
      'insert into trust (place, folder) values ($1, $2) on conflict (place, folder) do update set at = now()',
      [this.#place, folder],
    );
    await this.#database.settle(
      `delete from trust where place = $1 and folder not in
         (select folder from trust where place = $1 order by at desc limit ${MAX_FOLDERS})`,
      [this.#place],
    );
    for (const listener of [...this.#listeners]) listener(folder);
  }

  onTrusted(listener: (folder: string) => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }
}
