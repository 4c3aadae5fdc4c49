import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { MAX_BINARY_LINE_BYTES, MAX_LINE_BYTES } from '../fs/splitLines.js';

const NEWLINE = 0x0a;
/** How much is kept of each end of a line that is too long for a record. */
const WINDOW_BYTES = 1024 * 1024;
/** Damage can consist only of line ends: other work runs after this much time. */
const TURN_MS = 8;
const LINES_BETWEEN_LOOKS = 64;

/** A line as bytes. */
export interface RawLine {
  readonly start: number;
  /** Where its last byte ends, without the line end. */
  readonly end: number;
  readonly hasLineEnd: boolean;
  /** CRC-32 of all bytes before `end`. */
  readonly sum: number;
  /** All of it; for a line that is too long, its beginning and its end. */
  readonly content: readonly Buffer[];
  readonly isTooLong: boolean;
}

/** Splits arbitrary bytes into lines. Holds one line at a time, and never more than the length of a record. */
export async function* rawLines(
  pieces: AsyncIterable<Buffer>,
  from: { readonly end: number; readonly sum: number },
): AsyncGenerator<RawLine> {
  let { sum } = from;
  let line = new LineInParts(from.end);
  let lines = 0;
  let began = performance.now();
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      const rest = piece.subarray(start, end);
      sum = crc32(rest, sum);
      line.add(rest);
      yield line.result(sum, true);
      sum = crc32('\n', sum);
      line = new LineInParts(line.end + 1);
      start = end + 1;
      if (++lines % LINES_BETWEEN_LOOKS > 0 || performance.now() - began < TURN_MS) continue;
      await nextTurn();
      began = performance.now();
    }
    const rest = piece.subarray(start);
    sum = crc32(rest, sum);
    line.add(rest);
  }
  if (line.end > line.start) yield line.result(sum, false);
}

class LineInParts {
  readonly start: number;
  end: number;
  #parts: Buffer[] = [];
  #hasZeros = false;
  #ends: { readonly head: Buffer; tail: Buffer } | undefined;

  constructor(start: number) {
    this.start = start;
    this.end = start;
  }

  add(part: Buffer): void {
    this.end += part.length;
    if (this.#ends) this.#ends.tail = copyOfEnd(Buffer.concat([this.#ends.tail, part]));
    else this.#parts.push(part);
    this.#hasZeros ||= part.includes(0);
    const limit = this.#hasZeros ? MAX_BINARY_LINE_BYTES : MAX_LINE_BYTES;
    if (this.#ends || this.end - this.start <= limit) return;
    const bytes = Buffer.concat(this.#parts);
    this.#ends = { head: Buffer.from(bytes.subarray(0, WINDOW_BYTES)), tail: copyOfEnd(bytes) };
    this.#parts = [];
  }

  result(sum: number, hasLineEnd: boolean): RawLine {
    const [only] = this.#parts;
    const whole = this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts);
    const content = this.#ends ? [this.#ends.head, this.#ends.tail] : [whole];
    return { start: this.start, end: this.end, hasLineEnd, sum, content, isTooLong: this.#ends !== undefined };
  }
}

function copyOfEnd(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(-WINDOW_BYTES));
}
