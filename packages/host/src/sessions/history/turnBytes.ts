import { type SessionState, type Turn, withNewestTurns } from '@agenthost/protocol';
import { jsonBytes } from './jsonBytes.js';

/** How many of the newest turns have room in so many bytes. Those before them are not looked at. */
export function turnsWithin(turns: readonly Turn[], bytes: number): number {
  let room = bytes;
  const tooOld = turns.findLastIndex((turn) => {
    room -= jsonBytes(turn);
    return room < 0;
  });
  return turns.length - 1 - tooOld;
}

export interface TurnsRoom {
  readonly turns: number;
  readonly bytes: number;
}

/** The newest turns that have room, and the last one in any case. */
export function withTurnsWithin(state: SessionState, { turns, bytes }: TurnsRoom): SessionState {
  return withNewestTurns(state, Math.min(turns, Math.max(turnsWithin(state.turns, bytes), 1)));
}
