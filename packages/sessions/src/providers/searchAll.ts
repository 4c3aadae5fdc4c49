import { reportFailure } from '@agenthost/client/internal';
import type { ProviderCalls } from './providerCalls.js';
import type { SearchOptions, SearchResult } from './sessionsProvider.js';
import type { SessionsProvidersService } from './sessionsProvidersService.js';

export interface FoundSessions {
  readonly results: readonly SearchResult[];
  readonly total: number;
  /** What some providers could not answer; each error names its provider. */
  readonly failures: readonly unknown[];
}

export interface SearchAllOptions extends SearchOptions {
  /** Called with the results so far each time that a provider has answered, so that a slow provider delays no others. */
  readonly onResults?: (found: FoundSessions) => void;
}

/** Resolves when all have answered, or have failed to; rejects when the signal aborts. */
export async function searchAll(
  providers: SessionsProvidersService,
  calls: ProviderCalls,
  text: string,
  { onResults, ...options }: SearchAllOptions,
): Promise<FoundSessions> {
  const { signal } = options;
  signal?.throwIfAborted();
  let found: FoundSessions = { results: [], total: 0, failures: [] };
  const add = (results: readonly SearchResult[], total: number, failures: readonly unknown[]) => {
    if (signal?.aborted) return;
    found = {
      results: [...found.results, ...results],
      total: found.total + total,
      failures: [...found.failures, ...failures],
    };
    try {
      onResults?.(found);
    } catch (error) {
      reportFailure(error);
    }
  };
  const ask = (id: string) => calls.call(id, 'searchSessions', async (it) => it.searchSessions?.(text, options));
  const able = providers.getProviders().filter(({ searchSessions }) => searchSessions !== undefined);
  const all = able.map(({ id }) =>
    ask(id).then(
      (answer) => add(answer?.results ?? [], answer?.total ?? 0, []),
      (error: unknown) => add([], 0, [error]),
    ),
  );
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  try {
    await Promise.race([Promise.all(all), aborted]);
  } finally {
    signal?.removeEventListener('abort', onAbort);
  }
  return found;
}
