import type { SessionHandle } from '@agenthost/client';
import { MAX_SNAPSHOT_TURNS, type Turn } from '@agenthost/protocol';

export async function newestTurns(session: SessionHandle, count: number): Promise<Turn[]> {
  const turns: Turn[] = [];
  for await (const turn of session.history({ includeLoaded: true, pageSize: Math.min(count, MAX_SNAPSHOT_TURNS) })) {
    turns.unshift(turn);
    if (turns.length === count) break;
  }
  return turns;
}
