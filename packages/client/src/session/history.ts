import { MAX_SNAPSHOT_TURNS, type Turn, type URI } from '@agenthost/protocol';
import type { CommandChannel } from '../connection/commandChannel.js';

export interface HistoryOptions {
  /** Turns older than this one; older than those in `state` unless told. */
  readonly before?: string;
  /** Also the turns that `state` holds. */
  readonly includeLoaded?: boolean;
  /** Turns in one page; no more than one page is held. 50 unless told, at most MAX_SNAPSHOT_TURNS. */
  readonly pageSize?: number;
  readonly signal?: AbortSignal;
}

const DEFAULT_PAGE_SIZE = 50;

/** Walks back in time: the newest turn first. */
export async function* sessionHistory(
  commands: CommandChannel,
  session: URI,
  oldestLoaded: () => string | undefined,
  { before: start, includeLoaded = false, pageSize = DEFAULT_PAGE_SIZE, signal }: HistoryOptions,
): AsyncGenerator<Turn, void, undefined> {
  let before = start ?? (includeLoaded ? undefined : oldestLoaded());
  for (;;) {
    const range = { limit: Math.min(pageSize, MAX_SNAPSHOT_TURNS), ...(before !== undefined && { before }) };
    const { turns, hasMore } = await commands.request('fetchTurns', { session, range }, { signal });
    yield* turns.toReversed();
    // A page without turns would be asked for again and again, whatever `hasMore` says.
    if (!hasMore || turns[0] === undefined) return;
    before = turns[0].id;
  }
}
