import {
  type ImportSessionParams,
  MAX_FRAME_BYTES,
  MAX_IMPORTED_TURNS,
  type Turn,
  type URI,
} from '@agenthost/protocol';
import type { CommandChannel } from './commandChannel.js';
import { LimitReachedError } from './errors.js';
import { piecesOf } from './turnPieces.js';

export interface ImportSessionOptions extends Omit<ImportSessionParams, 'session' | 'provider' | 'turns' | 'more'> {
  readonly provider: string;
  /** Picked unless told. */
  readonly session?: URI;
  readonly turns: Iterable<Turn> | AsyncIterable<Turn>;
}

/** Room for what is around the turns in their frame. */
const MAX_BYTES = MAX_FRAME_BYTES - 64 * 1024;

/** No more than one frame is held. What is imported is there when this resolves; when it rejects, nothing is. */
export async function importTurns(
  commands: CommandChannel,
  params: Omit<ImportSessionParams, 'turns' | 'more'>,
  turns: Iterable<Turn> | AsyncIterable<Turn>,
): Promise<void> {
  let held: Turn[] = [];
  let bytes = 0;
  for await (const turn of inFrames(turns)) {
    const size = bytesOf(turn);
    if (size > MAX_BYTES) {
      throw new LimitReachedError(
        `the turn ${turn.id} has ${size} bytes, more than the ${MAX_BYTES} that fit into a frame`,
      );
    }
    if (bytes + size > MAX_BYTES || held.length >= MAX_IMPORTED_TURNS) {
      await commands.request('importSession', { ...params, turns: held, more: true });
      [held, bytes] = [[], 0];
    }
    held.push(turn);
    bytes += size;
  }
  await commands.request('importSession', { ...params, turns: held });
}

/** What has no room in a frame comes in pieces. */
async function* inFrames(turns: Iterable<Turn> | AsyncIterable<Turn>): AsyncGenerator<Turn> {
  for await (const turn of turns) {
    if (bytesOf(turn) <= MAX_BYTES) yield turn;
    else yield* piecesOf(turn, MAX_BYTES);
  }
}

function bytesOf(value: object): number {
  return new TextEncoder().encode(JSON.stringify(value)).length + 1;
}
