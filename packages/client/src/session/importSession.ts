import { type ContentRef, type ImportSessionParams, MAX_CONTENT_RANGE, type Turn, type URI } from '@agenthost/protocol';
import { type ImportedContent, MAX_IMPORTED_TURNS, turnContents } from '@agenthost/protocol/internal';
import { WEB_BYTES } from '../byteTools.js';
import type { CommandChannel } from '../connection/commandChannel.js';
import { LimitReachedError } from '../errors.js';
import { frameWeight, MAX_FRAME_WEIGHT, piecesOf } from './history.js';

export interface ImportSessionOptions
  extends Omit<ImportSessionParams, 'session' | 'provider' | 'turns' | 'contents' | 'more'> {
  readonly provider: string;
  /** Random by default. */
  readonly session?: URI;
  readonly turns: Iterable<Turn> | AsyncIterable<Turn>;
  /**
   * The bytes of an image, a file or a paste that a turn refers to: from an export, or `fetchContent` of the other host. What it
   * does not answer is left out of the turn.
   */
  readonly content?: (ref: ContentRef) => Promise<Uint8Array | undefined>;
}

/** Turns may come from a file. The host refuses a malformed one. */
function contentsOf(turn: Turn): readonly ContentRef[] {
  try {
    return turnContents(turn);
  } catch {
    return [];
  }
}

function* pieces(uri: URI, bytes: Uint8Array): Generator<ImportedContent> {
  for (let offset = 0; offset < bytes.length; offset += MAX_CONTENT_RANGE) {
    yield { uri, offset, data: WEB_BYTES.toBase64(bytes.subarray(offset, offset + MAX_CONTENT_RANGE)) };
  }
}

/** Leaves room for what is around the turns in their frame. */
const MAX_WEIGHT = MAX_FRAME_WEIGHT - 128 * 1024;

/** No more than one frame is held. What is imported is there when this resolves; when it rejects, nothing is. */
export async function importTurns(
  commands: CommandChannel,
  params: Omit<ImportSessionParams, 'turns' | 'contents' | 'more'>,
  { turns, content }: Pick<ImportSessionOptions, 'turns' | 'content'>,
): Promise<void> {
  let held: Turn[] = [];
  let heldWeight = 0;
  const brought = new Set<URI>();
  for await (const turn of inFrames(turns)) {
    const weight = frameWeight(turn);
    if (weight > MAX_WEIGHT) throw new LimitReachedError(`a part of the turn ${turn.id} does not fit into a frame`);
    for (const ref of content ? contentsOf(turn) : []) {
      if (brought.has(ref.uri)) continue;
      brought.add(ref.uri);
      const whole = await content?.(ref);
      for (const piece of whole ? pieces(ref.uri, whole) : []) {
        await commands.request('importSession', { ...params, turns: [], contents: [piece], more: true });
      }
    }
    if (heldWeight + weight > MAX_WEIGHT || held.length >= MAX_IMPORTED_TURNS) {
      await commands.request('importSession', { ...params, turns: held, more: true });
      [held, heldWeight] = [[], 0];
    }
    held.push(turn);
    heldWeight += weight;
  }
  await commands.request('importSession', { ...params, turns: held });
}

/** What has no room in a frame comes in pieces. */
async function* inFrames(turns: Iterable<Turn> | AsyncIterable<Turn>): AsyncGenerator<Turn> {
  for await (const turn of turns) {
    if (frameWeight(turn) <= MAX_WEIGHT) yield turn;
    else yield* piecesOf(turn, MAX_WEIGHT);
  }
}
