import { crc32 } from 'node:zlib';
import { MAX_LINE_BYTES } from '../fs/splitLines.js';
import type { BrokenLine, LoadFrom, LogEntry, LogPosition } from './eventLog.js';
import { decodeEnds, decodeLine } from './lineFormat.js';
import { type ByteRange, type LogBytes, sumOf } from './logBytes.js';
import type { LogEnd } from './logFile.js';
import { LogScanner, MAX_BROKEN_LINES } from './logScanner.js';
import { type RawLine, rawLines } from './rawLines.js';

export interface DamagedLog {
  /** After its last valid record, once its line has an end. */
  readonly position: LogPosition;
  /** Without those that follow the last valid record: they are its tail. */
  readonly broken: readonly BrokenLine[];
  readonly allBroken: readonly BrokenLine[];
  /** Where the last valid record ends, including its line's end if present. */
  readonly end: LogEnd;
  /** What follows it; the CRC-32 covers only these bytes. */
  readonly tail: LogEnd;
  /** The end of the file. */
  readonly all: LogEnd & { readonly lacksLineEnd: boolean };
  /** After everything, once the last line has an end; the numbers of records that the tail may have held are left free. */
  readonly uncut: LogPosition;
  /** The broken lines, without the tail: the first MAX_BROKEN_LINES of them. */
  readonly damaged: readonly ByteRange[];
}

/** The last valid record that was found. */
interface LastRecord {
  readonly position: LogPosition;
  readonly end: LogEnd;
  readonly brokenBefore: number;
}

/**
 * Reads a damaged log from a place on, as bytes, because text that isn't UTF-8 has no length. Yields each valid record and holds
 * no more than one line, however large the file and its damage are.
 */
export async function* scanDamagedLog(
  bytes: LogBytes,
  { position: from, broken: known }: LoadFrom,
  upTo: number,
  onPiece: () => Promise<void> = async () => undefined,
): AsyncGenerator<LogEntry, DamagedLog> {
  const scanner = new LogScanner(from, known);
  const damaged: ByteRange[] = [];
  let last: LastRecord = { position: from, end: { size: from.end, sum: from.sum }, brokenBefore: known.length };
  let all = { size: from.end, sum: from.sum, lacksLineEnd: false };
  for await (const line of rawLines(watched(bytes.pieces({ start: from.end, end: upTo }), onPiece), from)) {
    const after = { size: line.end + 1, sum: crc32('\n', line.sum) };
    const texts = line.content.map((content) => content.toString('utf8'));
    const decoded = line.isTooLong ? decodeEnds(texts) : decodeLine(texts[0] ?? '');
    const found = scanner.decode(decoded, { end: after.size, sum: after.sum });
    const before = all;
    all = line.hasLineEnd ? { ...after, lacksLineEnd: false } : { size: line.end, sum: line.sum, lacksLineEnd: true };
    const lastFound = found.at(-1);
    if (lastFound) {
      const isCut = !line.hasLineEnd;
      if (isCut && !scanner.isLineBroken) scanner.report('the line has no end');
      const end = isCut ? await endWithin(line, lastFound.ending, bytes, before) : after;
      const position = isCut ? withLineEnd(scanner.position, end) : scanner.position;
      last = { position, end, brokenBefore: scanner.broken.length };
      for (const { record } of found) if (record) yield { record, position };
    }
    const isSmall = line.end - line.start <= MAX_LINE_BYTES;
    if (scanner.isLineBroken && isSmall && damaged.length < MAX_BROKEN_LINES)
      damaged.push({ start: line.start, end: line.end });
  }
  const { position, end, brokenBefore } = last;
  return {
    position,
    broken: scanner.broken.slice(0, brokenBefore),
    allBroken: scanner.broken,
    end,
    tail: { size: all.size - end.size, sum: await sumOf(bytes, { start: end.size, end: all.size }) },
    all,
    uncut: { ...scanner.position, n: position.n + scanner.line - position.line },
    damaged: damaged.filter(({ start }) => start < end.size),
  };
}

/** Where the last record of a line without an end ends. */
async function endWithin(line: RawLine, ending: string, bytes: LogBytes, before: LogEnd): Promise<LogEnd> {
  const at = line.content.findLastIndex((content) => content.includes(ending));
  const content = line.content[at] ?? Buffer.of();
  const offset = at === 0 ? line.start : line.end - content.length;
  const size = offset + content.lastIndexOf(ending) + ending.length;
  return { size, sum: await sumOf(bytes, { start: line.start, end: size }, before.sum) };
}

/** As it is after the repair. */
function withLineEnd(position: LogPosition, { size, sum }: LogEnd): LogPosition {
  return { ...position, end: size + 1, sum: crc32('\n', sum) };
}

async function* watched(pieces: AsyncIterable<Buffer>, onPiece: () => Promise<void>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    await onPiece();
    yield piece;
  }
}
