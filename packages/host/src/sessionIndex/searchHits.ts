import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { TEXTS } from './indexSchema.js';
import type { SearchTerm } from './searchQuery.js';

/** How many words have their hits cached, so that the next page and the next typed letter are cheap. */
const MAX_REMEMBERED = 8;

/** Maximum number of hits that are kept as a list; more are kept only as positions in an array of all sessions. */
export const FEW_HITS = 1_000;

/** The sessions with a hit, and the position of their first one. */
export class Hits {
  /** By session: 1 + the index of its first text with a hit; 0 for none. */
  readonly #first: Uint32Array;
  readonly size: number;
  /** The list of sessions, when there are few. */
  readonly few: readonly number[] | undefined;

  private constructor(first: Uint32Array, size: number, ids: readonly number[]) {
    this.#first = first;
    this.size = size;
    this.few = size <= FEW_HITS ? ids : undefined;
  }

  /** From text numbers joined by `group_concat`: one row per number would take several times as long. */
  static ofTexts(bytes: unknown, lastId: number): Hits {
    const first = new Uint32Array(lastId + 1);
    const ids: number[] = [];
    let size = 0;
    let text = 0;
    const end = bytes instanceof Uint8Array ? bytes.length : -1;
    // A plain loop without a function call per number: there are millions of digits, and people wait.
    for (let at = 0; at <= end; at++) {
      const byte = at < end ? ((bytes as Uint8Array)[at] as number) : COMMA;
      if (byte !== COMMA) {
        text = text * 10 + (byte - ZERO);
        continue;
      }
      const id = Math.floor(text / TEXTS);
      // In order: the first hit that comes is the first of its session.
      if (first[id] === 0) {
        first[id] = text - id * TEXTS + 1;
        if (size++ < FEW_HITS) ids.push(id);
      }
      text = 0;
    }
    return new Hits(first, size, ids);
  }

  has(id: number): boolean {
    return (this.#first[id] ?? 0) !== 0;
  }

  /** The number of the text. */
  firstText(id: number): number {
    return id * TEXTS + (this.#first[id] ?? 1) - 1;
  }

  /** Sessions with both hits, at the earlier of the two positions. */
  and(other: Hits): Hits {
    if (!this.few && other.few) return other.and(this);
    const first = new Uint32Array(Math.min(this.#first.length, other.#first.length));
    const ids: number[] = [];
    let size = 0;
    const take = (id: number) => {
      const [one, two] = [this.#first[id] ?? 0, other.#first[id] ?? 0];
      if (one === 0 || two === 0) return;
      first[id] = Math.min(one, two);
      if (size++ < FEW_HITS) ids.push(id);
    };
    if (this.few) for (const id of this.few) take(id);
    else for (let id = 0; id < first.length; id++) take(id);
    return new Hits(first, size, ids);
  }
}

const COMMA = 44;
const ZERO = 48;

/**
 * Finds words. One pass through the texts with a word serves the total, the page and the snippets; FTS5 would make one for each,
 * because it can't start in the middle.
 */
export class SearchHits {
  readonly #database: DatabaseSync;
  readonly #remembered = new Map<string, Hits>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** The hits of each term. */
  of(terms: readonly [SearchTerm, ...SearchTerm[]]): Hits {
    const [first, ...others] = terms.map((term) => this.#hits(term)) as [Hits, ...Hits[]];
    return others.reduce((all, hits) => all.and(hits), first);
  }

  /** All sessions, each as if its title had been found. */
  sessions(where: string, values: readonly SQLInputValue[]): Hits {
    const sql = `SELECT CAST(group_concat(id * ${TEXTS}) AS BLOB) AS texts FROM sessions ${where}`;
    return this.#hitsOf(this.#database.prepare(sql).get(...values)?.['texts']);
  }

  /** Called when a text or title has changed. */
  forget(): void {
    this.#remembered.clear();
  }

  #hits(term: SearchTerm): Hits {
    const key = JSON.stringify(term);
    const hits = this.#remembered.get(key) ?? this.#find(term);
    this.#remembered.delete(key);
    this.#remembered.set(key, hits);
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= MAX_REMEMBERED) break;
      this.#remembered.delete(oldest);
    }
    return hits;
  }

  #find(term: SearchTerm): Hits {
    if (term.kind === 'title') return this.sessions(`WHERE title LIKE ? ESCAPE '\\'`, [term.pattern]);
    const sql = 'SELECT CAST(group_concat(rowid) AS BLOB) AS texts FROM search WHERE search MATCH ?';
    return this.#hitsOf(this.#database.prepare(sql).get(term.query)?.['texts']);
  }

  #hitsOf(texts: unknown): Hits {
    const last = this.#database.prepare('SELECT max(id) AS id FROM sessions').get()?.['id'];
    return Hits.ofTexts(texts, Number(last ?? 0));
  }
}
