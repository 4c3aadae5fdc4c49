// Lines of JSON in files that other programs write, perhaps at this moment.
import type { FileHandle } from 'node:fs/promises';
import { setImmediate as immediate } from 'node:timers/promises';
import { openForeignFile } from '../../storage/fs/foreignFile.js';

const CHUNK = 64 * 1024;
/** A longer line is left out. */
const MAX_LINE_BYTES = 8 * 1024 * 1024;
/** What takes long to parse: more than this without the images in it. */
const MAX_PARSED = 1024 * 1024;
/** The largest file that is parsed as a whole. */
const MAX_WHOLE = 3 * 1024 * 1024;
const NEWLINE = 0x0a;

export interface LinesOptions {
  /** Where to begin. The line that this is in the middle of is left out. */
  readonly from?: number;
  readonly to: number;
}

/** Reads JSON lines of an open file. Leaves room for other work after each chunk. */
export async function* jsonLines(file: FileHandle, { from = 0, to }: LinesOptions): AsyncGenerator<unknown> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isTooLong = false;
  let isFirst = from > 0;
  for (let position = from; position < to; ) {
    const { buffer, bytesRead } = await file.read(
      Buffer.allocUnsafe(CHUNK),
      0,
      Math.min(CHUNK, to - position),
      position,
    );
    if (bytesRead === 0) break;
    position += bytesRead;
    const chunk = buffer.subarray(0, bytesRead);
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      const line = heldBytes > 0 ? Buffer.concat([...held, piece]) : piece;
      const wasTooLong = isTooLong || line.length > MAX_LINE_BYTES;
      held = [];
      heldBytes = 0;
      isTooLong = false;
      if (isFirst) {
        isFirst = false;
        continue;
      }
      if (wasTooLong) yield undefined;
      else yield* parsed(line);
      if (line.length > CHUNK) await immediate();
    }
    const rest = chunk.subarray(start);
    if (isTooLong || rest.length === 0) continue;
    if (heldBytes + rest.length > MAX_LINE_BYTES) {
      isTooLong = true;
      held = [];
      heldBytes = 0;
      continue;
    }
    held.push(rest);
    heldBytes += rest.length;
    await immediate();
  }
  // Without its end it may be half a line, which is no JSON then.
  if (heldBytes > 0 && !isFirst) yield* parsed(Buffer.concat(held));
}

function* parsed(line: Buffer): Generator<unknown> {
  const value = parseBounded(line);
  if (value !== NOTHING) yield value;
}

const NOTHING = Symbol('no JSON');

/** `undefined` if parsing would take too long. */
function parseBounded(line: Buffer): unknown {
  if (line.length === 0) return NOTHING;
  let text = line.toString('utf8');
  if (text.length > MAX_PARSED) {
    // An image in a message must not hide the message.
    text = text.replace(/"[A-Za-z0-9+/=_-]{4096,}"/g, '""');
    if (text.length > MAX_PARSED) return undefined;
  }
  return parseJson(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) ?? NOTHING;
  } catch {
    return NOTHING;
  }
}

/** Opens a file of another program for the time of some work. Links and what is no file are refused. */
export async function withForeignFile<T>(
  path: string,
  work: (file: FileHandle, size: number) => Promise<T>,
): Promise<T> {
  const file = await openForeignFile(path, { followsLinks: false });
  try {
    return await work(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

/** A file with one JSON value. Rejects for one that would take too long to parse. */
export async function* wholeJson(file: FileHandle, size: number): AsyncGenerator<unknown> {
  if (size > MAX_WHOLE) throw new Error(`It is larger than ${MAX_WHOLE / 1024 / 1024} MB.`);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
  const value = parseJson(buffer.toString('utf8', 0, bytesRead));
  if (value === NOTHING) throw new Error('It is not complete, or no JSON.');
  yield value;
}
