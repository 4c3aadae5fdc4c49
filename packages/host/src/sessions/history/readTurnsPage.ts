import type { SessionState, Turn } from '@agenthost/protocol';
import { type FetchTurnsResult, MAX_PAGE_BYTES, type TurnsRange } from '@agenthost/protocol/internal';
import { jsonBytes, turnsWithin } from '../stateBytes.js';
import type { SessionHistory } from './sessionHistory.js';

/**
 * Older turns: from memory if it reaches back far enough, else from the log. At most MAX_PAGE_BYTES of them, but one in any case.
 * `undefined` if there is no turn `before`.
 */
export async function readTurnsPage(
  { turns, earlierTurns = 0 }: SessionState,
  history: SessionHistory,
  { before, limit }: TurnsRange,
): Promise<FetchTurnsResult | undefined> {
  const page = pageBefore(turns, before, limit);
  if (page && (page.isFull || earlierTurns === 0)) {
    return { turns: page.turns, hasMore: page.hasMore || earlierTurns > 0 };
  }
  const held = page?.turns ?? [];
  const target = page || before === undefined ? { ordinal: earlierTurns } : { turnId: before };
  const bytes = held.reduce((room, turn) => room - jsonBytes(turn), MAX_PAGE_BYTES);
  const older = await history.readTurns(target, { turns: limit - held.length, bytes }, earlierTurns);
  return older && { turns: [...older.turns, ...held], hasMore: older.hasMore };
}

function pageBefore(turns: readonly Turn[], before: string | undefined, limit: number) {
  const end = before === undefined ? turns.length : turns.findIndex((turn) => turn.id === before);
  if (end < 0) return undefined;
  const asked = turns.slice(Math.max(end - limit, 0), end);
  const count = Math.max(turnsWithin(asked, MAX_PAGE_BYTES), 1);
  const page = asked.length > count ? asked.slice(-count) : asked;
  const isFull = page.length === limit || page.length < asked.length;
  return { turns: page, isFull, hasMore: end > page.length };
}
