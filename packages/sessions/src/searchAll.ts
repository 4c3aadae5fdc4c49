import type { ProviderCalls } from './providerCalls.js';
import type { SearchOptions, SearchResult } from './sessionsProvider.js';
import type { SessionsProvidersService } from './sessionsProvidersService.js';

export interface FoundSessions {
  readonly results: readonly SearchResult[];
  readonly total: number;
  /** What some providers could not answer; each error names its provider. */
  readonly failures: readonly unknown[];
}

export async function searchAll(
  providers: SessionsProvidersService,
  calls: ProviderCalls,
  text: string,
  options: SearchOptions,
): Promise<FoundSessions> {
  const able = providers.getProviders().filter(({ searchSessions }) => searchSessions !== undefined);
  const asked = able.map(({ id }) =>
    calls.call(id, 'searchSessions', async (provider) => provider.searchSessions?.(text, options)),
  );
  const outcomes = await Promise.allSettled(asked);
  options.signal?.throwIfAborted();
  const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? (outcome.value ?? []) : []));
  return {
    results: answers.flatMap(({ results }) => results),
    total: answers.reduce((sum, { total }) => sum + total, 0),
    failures: outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : [])),
  };
}
