import type { SessionHandle } from '@agenthost/client';
import { MAX_SNAPSHOT_TURNS, type Turn } from '@agenthost/protocol';

/**
 * All ended turns of a session, oldest first, however many there are. The host returns them newest first, so one walk back notes
 * where pages begin, and a second one yields them; at most a page is held.
 */
export async function* allTurns(session: SessionHandle, pageSize = 50): AsyncGenerator<Turn> {
  const size = Math.min(pageSize, MAX_SNAPSHOT_TURNS);
  const newest = session.confirmed.value.turns.at(-1)?.id;
  if (newest === undefined) return;
  /** The turn before which each page ends, newest page first; `undefined` for the newest turns. */
  const ends: (string | undefined)[] = [undefined];
  let count = 0;
  for await (const turn of session.history({ includeLoaded: true, pageSize: size })) {
    count++;
    if (count % size === 0) ends.push(turn.id);
  }
  for (const before of ends.toReversed()) {
    const page: Turn[] = [];
    const options = { includeLoaded: true, pageSize: size, ...(before !== undefined && { before }) };
    for await (const turn of session.history(options)) {
      page.unshift(turn);
      if (page.length === size) break;
    }
    for (const turn of page) {
      yield turn;
      // Turns that ended since this began are left out.
      if (turn.id === newest) return;
    }
  }
}

export async function newestTurns(session: SessionHandle, count: number): Promise<Turn[]> {
  const turns: Turn[] = [];
  for await (const turn of session.history({ includeLoaded: true, pageSize: Math.min(count, MAX_SNAPSHOT_TURNS) })) {
    turns.unshift(turn);
    if (turns.length === count) break;
  }
  return turns;
}

export function turnCount(session: SessionHandle): number {
  const { turns, earlierTurns = 0 } = session.confirmed.value;
  return turns.length + earlierTurns;
}
