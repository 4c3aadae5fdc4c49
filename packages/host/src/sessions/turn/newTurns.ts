import type { Turn } from '@agenthost/protocol';

/** Those that ended after `last`, which is the one that had ended last before. Mostly one; a failed creation ends many. */
export function newTurns(turns: readonly Turn[], last: Turn | undefined): readonly Turn[] {
  return turns.slice(last ? turns.lastIndexOf(last) + 1 : 0);
}
