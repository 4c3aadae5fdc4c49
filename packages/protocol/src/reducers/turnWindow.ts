import { KEPT_TURN_LENGTH, KEPT_TURN_PARTS, MAX_TURN_LENGTH, MAX_TURN_PARTS, TURN_LENGTH_STRIDE } from '../limits.js';
import type { CompletedToolCall, ToolCallState } from '../types/toolCalls.js';
import type { ActiveTurn, ResponsePart, Turn } from '../types/turns.js';
import { isList, isOpenStep, stepLength, type TurnStep, turnLength, turnSteps } from './turnSteps.js';

export interface TurnRoom {
  readonly parts: number;
  /** In the unit of `sizeOf`. */
  readonly size: number;
  /** In code units by default. */
  readonly sizeOf?: (step: TurnStep) => number;
}

/**
 * Drops the oldest parts of a turn that has too many of them. To be called where a part is added and nowhere else: the log
 * merges text that is appended, and what it replays must drop the same parts.
 */
export function withinTurnWindow(turn: ActiveTurn): ActiveTurn {
  const { responseParts, earlierParts = 0 } = turn;
  const isCounted = (earlierParts + responseParts.length) % TURN_LENGTH_STRIDE === 0;
  const isTooLong = responseParts.length > MAX_TURN_PARTS || (isCounted && turnLength(turn) > MAX_TURN_LENGTH);
  return isTooLong ? withNewestParts(turn, { parts: KEPT_TURN_PARTS, size: KEPT_TURN_LENGTH }) : turn;
}

/**
 * The same turn with its newest parts, and with those whose calls are open; the others are counted in `earlierParts`. The
 * last part stays in any case: text may be appended to it. Returns the same reference when nothing is dropped.
 */
export function withNewestParts<T extends ActiveTurn | Turn>(turn: T, room: TurnRoom): T {
  const { sizeOf = stepLength } = room;
  const steps = turnSteps(turn);
  const open = steps.filter(isOpenStep);
  let parts = Math.max(room.parts - open.length, 1);
  let size = room.size - open.reduce((sum, step) => sum + sizeOf(step), 0);
  let first = steps.length;
  for (const step of steps.toReversed()) {
    if (!isOpenStep(step)) {
      parts -= 1;
      size -= sizeOf(step);
      if ((parts < 0 || size < 0) && first < steps.length) break;
    }
    first -= 1;
  }
  const front = steps.slice(0, first).filter(isOpenStep);
  const dropped = first - front.length;
  if (dropped === 0) return turn;
  const kept = [...front, ...steps.slice(first)];
  return {
    ...turn,
    responseParts: [...front.map(withIndex), ...turn.responseParts.slice(first)],
    earlierParts: (turn.earlierParts ?? 0) + dropped,
    toolCalls: isList(turn.toolCalls) ? completedCalls(turn.toolCalls, kept) : callsOf(kept),
  };
}

/** Parts between it and the next one are gone, so that its place can't be told from theirs. */
function withIndex({ part, index }: TurnStep): ResponsePart {
  return part.kind === 'toolCall' && part.index === undefined ? { ...part, index } : part;
}

function callsOf(steps: readonly TurnStep[]): Record<string, ToolCallState> {
  const calls: Record<string, ToolCallState> = {};
  for (const { call } of steps) if (call) calls[call.toolCallId] = call;
  return calls;
}

function completedCalls(calls: readonly CompletedToolCall[], steps: readonly TurnStep[]): CompletedToolCall[] {
  const kept = new Set(steps.map(({ call }) => call));
  return calls.filter((call) => kept.has(call));
}
