import {
  ERROR_CODE,
  type ListSessionsParams,
  type ListSessionsResult,
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
  /** Loaded or being loaded. */
  readonly isLoaded: (uri: URI) => boolean;
  /** Resolves when the index is complete again. */
  readonly indexFilled: () => Promise<void>;
}

/** Lists and searches sessions in the index. No session is opened. */
export class SessionLists {
  readonly #options: SessionListsOptions;

  constructor(options: SessionListsOptions) {
    this.#options = options;
  }

  /**
   * Where a list can be read synchronously it is, so that no notification of a change can overtake an answer without that change.
   * Others take longer, as do searches; `withNewestSummaries` brings their results up to date.
   */
  list(params: ListSessionsParams, space: string): ListSessionsResult | Promise<ListSessionsResult> {
    const { index, indexFilled } = this.#options;
    // Sessions that clients have seen must not be missing meanwhile.
    if (index.isRefilling) return indexFilled().then(() => this.#listNow(params, space));
    return this.#listNow(params, space);
  }

  #listNow(params: ListSessionsParams, space: string): ListSessionsResult | Promise<ListSessionsResult> {
    const { index } = this.#options;
    const search = () => index.search(params, space);
    if (params.filter?.text) return search().catch((error) => this.#again(error, search));
    const list = () => {
      const listed = index.list(params, space);
      return listed instanceof Promise ? listed.then((page) => this.#current(page)) : this.#current(listed);
    };
    try {
      const listed = list();
      return listed instanceof Promise ? listed.catch((error: unknown) => this.#again(error, list)) : listed;
    } catch (error) {
      return this.#again(error, list);
    }
  }

  /** The same list with the current summaries. */
  withNewestSummaries(result: ListSessionsResult, space: string): ListSessionsResult {
    const { index } = this.#options;
    return this.#current({ ...result, items: result.items.map((item) => index.summary(item.resource, space) ?? item) });
  }

  /** Tries again after a damaged index was rebuilt. */
  async #again<T>(error: unknown, list: () => T | Promise<T>): Promise<T> {
    if (error instanceof InvalidCursorError)
      throw new RpcError(ERROR_CODE.invalidParams, `params.cursor: ${error.message}`);
    if (error instanceof SearchFailedError) throw new RpcError(ERROR_CODE.tooManyRequests, error.message);
    if (!(error instanceof IndexReplacedError)) throw error;
    await this.#options.indexFilled();
    return list();
  }

  /** A session whose host ended during its creation is not being created now: opening it continues. */
  #current({ items, ...page }: ListSessionsResult): ListSessionsResult {
    const { isLoaded } = this.#options;
    const isStale = ({ isCreating, resource }: SessionSummary) => isCreating && !isLoaded(resource);
    if (!items.some(isStale)) return { ...page, items };
    const current = ({ isCreating: _, ...rest }: SessionSummary) => rest;
    return { ...page, items: items.map((summary) => (isStale(summary) ? current(summary) : summary)) };
  }
}
