import type { FetchTurnsResult, SessionState, Turn, TurnsRange } from '@agenthost/protocol';
import type { SessionHistory } from './sessionHistory.js';

/** Older turns: from memory where it reaches back far enough, else from the log. `undefined` where there is no turn `before`. */
export async function readTurnsPage(
  { turns, earlierTurns = 0 }: SessionState,
  history: SessionHistory,
  { before, limit }: TurnsRange,
): Promise<FetchTurnsResult | undefined> {
  const page = pageBefore(turns, before, limit);
  if (page && (page.turns.length === limit || earlierTurns === 0)) {
    return { turns: page.turns, hasMore: page.hasMore || earlierTurns > 0 };
  }
  const target = page || before === undefined ? { ordinal: earlierTurns } : { turnId: before };
  const missing = limit - (page?.turns.length ?? 0);
  const older = await history.readTurns(target, missing, earlierTurns);
  return older && { turns: [...older.turns, ...(page?.turns ?? [])], hasMore: older.hasMore };
}

function pageBefore(turns: readonly Turn[], before: string | undefined, limit: number): FetchTurnsResult | undefined {
  const end = before === undefined ? turns.length : turns.findIndex((turn) => turn.id === before);
  if (end < 0) return undefined;
  const start = Math.max(end - limit, 0);
  return { turns: turns.slice(start, end), hasMore: start > 0 };
}
