import {
  type ActiveTurn,
  type SessionState,
  type SessionSummary,
  type Turn,
  withNewestTurns,
} from '@agenthost/protocol';
import { DroppedText } from '../index/droppedText.js';
import type { SessionIndex } from '../index/sessionIndex.js';
import type { EventLog } from '../sessionFs/eventLog.js';
import { foldLog } from './foldLog.js';

/**
 * Tells the index of all turns in a log, one at a time, however many there are. Without the session's summary that is
 * taken from the log as well, and a session that can't be read to its end is left out. Gives what the log says of it.
 */
export async function indexLog(
  index: SessionIndex,
  log: EventLog,
  known?: () => SessionSummary,
): Promise<SessionSummary | undefined> {
  let last: Turn | undefined;
  let told: SessionSummary | undefined;
  let release: (() => void) | undefined;
  const dropped = new DroppedText();
  // Always with a summary: the index keeps no turn of a session that it doesn't have.
  const tell = (state: SessionState, turn?: Turn | ActiveTurn) => {
    told = known?.() ?? state.summary;
    release ??= index.hold(told.resource);
    index.put(told);
    if (turn) index.putTurn(told.resource, turn, dropped);
  };
  try {
    const folded = await foldLog(log.load(), (state) => {
      dropped.follow(state);
      const ended = state.turns.at(-1);
      if (ended && ended !== last) tell(state, ended);
      last = ended;
      return withNewestTurns(state, 1);
    });
    if (folded) tell(folded.state, folded.state.activeTurn);
    release?.();
    return folded?.state.summary;
  } catch (error) {
    release?.();
    if (told && !known) index.remove(told.resource);
    throw error;
  }
}
