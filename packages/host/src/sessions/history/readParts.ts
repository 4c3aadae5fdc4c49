import { type ActiveTurn, type SessionState, type TurnStep, turnSteps } from '@agenthost/protocol';
import {
  droppedSteps,
  type FetchPartsParams,
  type FetchPartsResult,
  isOpenStep,
  MAX_PAGE_BYTES,
  withNewestTurns,
} from '@agenthost/protocol/internal';
import type { LogRecord, SessionStartRecord } from '../../storage/log/eventLog.js';
import { jsonBytes } from '../stateBytes.js';
import { reduceLogged } from './foldLog.js';
import { stateAt } from './readTurns.js';
import type { PartMark, TurnsPlace } from './turnIndex.js';

export type PartsRange = Omit<FetchPartsParams, 'session'>;

/** Where reading starts in the log, and the state there. */
export interface PartsStart {
  readonly position: PartMark['position'];
  readonly state: SessionState;
}

/** How many records are read between two checks whether the page is complete. */
const LOOK_EVERY = 64;

/** The last known place of the log before the wanted parts, and the state to start from there. */
export function partsStart(
  start: SessionStartRecord,
  place: TurnsPlace,
  { turnId, before, limit }: PartsRange,
): PartsStart {
  const { from, marks } = place;
  // The newest parts are wanted: after the second to last mark there are more than PARTS_BETWEEN_MARKS, which is above any limit.
  const mark =
    before === undefined ? marks.at(-2) : marks.findLast(({ parts }) => parts <= Math.max(before - limit, 0));
  const state = stateAt(start, from);
  if (!mark) return { position: from.position, state };
  const { position, parts } = mark;
  return { position, state: { ...state, lifecycle: 'ready', activeTurn: runningTurn(turnId, parts) } };
}

/** The state for reading a turn from its middle. Actions for its earlier parts do nothing, because it does not have them. */
function runningTurn(id: string, earlierParts: number): ActiveTurn {
  return {
    id,
    userMessage: { text: '' },
    responseParts: [],
    earlierParts,
    toolCalls: {},
    pendingPermissions: {},
    startedAt: 0,
  };
}

/** The wanted parts as they were at the turn's end or, in a running turn, as they are now. `undefined` if there is no such turn. */
export async function readParts(
  records: AsyncIterable<LogRecord>,
  start: SessionState,
  { turnId, before = Number.POSITIVE_INFINITY, limit }: PartsRange,
): Promise<FetchPartsResult | undefined> {
  let state = start;
  let isThere = state.activeTurn?.id === turnId;
  let seen = 0;
  let steps: TurnStep[] = [];
  const keep = (more: readonly TurnStep[]) => {
    steps.push(...more.filter(({ index }) => index < before));
    // Without `before` every part of the turn is read: those that can't be among the newest are dropped meanwhile.
    if (steps.length > 4 * limit) steps = newest(steps, before, limit);
  };
  for await (const record of records) {
    if (record.type !== 'action') continue;
    const turn = state.activeTurn;
    state = withNewestTurns(reduceLogged(state, record.action), 1);
    const next = state.activeTurn;
    if (turn?.id !== turnId) {
      isThere ||= next?.id === turnId;
      continue;
    }
    if (next?.id === turnId) keep(droppedSteps(turn, next));
    if (next?.id !== turnId) {
      const ended = state.turns.at(-1);
      if (ended) keep(turnSteps(ended));
      return pageOf(steps, before, limit);
    }
    if (++seen % LOOK_EVERY === 0 && hasAll(next, before - limit, before)) break;
  }
  if (!isThere) return undefined;
  if (state.activeTurn?.id === turnId) keep(turnSteps(state.activeTurn));
  return pageOf(steps, before, limit);
}

/** Whether all parts between these places have been read and none of them can change any more. */
function hasAll(turn: ActiveTurn, from: number, before: number): boolean {
  if ((turn.earlierParts ?? 0) + turn.responseParts.length <= before) return false;
  return !turnSteps(turn).some((step) => step.index >= from && step.index < before && isOpenStep(step));
}

function newest(steps: readonly TurnStep[], before: number, limit: number): TurnStep[] {
  const sorted = steps.toSorted((a, b) => a.index - b.index);
  const end = Math.min(before, (sorted.at(-1)?.index ?? -1) + 1);
  return sorted.filter(({ index }) => index >= end - limit);
}

function pageOf(steps: readonly TurnStep[], before: number, limit: number): FetchPartsResult {
  let room = MAX_PAGE_BYTES;
  const wanted = newest(steps, before, limit);
  const tooOld = wanted.findLastIndex(({ part, call }, at) => {
    room -= jsonBytes(part) + (call ? jsonBytes(call) : 0);
    return room < 0 && at < wanted.length - 1;
  });
  const page = wanted.slice(tooOld + 1);
  return {
    parts: page.map(({ part }) => withoutIndex(part)),
    toolCalls: page.flatMap(({ call }) => (call ? [call] : [])),
    earlier: page[0]?.index ?? 0,
  };
}

/** Pages have no gaps, so no part needs its index. */
function withoutIndex(part: TurnStep['part']): TurnStep['part'] {
  if (part.kind !== 'toolCall' || part.index === undefined) return part;
  const { index: _, ...rest } = part;
  return rest;
}
