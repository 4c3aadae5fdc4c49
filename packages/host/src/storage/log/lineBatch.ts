import { crc32 } from 'node:zlib';
import { digits } from './checkedLine.js';
import type { LogPosition } from './eventLog.js';
import { type LineParts, lineHead } from './logLine.js';

const [COMMA, SEAL_BYTES] = [0x2c, ',"crc":"xxxxxxxx"}\n'.length];

/** Lines of a log as the bytes that are written: each text is encoded once, in place. */
export class LineBatch {
  #buffer: Buffer;
  #length = 0;
  #end: LogPosition;

  /** `expectedBytes`: the approximate size. */
  constructor(after: LogPosition, expectedBytes: number) {
    this.#end = after;
    this.#buffer = Buffer.allocUnsafe(expectedBytes);
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Returns the place after it. */
  add(parts: LineParts): LogPosition {
    const { n, line, end, sum } = this.#end;
    const head = lineHead(n + 1, parts.stamp);
    this.#reserve(head, parts.fields);
    const [buffer, start] = [this.#buffer, this.#length];
    let at = start + buffer.write(head, start);
    const fieldsAt = at;
    // The object's first brace becomes a comma, and the checksum replaces its last one.
    at += buffer.write(parts.fields, at) - 1;
    buffer[fieldsAt] = COMMA;
    const crc = digits(crc32(buffer.subarray(start, at)));
    at += buffer.write(`,"crc":"${crc}"}\n`, at, 'latin1');
    this.#length = at;
    const size = at - start;
    this.#end = {
      n: n + 1,
      line: line + 1,
      start: end,
      end: end + size,
      crc,
      sum: crc32(buffer.subarray(start, at), sum),
    };
    return this.#end;
  }

  /** `write` would silently leave out what doesn't fit. */
  #reserve(head: string, fields: string): void {
    const room = this.#buffer.length - this.#length - SEAL_BYTES;
    if ((head.length + fields.length) * 3 <= room) return;
    const needed = Buffer.byteLength(head) + Buffer.byteLength(fields);
    if (needed <= room) return;
    const larger = Buffer.allocUnsafe(2 * this.#buffer.length + needed + SEAL_BYTES);
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
