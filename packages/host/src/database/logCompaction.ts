import type { Database } from './database.js';
import { FENCED, type Fence, fenceValues } from './fence.js';

/** So many small appends are joined. */
const LOOSE_CHUNKS = 256;
/** An append of this size is no small one. */
const SMALL_BYTES = 16 * 1024;
/** How far back one statement looks: it delays the appends of all sessions of this host. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_ROWS = 8 * LOOSE_CHUNKS;
const CHUNK_BYTES = 64 * 1024;

/** Small chunks before the log's end become large ones with the same bytes. May run twice. */
const JOIN = `
with ${FENCED},
b as (select min(start) as at from (
  select start from chunk where gen = $4 and start >= $5 and start < $6 order by start desc limit ${MAX_ROWS}) as last),
d as (delete from chunk c using s, b where c.gen = $4 and c.start >= b.at and c.start < $6 returning c.start, c.bytes),
j as (select min(start) as at, string_agg(bytes, ''::bytea order by start) as bytes from d)
insert into chunk select $4, j.at + n, substring(j.bytes from n + 1 for ${CHUNK_BYTES})
  from j, generate_series(0, octet_length(j.bytes) - 1, ${CHUNK_BYTES}) as n`;

/** Keeps a log that was written in many small appends from having as many rows: reading it takes a row each. */
export class LogCompaction {
  readonly #database: Database;
  readonly #fence: Fence;
  #gen = '';
  #loose = 0;
  /** Everything before is joined. */
  #joined = 0;

  constructor(database: Database, fence: Fence) {
    this.#database = database;
    this.#fence = fence;
  }

  /** Counts an append to that content. Returns whether it is time to join. */
  isDue(gen: string, bytes: number): boolean {
    if (gen !== this.#gen) {
      this.#gen = gen;
      this.#loose = 0;
      this.#joined = 0;
    }
    if (bytes > 0 && bytes < SMALL_BYTES) this.#loose++;
    return this.#loose >= LOOSE_CHUNKS;
  }

  /** `size` is the log's. Nothing may be appended meanwhile. Does nothing when another host has the session. */
  async join(size: number): Promise<void> {
    const from = Math.max(this.#joined, size - MAX_BYTES);
    // If this fails, the next try is as far away as it would be otherwise.
    this.#loose = 0;
    await this.#database.query(JOIN, [...fenceValues(this.#fence), this.#gen, from, size]);
    this.#joined = size;
  }
}
