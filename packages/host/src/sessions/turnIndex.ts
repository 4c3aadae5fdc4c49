import type { SessionState } from '@agenthost/protocol';
import { LOG_BEGINNING, type LogPosition } from '../sessionFs/eventLog.js';
import { SessionFsFailure } from '../sessionFs/sessionFs.js';
import type { CheckedList } from '../sessionFs/sidecarFiles.js';
import { type HistoryLimits, MAX_INDEX_LINE, MAX_TURN_HINTS } from './sessionLimits.js';

/** A place where no turn runs. */
export interface TurnBoundary {
  readonly position: LogPosition;
  /** How many turns have ended before it. */
  readonly turns: number;
  /** What waited then: a turn that starts later may take it from there. */
  readonly waiting?: Pick<SessionState, 'steeringMessage' | 'queuedMessages'>;
}

/** Some turns that ended one after the other, and where in the log they are. */
export interface TurnPage {
  readonly from: TurnBoundary;
  readonly to: LogPosition;
  readonly ids: readonly string[];
}

/** Where the index stood at a checkpoint. */
export interface StoredTurnIndex {
  readonly bytes: number;
  readonly boundary: TurnBoundary;
}

interface Located {
  readonly page: TurnPage;
  /** For a page in the file: where its line ends there. */
  readonly end?: number;
}

const BEGINNING: TurnBoundary = { position: LOG_BEGINNING, turns: 0 };

/**
 * Where each turn is in the log, in pages: those that a checkpoint has stored are in a file, the newest in memory. It is
 * `broken` when it can't go on, or its file can't be read; then it is made anew from the log.
 */
export class TurnIndex {
  readonly #file: CheckedList;
  readonly #limits: HistoryLimits;
  #bytes: number;
  #boundary: TurnBoundary;
  #pending: TurnPage[] = [];
  #isBroken = false;
  /** Of turns that were asked for: how many are before them, and where to look for their page. */
  readonly #hints = new Map<string, { readonly ordinal: number; readonly end: number }>();

  constructor(file: CheckedList, limits: HistoryLimits, stored: StoredTurnIndex = { bytes: 0, boundary: BEGINNING }) {
    this.#file = file;
    this.#limits = limits;
    this.#bytes = stored.bytes;
    this.#boundary = stored.boundary;
  }

  get boundary(): TurnBoundary {
    return this.#boundary;
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Many pages wait to be stored. */
  get isFilling(): boolean {
    return this.#pending.length >= this.#limits.maxPendingPages / 4;
  }

  /** Whether a page should end here, with this many bytes in the log. */
  isDue(state: SessionState, size: number): boolean {
    const turns = endedTurns(state) - this.#boundary.turns;
    if (state.activeTurn || turns <= 0 || this.#isBroken) return false;
    return turns >= this.#limits.pageTurns || size - this.#boundary.position.end >= this.#limits.pageBytes;
  }

  /** Ends a page after the turn that has ended last, when `state` is the one at `position`. */
  endPage(state: SessionState, position: LogPosition): void {
    const turns = endedTurns(state);
    const count = turns - this.#boundary.turns;
    if (this.#isBroken || state.activeTurn || count <= 0) return;
    const waiting = waitingIn(state);
    if (waiting && JSON.stringify(waiting).length > MAX_INDEX_LINE / 2) return;
    if (count > state.turns.length || this.#pending.length >= this.#limits.maxPendingPages) {
      this.breakOff();
      return;
    }
    const ids = state.turns.slice(-count).map(({ id }) => id);
    this.#pending.push({ from: this.#boundary, to: position, ids });
    this.#boundary = { position, turns, ...(waiting && { waiting }) };
  }

  breakOff(): void {
    this.#isBroken = true;
    this.#pending = [];
    this.#hints.clear();
  }

  /** Where it stands, with all of it in the file; `undefined` when it is broken. */
  async store(): Promise<StoredTurnIndex | undefined> {
    if (this.#isBroken) return undefined;
    const pages = [...this.#pending];
    const boundary = this.#boundary;
    if (pages.length > 0) {
      this.#bytes = await this.#file.append(pages, this.#bytes);
      this.#pending.splice(0, pages.length);
    }
    return { bytes: this.#bytes, boundary };
  }

  /** From the newest to the oldest; from a turn on where its place is known. */
  async *backwards(before?: string): AsyncGenerator<Located> {
    const hint = before === undefined ? undefined : this.#hints.get(before);
    if (!hint) for (const page of this.#pending.toReversed()) yield { page };
    let next = hint ? undefined : (this.#pending[0]?.from.position ?? this.#boundary.position);
    for await (const { value, end } of this.#file.backwards(hint?.end ?? this.#bytes)) {
      const page = value as TurnPage;
      if (next && page.to.end !== next.end) throw new SessionFsFailure('ESTALE', 'pages of the turn index are missing');
      next = page.from.position;
      yield { page, end };
    }
    if (next && next.end > 0) throw new SessionFsFailure('ESTALE', 'the turn index has no beginning');
  }

  ordinalOf(turnId: string): number | undefined {
    return this.#hints.get(turnId)?.ordinal;
  }

  /** Who pages on will ask for what is before this turn. */
  remember(turnId: string, ordinal: number, end: number): void {
    this.#hints.delete(turnId);
    this.#hints.set(turnId, { ordinal, end });
    const [oldest] = this.#hints.keys();
    if (this.#hints.size > MAX_TURN_HINTS && oldest !== undefined) this.#hints.delete(oldest);
  }
}

export function endedTurns({ turns, earlierTurns = 0 }: SessionState): number {
  return earlierTurns + turns.length;
}

function waitingIn({ steeringMessage, queuedMessages }: SessionState): TurnBoundary['waiting'] {
  if (!steeringMessage && !queuedMessages) return undefined;
  return { ...(steeringMessage && { steeringMessage }), ...(queuedMessages && { queuedMessages }) };
}
