import type { SessionState } from './types/sessionState.js';

/**
 * The same session with only its newest turns; the others are counted in `earlierTurns`. No rule of a reducer looks at
 * turns that ended, so host and clients may each keep as many as they like.
 */
export function withNewestTurns(state: SessionState, count: number): SessionState {
  const dropped = state.turns.length - Math.max(count, 0);
  if (dropped <= 0) return state;
  return { ...state, turns: state.turns.slice(dropped), earlierTurns: (state.earlierTurns ?? 0) + dropped };
}
