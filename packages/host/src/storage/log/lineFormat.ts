import { crc32 } from 'node:zlib';
import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import { MAX_LINE_BYTES } from '../fs/splitLines.js';
import { EventLogFailure, type LogPosition, type LogRecord, type SessionStartRecord } from './eventLog.js';

// Every later version keeps the form of a checked line with `v`, `n` and `type`, so that a newer log can be told from a
// damaged one.

/** The newest that this host reads. */
const LOG_VERSION = 2;
/** Of all lines that hosts without spaces may read. */
const FIRST_VERSION = 1;
const SALVAGE_ATTEMPTS = 64;

const KNOWN_TYPES: ReadonlySet<string> = new Set<LogRecord['type']>([
  'session.start',
  'action',
  'session.checkpoint',
  'session.info',
]);

/** A record without its number; either argument may have `id`, `at` and `type`. */
export interface LineParts {
  /** 1 where it is missing. */
  readonly v?: number;
  /** Fields as JSON, or nothing. */
  readonly stamp: string;
  /** The JSON of an object that isn't empty. */
  readonly fields: string;
}

/** The beginning of a line; a comma and the fields follow, and then the checksum. */
export function lineHead(n: number, stamp: string, v = FIRST_VERSION): string {
  const head = `{"v":${v},"n":${n}`;
  return stamp === '' ? head : `${head},${stamp}`;
}

/** A host without spaces would show the session to everybody: it can't read this first line, and so none of the log. */
export function versionOf(record: { readonly type: string; readonly space?: string }): number {
  return record.type === 'session.start' && record.space !== undefined ? LOG_VERSION : FIRST_VERSION;
}

/** The space of a session by the first line of its log; `undefined` where that line can't be read. */
export function spaceOfLine(line: string): string | undefined {
  const { type, space = DEFAULT_SPACE } = (unsealLine(line)?.value ?? {}) as Partial<SessionStartRecord>;
  return type === 'session.start' && typeof space === 'string' ? space : undefined;
}

/** Throws for a record that no reader would accept. */
export function assertFits({ stamp, fields }: LineParts): void {
  if ((stamp.length + fields.length) * 3 < MAX_LINE_BYTES - 256) return;
  const bytes = Buffer.byteLength(stamp) + Buffer.byteLength(fields);
  if (bytes < MAX_LINE_BYTES - 256) return;
  throw new EventLogFailure('TOO_LARGE', `a record of ${bytes} bytes is too large for the log`);
}

export interface DecodedLine {
  /** Every valid record of the line: one, unless the line is damaged. */
  readonly records: readonly DecodedRecord[];
  /** Why the line isn't exactly one valid record. */
  readonly damage?: string;
}

export interface DecodedRecord {
  readonly n: number;
  /** Absent when its type is unknown. */
  readonly record?: LogRecord;
  readonly crc: string;
  /** `"crc":"xxxxxxxx"}`, the end of a record in its line. */
  readonly ending: string;
}

/** Throws only for a line of a newer version. */
export function decodeLine(line: string): DecodedLine {
  const whole = decodeRecord(line);
  if (whole) return { records: [whole] };
  if (line === '') return { records: [], damage: 'an empty line' };
  if (/^\0+$/.test(line)) return { records: [], damage: 'nothing but zeros' };
  const records = salvage(line);
  return { records, damage: records.length > 0 ? 'a damaged line end' : 'the checksum does not match' };
}

/** The valid records at both ends of a long invalid line. */
export function decodeEnds(ends: readonly string[]): DecodedLine {
  return { records: ends.flatMap((text) => salvage(text)), damage: 'it is too long for a line, or no text' };
}

function decodeRecord(line: string): DecodedRecord | undefined {
  const checked = unsealLine(line);
  return checked && identify(checked.value, checked.crc);
}

/** A damaged line end joins records, or junk to a record; valid records are still found. */
function salvage(line: string): DecodedRecord[] {
  const found: DecodedRecord[] = [];
  let from = 0;
  let attempts = 0;
  for (const { index, 0: ending } of line.matchAll(/"crc":"[0-9a-f]{8}"\}/g)) {
    const start = line.indexOf('{"v":', from);
    if (start < 0 || ++attempts > SALVAGE_ATTEMPTS) break;
    const end = index + ending.length;
    const record = start < end ? decodeRecord(line.slice(start, end)) : undefined;
    if (!record) continue;
    found.push(record);
    from = end;
  }
  return found;
}

function identify(value: unknown, crc: string): DecodedRecord | undefined {
  if (typeof value !== 'object' || value === null || !('v' in value) || !('n' in value) || !('type' in value)) return;
  const { v, n, type } = value;
  if (typeof v !== 'number' || typeof n !== 'number' || typeof type !== 'string' || !Number.isSafeInteger(n)) return;
  if (v > LOG_VERSION) {
    throw new EventLogFailure(
      'NEWER_VERSION',
      `this session was written by a newer agenthost (log version ${v}, this one reads up to ${LOG_VERSION}); update to open it`,
    );
  }
  const ending = `"crc":"${crc}"}`;
  return KNOWN_TYPES.has(type) ? { n, record: value as LogRecord, crc, ending } : { n, crc, ending };
}

// A line is `<head>,"crc":"xxxxxxxx"}`: the checksum (CRC-32, eight lower-case hex digits) covers the bytes of <head>, which
// is everything before it. A reader checks it on the raw text.

const CRC_LENGTH = ',"crc":"xxxxxxxx"}'.length;

interface CheckedLine {
  readonly value: unknown;
  /** The checksum in the line. */
  readonly crc: string;
}

/** `head` is the JSON of an object without its last brace. */
export function sealLine(head: string): string {
  return `${head},"crc":"${checksum(head)}"}\n`;
}

/** `undefined` for anything that isn't one complete line, without its end. */
export function unsealLine(line: string): CheckedLine | undefined {
  const split = line.length - CRC_LENGTH;
  if (split <= 0) return undefined;
  const head = line.slice(0, split);
  const crc = checksum(head);
  if (line.slice(split) !== `,"crc":"${crc}"}`) return undefined;
  try {
    return { value: JSON.parse(`${head}}`), crc };
  } catch {
    return undefined;
  }
}

function checksum(text: string): string {
  return digits(crc32(text));
}

const BYTE_DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** A checksum as text. `toString(16)` is ten times slower, and every envelope has one. */
export function digits(crc: number): string {
  return `${BYTE_DIGITS[crc >>> 24]}${BYTE_DIGITS[(crc >>> 16) & 255]}${BYTE_DIGITS[(crc >>> 8) & 255]}${BYTE_DIGITS[crc & 255]}`;
}

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
    const head = lineHead(n + 1, parts.stamp, parts.v);
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
