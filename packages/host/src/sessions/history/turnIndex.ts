import type { SessionState } from '@agenthost/protocol';
import { dropOldest } from '@agenthost/protocol/internal';
import { SessionFsFailure } from '../../storage/fs/sessionFs.js';
import type { CheckedList } from '../../storage/log/checkedFiles.js';
import { LOG_BEGINNING, type LogPosition } from '../../storage/log/eventLog.js';
import {
  type HistoryLimits,
  MAX_INDEX_LINE,
  MAX_PART_MARKS,
  MAX_TURN_HINTS,
  PARTS_BETWEEN_MARKS,
} from '../sessionLimits.js';

/** A place in the log where no turn runs. */
export interface TurnBoundary {
  readonly position: LogPosition;
  /** The number of turns that ended before it. */
  readonly turns: number;
  /** The waiting messages at that place: a later turn may start from one of them. */
  readonly waiting?: Pick<SessionState, 'steeringMessage' | 'queuedMessages'>;
}

/** Consecutive turns and their place in the log. */
export interface TurnPage {
  readonly from: TurnBoundary;
  readonly to: LogPosition;
  readonly ids: readonly string[];
  /** Places within turns of very many parts, by the turn's id, so that such a turn need not be read from its beginning. */
  readonly marks?: PartMarks;
}

/** A place in the log within a turn, and how many parts the turn had there. */
export interface PartMark {
  readonly position: LogPosition;
  readonly parts: number;
}

export type PartMarks = Readonly<Record<string, readonly PartMark[]>>;

/** The index at the time of a snapshot. */
export interface StoredTurnIndex {
  readonly bytes: number;
  readonly boundary: TurnBoundary;
  /** Of turns after the boundary. */
  readonly marks?: PartMarks;
}

/** The place of some turns: those of a page, or those that are in no page yet. */
export interface TurnsPlace {
  readonly from: TurnBoundary;
  /** Absent if they are the last ones of the log. */
  readonly to?: LogPosition;
  readonly marks: readonly PartMark[];
}

interface Located {
  readonly page: TurnPage;
  /** For a page in the file: the end of its line. */
  readonly end?: number;
}

const BEGINNING: TurnBoundary = { position: LOG_BEGINNING, turns: 0 };

/**
 * The place of each turn in the log, in pages: those stored with a snapshot are in a file, the newest in memory. It is `broken` when it
 * can't continue or its file can't be read; then it is rebuilt from the log.
 */
export class TurnIndex {
  readonly #file: CheckedList;
  readonly #limits: HistoryLimits;
  #bytes: number;
  #boundary: TurnBoundary;
  #pending: TurnPage[] = [];
  /** Of turns after the boundary. */
  #marks: PartMarks;
  #isBroken = false;
  /** For turns that were requested: how many are before them, and where their page is. */
  readonly #hints = new Map<string, { readonly ordinal: number; readonly end: number }>();

  constructor(file: CheckedList, limits: HistoryLimits, stored: StoredTurnIndex = { bytes: 0, boundary: BEGINNING }) {
    this.#file = file;
    this.#limits = limits;
    this.#bytes = stored.bytes;
    this.#boundary = stored.boundary;
    this.#marks = stored.marks ?? {};
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

  /** Whether a page should end now, with this many bytes in the log. */
  isDue(state: SessionState, size: number): boolean {
    const turns = endedTurns(state) - this.#boundary.turns;
    if (state.activeTurn || turns <= 0 || this.#isBroken) return false;
    return turns >= this.#limits.pageTurns || size - this.#boundary.position.end >= this.#limits.pageBytes;
  }

  /** Ends a page after the newest ended turn. `state` is the state at `position`. */
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
    const marks = Object.fromEntries(Object.entries(this.#marks).filter(([id]) => ids.includes(id)));
    const hasMarks = Object.keys(marks).length > 0;
    this.#pending.push({ from: this.#boundary, to: position, ids, ...(hasMarks && { marks }) });
    this.#boundary = { position, turns, ...(waiting && { waiting }) };
    this.#marks = {};
  }

  /** Whether the running turn has so many parts that a place within it should be noted. */
  isMarkDue({ activeTurn }: SessionState): boolean {
    if (!activeTurn?.earlierParts || this.#isBroken) return false;
    const marks = this.#marksOf(activeTurn.id);
    const parts = activeTurn.earlierParts + activeTurn.responseParts.length;
    return marks.length < MAX_PART_MARKS && parts - (marks.at(-1)?.parts ?? 0) >= PARTS_BETWEEN_MARKS;
  }

  /** Notes a place within the running turn. `state` is the state at `position`. */
  markParts(state: SessionState, position: LogPosition): void {
    const { activeTurn } = state;
    if (!activeTurn || !this.isMarkDue(state)) return;
    const parts = (activeTurn.earlierParts ?? 0) + activeTurn.responseParts.length;
    this.#marks = { ...this.#marks, [activeTurn.id]: [...this.#marksOf(activeTurn.id), { position, parts }] };
  }

  /** Called while a log is folded: turns were removed from the conversation. `state` is the state at `position`, after that. */
  async cutTo(state: SessionState, position: LogPosition): Promise<void> {
    const turns = endedTurns(state);
    if (this.#isBroken || turns >= this.#boundary.turns) return;
    const page = await this.#takeBackTo(turns);
    if (!page) {
      this.breakOff();
      return;
    }
    this.#hints.clear();
    this.#marks = {};
    const ids = page.ids.slice(0, turns - page.from.turns);
    this.#boundary = page.from;
    if (ids.length === 0) return;
    // The page has the records of the removed turns too, up to the one that removes them.
    const waiting = waitingIn(state);
    this.#pending.push({ from: page.from, to: position, ids });
    this.#boundary = { position, turns, ...(waiting && { waiting }) };
  }

  /** Takes the newest pages off, up to the one with this turn, which it returns. */
  async #takeBackTo(turn: number): Promise<TurnPage | undefined> {
    for (let page = this.#pending.pop(); page; page = this.#pending.pop()) if (page.from.turns <= turn) return page;
    let found: TurnPage | undefined;
    for await (const { value, end } of this.#file.backwards(this.#bytes)) {
      this.#bytes = end;
      if (found) return found;
      const page = value as TurnPage;
      if (page.from.turns <= turn) found = page;
    }
    this.#bytes = 0;
    return found;
  }

  /** Called when the log was truncated after this place. */
  forgetMarksAfter({ end }: LogPosition): void {
    const kept = Object.entries(this.#marks).map(([id, marks]) => [
      id,
      marks.filter(({ position }) => position.end <= end),
    ]);
    this.#marks = Object.fromEntries(kept);
  }

  /** The place of the turn. A turn in no page is after the last page, if it exists at all. */
  async placeOf(turnId: string): Promise<TurnsPlace> {
    const ordinal = this.ordinalOf(turnId);
    for await (const { page, end } of this.backwards(turnId)) {
      const at = page.ids.lastIndexOf(turnId);
      if (at < 0) continue;
      if (ordinal === undefined) this.remember(turnId, page.from.turns + at, end);
      const { from, to, marks } = page;
      return { from, to, marks: (marks && Object.hasOwn(marks, turnId) && marks[turnId]) || [] };
    }
    return { from: this.#boundary, marks: this.#marksOf(turnId) };
  }

  #marksOf(turnId: string): readonly PartMark[] {
    return (Object.hasOwn(this.#marks, turnId) && this.#marks[turnId]) || [];
  }

  breakOff(): void {
    this.#isBroken = true;
    this.#pending = [];
    this.#marks = {};
    this.#hints.clear();
  }

  /** Writes all pages to the file and returns the index's position; `undefined` when it is broken. */
  async store(): Promise<StoredTurnIndex | undefined> {
    if (this.#isBroken) return undefined;
    const pages = [...this.#pending];
    const boundary = this.#boundary;
    const marks = this.#marks;
    if (pages.length > 0) {
      this.#bytes = await this.#file.append(pages, this.#bytes);
      this.#pending.splice(0, pages.length);
    }
    return { bytes: this.#bytes, boundary, ...(Object.keys(marks).length > 0 && { marks }) };
  }

  /** From the newest to the oldest page; starts at a turn if its place is known. */
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

  /** The next request for a page will name this turn. */
  remember(turnId: string, ordinal: number, end: number | undefined): void {
    // Pages that are not in the file are searched in any case.
    if (end === undefined) return;
    this.#hints.delete(turnId);
    this.#hints.set(turnId, { ordinal, end });
    dropOldest(this.#hints, MAX_TURN_HINTS);
  }
}

export function endedTurns({ turns, earlierTurns = 0 }: SessionState): number {
  return earlierTurns + turns.length;
}

function waitingIn({ steeringMessage, queuedMessages }: SessionState): TurnBoundary['waiting'] {
  if (!steeringMessage && !queuedMessages) return undefined;
  return { ...(steeringMessage && { steeringMessage }), ...(queuedMessages && { queuedMessages }) };
}
