import { ERROR_CODE, MAX_SNAPSHOT_TURNS, type Turn } from '@agenthost/protocol';
import { CommandFailedError } from '../errors.js';
import type { SessionHandle } from '../session/sessionHandle.js';
import { jsonExport, type ReadContent } from './jsonExport.js';
import { markdownExport } from './markdownExport.js';

export interface ExportOptions {
  /** Markdown to read, or JSON to keep and to import again. */
  readonly format: 'md' | 'json';
  /** Stops it: reading rejects. */
  readonly signal?: AbortSignal | undefined;
  /** Called for each turn, before it is written. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * A session as the text of a file, in pieces: every ended turn, oldest first. At most a page of turns, and a piece of a turn with
 * its contents, is held. Rejects when the host can't be asked; content that it has no more is left out.
 */
export function exportSession(session: SessionHandle, options: ExportOptions): AsyncGenerator<string> {
  const { summary } = session.confirmed.value;
  const { signal } = options;
  const readContent: ReadContent = async ({ uri }) => {
    try {
      return (await session.readArtifact({ uri }, { ...(signal && { signal }) })).bytes;
    } catch (error) {
      const isGone = error instanceof CommandFailedError && error.code === ERROR_CODE.sessionNotFound;
      if (error instanceof CommandFailedError && !isGone) return undefined;
      throw error;
    }
  };
  const turns = turnPieces(session, options);
  return options.format === 'json' ? jsonExport(summary, turns, readContent) : markdownExport(summary, turns);
}

/** A turn with very many steps comes in several pieces, so that neither side has to hold all of it. */
async function* turnPieces(session: SessionHandle, { signal, onProgress }: ExportOptions): AsyncGenerator<Turn> {
  const { turns, earlierTurns = 0 } = session.confirmed.value;
  const total = turns.length + earlierTurns;
  let done = 0;
  for await (const turn of allTurns(session, { signal })) {
    onProgress?.(++done, total);
    yield* session.turnPieces(turn, { ...(signal && { signal }) });
  }
}

/**
 * All ended turns of a session, oldest first, however many there are. The host returns them newest first, so one walk back notes
 * where pages begin, and a second one yields them; at most a page is held.
 */
export async function* allTurns(
  session: SessionHandle,
  { pageSize = 50, signal }: { readonly pageSize?: number; readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Turn> {
  const size = Math.min(pageSize, MAX_SNAPSHOT_TURNS);
  const newest = session.confirmed.value.turns.at(-1)?.id;
  if (newest === undefined) return;
  /** The turn before which each page ends, newest page first; `undefined` for the newest turns. */
  const ends: (string | undefined)[] = [undefined];
  let count = 0;
  for await (const turn of session.history({ includeLoaded: true, pageSize: size, ...(signal && { signal }) })) {
    count++;
    if (count % size === 0) ends.push(turn.id);
  }
  for (const before of ends.toReversed()) {
    const page: Turn[] = [];
    const options = {
      includeLoaded: true,
      pageSize: size,
      ...(before !== undefined && { before }),
      ...(signal && { signal }),
    };
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
