import type { SessionState, Turn } from '@agenthost/protocol';
import type { FetchTurnsResult } from '@agenthost/protocol/internal';

/**
 * A snapshot holds the newest turns only. Older ones that were loaded before stay when they join it without a gap: by
 * overlapping with it, or by ending right where it begins. Else they go, and `earlierTurns` counts them again.
 */
export function joinSnapshot(before: SessionState, snapshot: SessionState): SessionState {
  const older = olderTurns(before, snapshot);
  if (older.length === 0) return snapshot;
  return withEarlierTurns(
    { ...snapshot, turns: [...older, ...snapshot.turns] },
    (snapshot.earlierTurns ?? 0) - older.length,
  );
}

function olderTurns(before: SessionState, snapshot: SessionState): readonly Turn[] {
  const earlier = snapshot.earlierTurns ?? 0;
  const first = snapshot.turns[0];
  if (earlier === 0) return [];
  const overlap = first === undefined ? -1 : before.turns.findIndex((turn) => turn.id === first.id);
  const ends = (before.earlierTurns ?? 0) + before.turns.length;
  // Some of the turns that are held may have been removed meanwhile.
  const isSame = before.truncations === snapshot.truncations;
  const older = overlap >= 0 ? before.turns.slice(0, overlap) : isSame && ends === earlier ? before.turns : [];
  return older.length <= earlier ? older : [];
}

/** Puts a page of older turns in front, unless it doesn't belong there any more. */
export function prependTurns(state: SessionState, before: string | undefined, page: FetchTurnsResult): SessionState {
  if (page.turns.length === 0 && !page.hasMore) return withEarlierTurns(state, 0);
  if (state.turns[0]?.id !== before || page.turns.length === 0) return state;
  const left = (state.earlierTurns ?? 0) - page.turns.length;
  return withEarlierTurns({ ...state, turns: [...page.turns, ...state.turns] }, page.hasMore ? Math.max(left, 1) : 0);
}

function withEarlierTurns(state: SessionState, count: number): SessionState {
  if (count > 0) return count === state.earlierTurns ? state : { ...state, earlierTurns: count };
  if (state.earlierTurns === undefined) return state;
  const { earlierTurns: _, ...rest } = state;
  return rest;
}
