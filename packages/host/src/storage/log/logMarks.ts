import type { LogPosition } from './eventLog.js';

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
