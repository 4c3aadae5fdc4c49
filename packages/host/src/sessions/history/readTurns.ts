import type { SessionState, Turn } from '@agenthost/protocol';
import { type EventLog, EventLogFailure, type LogRecord, type SessionStartRecord } from '../../storage/log/eventLog.js';
import { type TurnsRoom, turnsWithin, withTurnsWithin } from '../stateBytes.js';
import { foldLog, newSessionState, reduceLogged } from './foldLog.js';
import { RemovedTurns } from './removedTurns.js';
import type { TurnIndex, TurnPage } from './turnIndex.js';

/** The turns before the one with this id, or before this ordinal. */
export type TurnsBefore = { readonly turnId: string } | { readonly ordinal: number };

export interface TurnsRead {
  readonly turns: readonly Turn[];
  readonly hasMore: boolean;
}

/**
 * Reads only the pages with these turns, the newest first, until there is no more room. `undefined` if there is no such turn. Throws
 * when the index does not fit the log.
 */
export async function readTurnsByIndex(
  log: EventLog,
  start: SessionStartRecord,
  index: TurnIndex,
  target: TurnsBefore,
  room: TurnsRoom,
): Promise<TurnsRead | undefined> {
  const turnId = 'turnId' in target ? target.turnId : undefined;
  let to = 'ordinal' in target ? target.ordinal : index.ordinalOf(target.turnId);
  let read: readonly Turn[] = [];
  let isFull = false;
  for await (const { page, end } of index.backwards(turnId)) {
    const first = page.from.turns;
    if (to === undefined && turnId !== undefined) {
      const at = page.ids.lastIndexOf(turnId);
      if (at >= 0) to = first + at;
    }
    if (to === undefined || first >= to) continue;
    const turns = (await foldPage(log, start, page)).slice(0, to - read.length - first);
    if (first + turns.length + read.length !== to) throw doesNotFit();
    const kept = newestWithin([...turns, ...read], room);
    for (const [at, turn] of turns.entries()) {
      if (turn.earlierParts !== undefined && kept.includes(turn)) index.remember(turn.id, first + at, end);
    }
    isFull = kept.length < turns.length + read.length || kept.length === room.turns;
    read = kept;
    const [oldest] = kept;
    if (oldest) index.remember(oldest.id, to - kept.length, end);
    if (isFull) break;
  }
  if (to === undefined) return undefined;
  if (!isFull && read.length !== to) throw doesNotFit();
  return { turns: read, hasMore: to > read.length };
}

/** Reads the whole log and keeps only the answer. Of several turns with one id the newest counts. */
export async function readTurnsByFold(
  log: EventLog,
  target: TurnsBefore,
  room: TurnsRoom,
): Promise<TurnsRead | undefined> {
  const removed = new RemovedTurns();
  const read = await foldTurns(removed.follow(log.load()), target, room);
  return removed.isEmpty ? read : foldTurns(removed.leaveOut(log.load()), target, room);
}

async function foldTurns(
  records: AsyncIterable<LogRecord>,
  target: TurnsBefore,
  room: TurnsRoom,
): Promise<TurnsRead | undefined> {
  let found: TurnsRead | undefined;
  let last: Turn | undefined;
  let count = 0;
  const page = (turns: readonly Turn[], before: number) => {
    const kept = newestWithin(turns, room);
    return { turns: kept, hasMore: before > kept.length };
  };
  const folded = await foldLog(records, (state) => {
    const fresh = newTurns(state.turns, last);
    if (fresh.length === 0) return state;
    last = fresh.at(-1);
    for (const ended of fresh) {
      const isBefore = 'turnId' in target ? ended.id === target.turnId : count === target.ordinal;
      if (isBefore) found = page(state.turns.slice(0, state.turns.lastIndexOf(ended)), count);
      count++;
    }
    return withTurnsWithin(state, room);
  });
  if ('ordinal' in target && target.ordinal === count) return page(folded?.state.turns ?? [], count);
  return found;
}

function newestWithin(turns: readonly Turn[], { turns: most, bytes }: TurnsRoom): readonly Turn[] {
  const count = Math.min(most, Math.max(turnsWithin(turns, bytes), 1));
  return turns.length <= count ? turns : turns.slice(-count);
}

async function foldPage(log: EventLog, start: SessionStartRecord, page: TurnPage): Promise<readonly Turn[]> {
  let state = stateAt(start, page.from);
  for await (const record of log.span(page.from.position, page.to)) {
    if (record.type === 'action') state = reduceLogged(state, record.action);
  }
  const { turns } = state;
  if (turns.length !== page.ids.length || turns.some(({ id }, at) => id !== page.ids[at])) throw doesNotFit();
  return turns;
}

/** The state at a place where no turn runs, as far as later turns depend on it. */
export function stateAt(start: SessionStartRecord, { position, turns, waiting }: TurnPage['from']): SessionState {
  const state = newSessionState(start);
  if (position.n === 0) return state;
  return { ...state, lifecycle: 'ready', ...(turns > 0 && { earlierTurns: turns }), ...waiting };
}

function doesNotFit(): EventLogFailure {
  return new EventLogFailure('ALTERED', 'the turn index does not fit the log');
}

/** The turns that ended after `last`, the newest of the turns that had ended before. Mostly one; a failed creation ends many. */
export function newTurns(turns: readonly Turn[], last: Turn | undefined): readonly Turn[] {
  return turns.slice(last ? turns.lastIndexOf(last) + 1 : 0);
}
