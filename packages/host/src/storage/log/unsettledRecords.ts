import type { DeltaAction, ReasoningAction, ToolUpdateAction } from '@agenthost/protocol/internal';
import type { LogPosition, NewLogRecord } from './eventLog.js';
import { assertFits, type LineParts, versionOf } from './lineFormat.js';

interface WrittenRecord {
  readonly entry: BufferedRecord;
  /** The place before it. */
  readonly before: LogPosition;
}

const MAX_BYTES = 256 * 1024;

/** The newest records in the file that the host may still have to roll back. */
export class UnsettledRecords {
  #records: WrittenRecord[] = [];
  #bytes = 0;
  /** Nothing up to here can be rolled back. */
  #settled = 0;

  add(record: WrittenRecord): void {
    this.#records.push(record);
    this.#bytes += record.entry.size;
    if (this.#bytes <= MAX_BYTES) return;
    let dropped = 0;
    // Shrinks to a half, so that not every record moves all the others.
    while (this.#bytes > MAX_BYTES / 2 && dropped < this.#records.length - 1) {
      this.#bytes -= this.#records[dropped++]?.entry.size ?? 0;
    }
    this.settle(this.#records[dropped - 1]?.entry.last ?? 0);
  }

  /** Appends up to `position` will not be rolled back. */
  settle(position: number): void {
    this.#settled = Math.max(this.#settled, position);
    const kept = this.#records.findIndex(({ entry }) => entry.last > position);
    if (kept === 0) return;
    this.#records = kept < 0 ? [] : this.#records.slice(kept);
    this.#bytes = this.#records.reduce((sum, { entry }) => sum + entry.size, 0);
  }

  canTakeBack(position: number): boolean {
    return position >= this.#settled;
  }

  /** Drops everything after `position`, and returns where the file has to be cut, if it has to be. */
  takeBack(position: number): { readonly cut?: WrittenRecord; readonly complete: boolean } {
    const first = this.#records.findIndex(({ entry }) => entry.last > position);
    const [cut] = first < 0 ? [] : this.#records.splice(first);
    this.#bytes = this.#records.reduce((sum, { entry }) => sum + entry.size, 0);
    return { ...(cut && { cut }), complete: this.canTakeBack(position) };
  }
}

interface Mark {
  /** The position of the last append before it. */
  readonly position: number;
  place: LogPosition | undefined;
  readonly resolve: (place: LogPosition | undefined) => void;
}

const MAX_MARKS = 16;

/** Places that callers want to know as soon as they are final. */
export class LogMarks {
  #marks: Mark[] = [];

  /** `place` if everything before it is already written. With too many open ones it is dropped at once. */
  add(position: number, place: LogPosition | undefined): Promise<LogPosition | undefined> {
    if (this.#marks.length >= MAX_MARKS) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#marks.push({ position, place, resolve }));
  }

  /** Records after such a position may not be merged with those before it. */
  has(position: number): boolean {
    return this.#marks.some((mark) => mark.position === position);
  }

  written(position: number, place: LogPosition): void {
    for (const mark of this.#marks) if (mark.position === position) mark.place = place;
  }

  takeBack(after: number, upTo: number): void {
    this.#end(
      (mark) => mark.position > after && mark.position <= upTo,
      () => undefined,
    );
  }

  /** What was stored after this place is gone. */
  truncate(to: LogPosition): void {
    this.#end(
      (mark) => mark.place !== undefined && mark.place.end > to.end,
      () => undefined,
    );
  }

  settle(isSettled: (position: number) => boolean): void {
    this.#end(
      (mark) => mark.place !== undefined && isSettled(mark.position),
      (mark) => mark.place,
    );
  }

  finish(): void {
    this.#end(
      () => true,
      (mark) => mark.place,
    );
  }

  #end(belongs: (mark: Mark) => boolean, outcome: (mark: Mark) => LogPosition | undefined): void {
    if (this.#marks.length === 0) return;
    const ended = this.#marks.filter(belongs);
    this.#marks = this.#marks.filter((mark) => !ended.includes(mark));
    for (const mark of ended) mark.resolve(outcome(mark));
  }
}

type NewActionRecord = Extract<NewLogRecord, { type: 'action' }>;
type TextAction = DeltaAction | ReasoningAction | (ToolUpdateAction & { readonly output: string });
type TextRecord = NewActionRecord & { readonly action: TextAction };

/** Merged text stops at this length, so that its line stays readable in one piece even if every character is escaped. */
const MAX_MERGED_LENGTH = 256 * 1024;
const RECORD_BYTES = 200;
const PIECE_BYTES = 100;

interface Piece {
  readonly position: number;
  readonly at: number;
  readonly actionAt: number;
  readonly serverSeq: number;
  readonly text: string;
}

/** A record that waits to be written, or a run of text that will be one record. */
export class BufferedRecord {
  readonly first: number;
  readonly #id: string;
  readonly #content: { readonly parts: LineParts } | { readonly action: TextAction; readonly pieces: Piece[] };
  #last: number;
  #length = 0;
  #size = RECORD_BYTES;

  /** `fields`: as in `EventLog.append`. */
  constructor(
    position: number,
    record: NewLogRecord,
    { id, at }: { readonly id: string; readonly at: number },
    fields?: string,
  ) {
    this.first = position;
    this.#last = position;
    this.#id = id;
    if (isText(record) && textOf(record.action).length <= MAX_MERGED_LENGTH) {
      const pieces: Piece[] = [];
      this.#content = { action: record.action, pieces };
      this.#add(pieces, pieceOf(position, at, record));
      return;
    }
    const parts =
      fields === undefined
        ? { v: versionOf(record), stamp: '', fields: JSON.stringify({ id, at, ...record }) }
        : { stamp: `"id":${JSON.stringify(id)},"at":${at},"type":"${record.type}"`, fields };
    assertFits(parts);
    this.#content = { parts };
    this.#size += parts.stamp.length + parts.fields.length;
  }

  /** The position of the last append that is part of it. */
  get last(): number {
    return this.#last;
  }

  /** Approximate bytes in memory. */
  get size(): number {
    return this.#size;
  }

  /** Merges the record if it continues the same text. */
  merge(position: number, record: NewLogRecord, at: number): boolean {
    if ('parts' in this.#content || record.id !== undefined || !isText(record)) return false;
    const { action, pieces } = this.#content;
    if (!continues(action, record.action) || this.#length + textOf(record.action).length > MAX_MERGED_LENGTH)
      return false;
    this.#add(pieces, pieceOf(position, record.at ?? at, record));
    return true;
  }

  /** Drops the text of appends after `position`, which is not before `first`. */
  cutAfter(position: number): void {
    if ('parts' in this.#content) return;
    const { pieces } = this.#content;
    const kept = pieces.filter((piece) => piece.position <= position);
    pieces.length = 0;
    this.#length = 0;
    this.#size = RECORD_BYTES;
    for (const piece of kept) this.#add(pieces, piece);
  }

  toParts(): LineParts {
    if ('parts' in this.#content) return this.#content.parts;
    const { action, pieces } = this.#content;
    const [first] = pieces;
    const last = pieces.at(-1);
    const text = pieces.map((piece) => piece.text).join('');
    const at = { at: last?.actionAt ?? action.at };
    const fields = JSON.stringify({
      id: this.#id,
      at: last?.at,
      type: 'action',
      serverSeq: last?.serverSeq,
      ...(first !== last && { firstSeq: first?.serverSeq }),
      action:
        action.type === 'session/toolUpdate' ? { ...action, ...at, output: text } : { ...action, ...at, content: text },
    });
    return { stamp: '', fields };
  }

  #add(pieces: Piece[], piece: Piece): void {
    pieces.push(piece);
    this.#last = piece.position;
    this.#length += piece.text.length;
    this.#size += piece.text.length + PIECE_BYTES;
  }
}

function pieceOf(position: number, at: number, { action, serverSeq }: TextRecord): Piece {
  return { position, at, actionAt: action.at, serverSeq, text: textOf(action) };
}

/** A record with an origin is a client's and stays separate: it must be found by its number. */
function isText(record: NewLogRecord): record is TextRecord {
  if (record.type !== 'action' || record.origin) return false;
  const { action } = record;
  if (action.type === 'session/delta' || action.type === 'session/reasoning') return true;
  return (
    action.type === 'session/toolUpdate' &&
    action.output !== undefined &&
    action.ref === undefined &&
    action.invocationMessage === undefined
  );
}

function textOf(action: TextAction): string {
  return action.type === 'session/toolUpdate' ? action.output : action.content;
}

function continues(a: TextAction, b: TextAction): boolean {
  if (a.session !== b.session || a.turnId !== b.turnId) return false;
  if (a.type === 'session/toolUpdate') return b.type === a.type && a.toolCallId === b.toolCallId;
  return b.type === a.type && a.partId === b.partId;
}
