import type { ActiveTurn, SessionState, Turn, TurnStep } from '@agenthost/protocol';
import { withNewestParts } from '@agenthost/protocol/internal';
import { jsonBytes, type TurnsRoom, withTurnsWithin } from './stateBytes.js';

/**
 * The state for a snapshot: the running turn and the newest ended turns that fit into `bytes`. The running turn and the newest
 * ended one are always there; one that does not fit has only its newest parts.
 */
export function snapshotState(state: SessionState, { turns, bytes }: TurnsRoom): SessionState {
  const activeTurn = state.activeTurn && fitted(state.activeTurn, bytes);
  const room = Math.max(bytes - (activeTurn ? jsonBytes(activeTurn) : 0), bytes / 4);
  const shown = withTurnsWithin(state, { turns, bytes: room });
  const newest = shown.turns.at(-1);
  const fittedNewest = newest && fitted(newest, room);
  return {
    ...shown,
    ...(fittedNewest && fittedNewest !== newest && { turns: shown.turns.with(-1, fittedNewest) }),
    ...(activeTurn && { activeTurn }),
  };
}

function fitted<T extends ActiveTurn | Turn>(turn: T, bytes: number): T {
  const whole = jsonBytes(turn);
  if (whole <= bytes) return turn;
  const around = jsonBytes({ ...turn, responseParts: [], toolCalls: [] });
  return withNewestParts(turn, { parts: turn.responseParts.length, size: bytes - around, sizeOf: stepBytes });
}

function stepBytes({ part, call }: TurnStep): number {
  return jsonBytes(part) + (call ? jsonBytes(call) : 0);
}
