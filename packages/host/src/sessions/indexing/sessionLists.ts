import {
  ERROR_CODE,
  type ListSessionsFilter,
  type ListSessionsParams,
  type ListSessionsResult,
  MAX_LIST_LIMIT,
  type SessionSummary,
  type URI,
} from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { IndexReplacedError } from '../../sessionIndex/indexDamage.js';
import { InvalidCursorError } from '../../sessionIndex/listQuery.js';
import { SearchFailedError } from '../../sessionIndex/searchThread.js';
import type { SessionIndex } from '../../sessionIndex/sessionIndex.js';

export interface SessionListsOptions {
  readonly index: SessionIndex;
  /** In memory, or on the way there. */
  readonly isLoaded: (uri: URI) => boolean;
  /** Resolves when the index has everything again. */
  readonly indexFilled: () => Promise<void>;
}

/** Lists and searches, from the index; no session is opened for them. */
export class SessionLists {
  readonly #options: SessionListsOptions;

  constructor(options: SessionListsOptions) {
    this.#options = options;
  }

  /**
   * Read in the turn in which it is asked for: an answer that is sent at once can't be overtaken by the notification of a
   * change that it doesn't have. A search takes longer, in a thread; `withNewestSummaries` brings its result up to date.
   */
  list(params: ListSessionsParams): ListSessionsResult | Promise<ListSessionsResult> {
    const { index, indexFilled } = this.#options;
    // What clients have seen listed must not be missing meanwhile.
    if (index.isRefilling) return indexFilled().then(() => this.#listNow(params));
    return this.#listNow(params);
  }

  #listNow(params: ListSessionsParams): ListSessionsResult | Promise<ListSessionsResult> {
    const { index } = this.#options;
    if (params.filter?.text)
      return index.search(params).catch((error) => this.#again(error, () => index.search(params)));
    try {
      return this.#current(index.list(params));
    } catch (error) {
      return this.#again(error, () => this.#current(index.list(params)));
    }
  }

  /** All sessions that fit, from as many pages as there are. */
  async resources(filter: ListSessionsFilter): Promise<URI[]> {
    const found: URI[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
      const page = await this.list({ filter, limit: MAX_LIST_LIMIT, ...(cursor !== undefined && { cursor }) });
      found.push(...page.items.map(({ resource }) => resource));
      cursor = page.nextCursor;
    }
    return found;
  }

  /** The same sessions as they are now. */
  withNewestSummaries(result: ListSessionsResult): ListSessionsResult {
    const { index } = this.#options;
    return this.#current({ ...result, items: result.items.map((item) => index.summary(item.resource) ?? item) });
  }

  /** Once more where the index was damaged, when it has been made again. */
  async #again<T>(error: unknown, list: () => T | Promise<T>): Promise<T> {
    if (error instanceof InvalidCursorError)
      throw new RpcError(ERROR_CODE.invalidParams, `params.cursor: ${error.message}`);
    if (error instanceof SearchFailedError) throw new RpcError(ERROR_CODE.tooManyRequests, error.message);
    if (!(error instanceof IndexReplacedError)) throw error;
    await this.#options.indexFilled();
    return list();
  }

  /** A session whose host ended while it was created is created by whoever opens it, not now. */
  #current({ items, ...page }: ListSessionsResult): ListSessionsResult {
    const { isLoaded } = this.#options;
    const isStale = ({ isCreating, resource }: SessionSummary) => isCreating && !isLoaded(resource);
    if (!items.some(isStale)) return { ...page, items };
    const current = ({ isCreating: _, ...rest }: SessionSummary) => rest;
    return { ...page, items: items.map((summary) => (isStale(summary) ? current(summary) : summary)) };
  }
}
