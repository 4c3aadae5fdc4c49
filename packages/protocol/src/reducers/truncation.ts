import type { TruncatedAction } from '../types/hostActions.js';
import type { SessionState } from '../types/sessionState.js';
import { changedAt, changeSummary, deriveStatus } from './summary.js';

/** By number, because a client may not hold the turn at which the conversation was cut. */
export function truncateTurns(state: SessionState, { turns: kept, at }: TruncatedAction): SessionState {
  const { earlierTurns = 0, ...rest } = state;
  if (state.activeTurn || kept >= earlierTurns + state.turns.length) return state;
  const earlier = Math.min(earlierTurns, kept);
  const next: SessionState = {
    ...rest,
    turns: state.turns.slice(0, kept - earlier),
    ...(earlier > 0 && { earlierTurns: earlier }),
    truncations: (state.truncations ?? 0) + 1,
  };
  return changeSummary(next, { status: deriveStatus(next), modifiedAt: changedAt(state, at) });
}
