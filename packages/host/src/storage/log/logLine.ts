import { MAX_LINE_BYTES } from '../fs/splitLines.js';
import { unsealLine } from './checkedLine.js';
import { EventLogFailure, type LogRecord } from './eventLog.js';

// Every later version keeps the form of a checked line with `v`, `n` and `type`, so that a newer log can be told from a
// damaged one.

const LOG_VERSION = 1;
const SALVAGE_ATTEMPTS = 64;

const KNOWN_TYPES: ReadonlySet<string> = new Set<LogRecord['type']>([
  'session.start',
  'action',
  'session.checkpoint',
  'session.info',
]);

/** A record without its number; either argument may have `id`, `at` and `type`. */
export interface LineParts {
  /** Fields as JSON, or nothing. */
  readonly stamp: string;
  /** The JSON of an object that isn't empty. */
  readonly fields: string;
}

/** The beginning of a line; a comma and the fields follow, and then the checksum. */
export function lineHead(n: number, stamp: string): string {
  const head = `{"v":${LOG_VERSION},"n":${n}`;
  return stamp === '' ? head : `${head},${stamp}`;
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
