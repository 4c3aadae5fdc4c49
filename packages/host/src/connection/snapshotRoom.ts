import { DEFAULT_SNAPSHOT_TURNS, MAX_PAGE_BYTES, MAX_RESYNC_BYTES, type Snapshot } from '@agenthost/protocol';
import { jsonBytes } from '../sessions/history/jsonBytes.js';
import type { TurnsRoom } from '../sessions/history/turnBytes.js';

/** Room for the snapshots of one answer. What a small one leaves is for those after it. */
export class SnapshotRoom {
  #bytes = MAX_RESYNC_BYTES;
  #left: number;

  constructor(snapshots: number) {
    this.#left = snapshots;
  }

  take(subscribe: (room: TurnsRoom) => Snapshot): Snapshot {
    const bytes = Math.min(MAX_PAGE_BYTES, this.#bytes / Math.max(this.#left, 1));
    const snapshot = subscribe({ turns: DEFAULT_SNAPSHOT_TURNS, bytes });
    this.#left -= 1;
    this.#bytes = Math.max(this.#bytes - turnBytesOf(snapshot), 0);
    return snapshot;
  }
}

function turnBytesOf({ state }: Snapshot): number {
  if (!('turns' in state)) return 0;
  const { turns, activeTurn } = state;
  return turns.reduce((sum, turn) => sum + jsonBytes(turn), activeTurn ? jsonBytes(activeTurn) : 0);
}
