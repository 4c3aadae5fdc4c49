import type { DatabaseSync } from 'node:sqlite';
import type { ListSessionsParams, ListSessionsResult, SessionSummary, URI } from '@agenthost/protocol';
import { DEFAULT_LIST_LIMIT } from '@agenthost/protocol/internal';
import { decodeCursor, encodeCursor, type ListedRow, listPage } from './listQuery.js';
import { SearchHits } from './searchHits.js';
import { type SearchTerm, searchTerms } from './searchQuery.js';
import { snippets } from './searchTable.js';
import type { SummaryOfSpace } from './sessionIndex.js';

/** Lists and searches the index. */
export class IndexReader {
  readonly #database: DatabaseSync;
  readonly #hits: SearchHits;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#hits = new SearchHits(database);
  }

  /** Called when a text or title has changed. */
  forget(): void {
    this.#hits.forget();
  }

  /** `newer` has summaries that are not in the index yet. */
  list(
    { filter = {}, limit = DEFAULT_LIST_LIMIT, cursor }: ListSessionsParams,
    space: string,
    newer?: ReadonlyMap<URI, SummaryOfSpace>,
  ): ListSessionsResult {
    const [term, ...terms] = searchTerms(filter.text ?? '');
    const found = term && { hits: this.#hits.of([term, ...terms]), search: this.#hits };
    const after = cursor === undefined ? undefined : decodeCursor(cursor);
    const lengthOf = ({ resource, summary }: ListedRow) => {
      const waiting = newer?.get(resource)?.summary;
      return waiting ? JSON.stringify(waiting).length : summary.length;
    };
    const { rows, total, hasMore } = listPage(this.#database, { space, filter, limit, after, lengthOf }, found);
    const items = rows.map(
      ({ resource, summary }) => newer?.get(resource)?.summary ?? (JSON.parse(summary) as SessionSummary),
    );
    const last = hasMore ? rows.at(-1) : undefined;
    return {
      items,
      total,
      ...(last && { nextCursor: encodeCursor(last) }),
      ...(term && this.#snippets([term, ...terms], rows)),
    };
  }

  #snippets(terms: readonly SearchTerm[], shown: readonly ListedRow[]): { snippets?: Record<URI, string> } {
    const [term, ...others] = terms.filter(({ kind }) => kind === 'match');
    if (!term) return {};
    const hits = this.#hits.of([term, ...others]);
    const texts = shown.map(({ id }) => hits.firstText(id));
    const byText = snippets(this.#database, terms, texts);
    const entries = shown.map(({ resource }, n) => [resource, byText.get(texts[n] ?? 0) ?? '']);
    return { snippets: Object.fromEntries(entries) as Record<URI, string> };
  }
}
