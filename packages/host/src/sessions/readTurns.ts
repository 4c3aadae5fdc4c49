import { type SessionState, sessionReducer, type Turn, withNewestTurns } from '@agenthost/protocol';
import { type EventLog, EventLogFailure, type SessionStartRecord } from '../sessionFs/eventLog.js';
import { foldLog, newSessionState } from './foldLog.js';
import { newTurns } from './newTurns.js';
import type { TurnIndex, TurnPage } from './turnIndex.js';

/** The turns before one of them, or before as many as are counted. */
export type TurnsBefore = { readonly turnId: string } | { readonly ordinal: number };

export interface TurnsRead {
  readonly turns: readonly Turn[];
  readonly hasMore: boolean;
}

/** Reads only the pages that have them. `undefined` when there is no such turn; throws when the index doesn't fit the log. */
export async function readTurnsByIndex(
  log: EventLog,
  start: SessionStartRecord,
  index: TurnIndex,
  target: TurnsBefore,
  limit: number,
): Promise<TurnsRead | undefined> {
  const turnId = 'turnId' in target ? target.turnId : undefined;
  let to = 'ordinal' in target ? target.ordinal : index.ordinalOf(target.turnId);
  const pages: TurnPage[] = [];
  let firstEnd: number | undefined;
  for await (const { page, end } of index.backwards(turnId)) {
    const first = page.from.turns;
    if (to === undefined && turnId !== undefined) {
      const at = page.ids.lastIndexOf(turnId);
      if (at >= 0) to = first + at;
    }
    if (to === undefined || first >= to) continue;
    pages.unshift(page);
    firstEnd = end;
    if (first <= to - limit) break;
  }
  if (to === undefined) return undefined;
  const from = Math.max(to - limit, 0);
  const turns = await foldPages(log, start, pages);
  const offset = pages[0]?.from.turns ?? 0;
  const wanted = turns.slice(from - offset, to - offset);
  if (wanted.length !== to - from) throw new EventLogFailure('ALTERED', 'the turn index does not fit the log');
  const [oldest] = wanted;
  if (oldest && firstEnd !== undefined) index.remember(oldest.id, from, firstEnd);
  return { turns: wanted, hasMore: from > 0 };
}

/** Reads the whole log, and keeps no more than the answer. Of several turns with one id it is the newest. */
export async function readTurnsByFold(
  log: EventLog,
  target: TurnsBefore,
  limit: number,
): Promise<TurnsRead | undefined> {
  let found: TurnsRead | undefined;
  let last: Turn | undefined;
  let count = 0;
  const page = (turns: readonly Turn[], before: number) => ({
    turns: turns.slice(-limit),
    hasMore: before > limit,
  });
  const folded = await foldLog(log.load(), (state) => {
    const fresh = newTurns(state.turns, last);
    if (fresh.length === 0) return state;
    last = fresh.at(-1);
    for (const ended of fresh) {
      const isBefore = 'turnId' in target ? ended.id === target.turnId : count === target.ordinal;
      if (isBefore) found = page(state.turns.slice(0, state.turns.lastIndexOf(ended)), count);
      count++;
    }
    return withNewestTurns(state, limit);
  });
  if ('ordinal' in target && target.ordinal === count) return page(folded?.state.turns ?? [], count);
  return found;
}

async function foldPages(
  log: EventLog,
  start: SessionStartRecord,
  pages: readonly TurnPage[],
): Promise<readonly Turn[]> {
  const [first] = pages;
  const last = pages.at(-1);
  if (!first || !last) return [];
  const { position, waiting } = first.from;
  let state: SessionState = newSessionState(start);
  if (position.n > 0) state = { ...state, lifecycle: 'ready', ...waiting };
  for await (const record of log.span(position, last.to)) {
    if (record.type === 'action') state = sessionReducer(state, record.action);
  }
  const ids = pages.flatMap((page) => page.ids);
  if (state.turns.length !== ids.length || state.turns.some(({ id }, at) => id !== ids[at])) {
    throw new EventLogFailure('ALTERED', 'the turn index does not fit the log');
  }
  return state.turns;
}
