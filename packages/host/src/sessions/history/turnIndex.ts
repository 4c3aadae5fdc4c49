import type { SessionState } from '@agenthost/protocol';
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
  /** Places within turns of very many parts, by the turn's id: nobody has to read such a turn from its beginning. */
  readonly marks?: PartMarks;
}

/** A place in the log within a turn, and how many parts the turn had there. */
export interface PartMark {
  readonly position: LogPosition;
  readonly parts: number;
}

export type PartMarks = Readonly<Record<string, readonly PartMark[]>>;

/** Where the index stood at a snapshot. */
export interface StoredTurnIndex {
  readonly bytes: number;
  readonly boundary: TurnBoundary;
  /** Of turns after the boundary. */
  readonly marks?: PartMarks;
}

/** Where some turns are: those of a page, or those that no page has yet. */
export interface TurnsPlace {
  readonly from: TurnBoundary;
  /** Absent where they are the last ones of the log. */
  readonly to?: LogPosition;
  readonly marks: readonly PartMark[];
}

interface Located {
  readonly page: TurnPage;
  /** For a page in the file: where its line ends there. */
  readonly end?: number;
}

const BEGINNING: TurnBoundary = { position: LOG_BEGINNING, turns: 0 };

/**
 * Where each turn is in the log, in pages: those that a snapshot has stored are in a file, the newest in memory. It is
 * `broken` when it can't go on, or its file can't be read; then it is made anew from the log.
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
  /** Of turns that were asked for: how many are before them, and where to look for their page. */
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
    const marks = Object.fromEntries(Object.entries(this.#marks).filter(([id]) => ids.includes(id)));
    const hasMarks = Object.keys(marks).length > 0;
    this.#pending.push({ from: this.#boundary, to: position, ids, ...(hasMarks && { marks }) });
    this.#boundary = { position, turns, ...(waiting && { waiting }) };
    this.#marks = {};
  }

  /** Whether the running turn has got so many parts that a place within it should be noted. */
  isMarkDue({ activeTurn }: SessionState): boolean {
    if (!activeTurn?.earlierParts || this.#isBroken) return false;
    const marks = this.#marksOf(activeTurn.id);
    const parts = activeTurn.earlierParts + activeTurn.responseParts.length;
    return marks.length < MAX_PART_MARKS && parts - (marks.at(-1)?.parts ?? 0) >= PARTS_BETWEEN_MARKS;
  }

  /** Notes a place within the running turn, when `state` is the one at `position`. */
  markParts(state: SessionState, position: LogPosition): void {
    const { activeTurn } = state;
    if (!activeTurn || !this.isMarkDue(state)) return;
    const parts = (activeTurn.earlierParts ?? 0) + activeTurn.responseParts.length;
    this.#marks = { ...this.#marks, [activeTurn.id]: [...this.#marksOf(activeTurn.id), { position, parts }] };
  }

  /** To be called when the log was cut off after this place. */
  forgetMarksAfter({ end }: LogPosition): void {
    const kept = Object.entries(this.#marks).map(([id, marks]) => [
      id,
      marks.filter(({ position }) => position.end <= end),
    ]);
    this.#marks = Object.fromEntries(kept);
  }

  /** Where the turn is. A turn that no page has is after the last page, if there is such a turn. */
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

  /** Where it stands, with all of it in the file; `undefined` when it is broken. */
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
  remember(turnId: string, ordinal: number, end: number | undefined): void {
    // Pages that are not in the file are looked at in any case.
    if (end === undefined) return;
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
