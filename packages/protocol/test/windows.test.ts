import { describe, expect, it } from 'vitest';
import { sessionReducer } from '../src/reducers/sessionReducer.js';
import type { SessionAction } from '../src/types/actions.js';
import { withNewestTurns } from '../src/windows.js';
import { newSession, SESSION } from './reducers/arbitraryActions.js';

function sessionWithTurns(count: number) {
  const actions: SessionAction[] = [{ type: 'session/ready', session: SESSION, at: 1 }];
  for (let i = 1; i <= count; i++) {
    const turn = { session: SESSION, at: i, turnId: `t${i}` };
    actions.push({ type: 'session/turnStarted', ...turn, userMessage: { text: `${i}` } });
    actions.push({ type: 'session/turnComplete', ...turn });
  }
  return actions.reduce(sessionReducer, newSession());
}

describe('windows', () => {
  it('[WIN1] keeps the newest turns and counts the others', () => {
    const state = sessionWithTurns(5);
    const window = withNewestTurns(state, 2);
    expect(window).toStrictEqual({ ...state, turns: state.turns.slice(3), earlierTurns: 3 });
    expect(withNewestTurns(window, 1)).toStrictEqual({ ...state, turns: state.turns.slice(4), earlierTurns: 4 });
    expect(withNewestTurns(window, 0)).toStrictEqual({ ...state, turns: [], earlierTurns: 5 });
  });

  it('[WIN1] returns the same state when nothing is dropped', () => {
    const state = sessionWithTurns(2);
    expect(withNewestTurns(state, 2)).toBe(state);
    expect(withNewestTurns(state, 200)).toBe(state);
  });
});
