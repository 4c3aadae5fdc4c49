import { type ActiveTurn, type SessionState, type Turn, type TurnStep, withNewestParts } from '@agenthost/protocol';
import { jsonBytes } from './jsonBytes.js';
import { type TurnsRoom, withTurnsWithin } from './turnBytes.js';

/**
 * What a client is shown of a session: the running turn and the newest of the others, as far as there is room for them. The
 * newest turn is there in any case, if need be with its newest parts only.
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
