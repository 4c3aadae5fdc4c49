import type { ActiveTurn, SessionState, SessionSummary, Turn } from '@agenthost/protocol';
import { DEFAULT_SPACE, withNewestTurns } from '@agenthost/protocol/internal';
import { DroppedText } from '../../sessionIndex/searchText.js';
import type { SessionIndex } from '../../sessionIndex/sessionIndex.js';
import type { EventLog, LogRecord } from '../../storage/log/eventLog.js';
import { foldLog, isProvisional } from '../history/foldLog.js';
import { newTurns } from '../history/readTurns.js';

/** What the log says about its session. */
export interface IndexedLog {
  readonly summary: SessionSummary;
  readonly space: string;
  /** It has no message yet, and is not listed before it has one. */
  readonly isProvisional: boolean;
}

/**
 * Puts all turns of a log into the index, one at a time. Without `known`, the summary is taken from the log as well, and a session
 * whose log can't be read to its end is left out.
 */
export async function indexLog(
  index: SessionIndex,
  log: EventLog,
  known?: () => SessionSummary,
): Promise<IndexedLog | undefined> {
  let last: Turn | undefined;
  let told: SessionSummary | undefined;
  let space: string | undefined;
  // Known before the first summary is.
  const noteSpace = (record: LogRecord) => {
    if (record.type === 'session.start') space ??= record.space ?? DEFAULT_SPACE;
    forgetRemoved(record);
  };
  let release: ReturnType<SessionIndex['hold']> | undefined;
  const dropped = new DroppedText();
  // Always with a summary: the index keeps no turn of an unknown session.
  const tell = (state: SessionState, turn?: Turn | ActiveTurn) => {
    told = known?.() ?? state.summary;
    release ??= index.hold(told.resource);
    index.put(told, space ?? DEFAULT_SPACE);
    if (!turn) return;
    index.putTurn(told.resource, turn, dropped);
    if (turn.id !== ids.at(-1)) ids.push(turn.id);
  };
  /** In their order. */
  const ids: string[] = [];
  const forgetRemoved = (record: LogRecord) => {
    if (record.type !== 'action' || record.action.type !== 'session/truncated' || !told) return;
    for (const id of ids.splice(record.action.turns)) index.forgetTurn(told.resource, id);
  };
  try {
    const folded = await foldLog(each(log.load(), noteSpace), (state) => {
      dropped.follow(state);
      for (const turn of newTurns(state.turns, last)) tell(state, turn);
      last = state.turns.at(-1);
      return withNewestTurns(state, 1);
    });
    const isHidden = folded !== undefined && isProvisional(folded);
    if (folded && !isHidden) tell(folded.state, folded.state.activeTurn);
    release?.({ isWhole: true });
    if (!folded) return undefined;
    return { summary: folded.state.summary, space: folded.start.space ?? DEFAULT_SPACE, isProvisional: isHidden };
  } catch (error) {
    release?.({ isWhole: false });
    if (told && !known) index.remove(told.resource);
    throw error;
  }
}

async function* each<T>(items: AsyncIterable<T>, note: (item: T) => void): AsyncGenerator<T> {
  for await (const item of items) {
    note(item);
    yield item;
  }
}

/** Indexes the turns in memory, which may have changed while the log was read. The log has more of turns that dropped parts. */
export function indexHeld(index: SessionIndex, { summary, turns, activeTurn }: SessionState): void {
  for (const turn of [...turns, ...(activeTurn ? [activeTurn] : [])]) {
    if (turn.earlierParts === undefined) index.putTurn(summary.resource, turn);
  }
}
