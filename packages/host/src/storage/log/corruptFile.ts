import { crc32 } from 'node:zlib';
import { errorCode } from '../fs/errnoFailure.js';
import type { SessionFs } from '../fs/sessionFs.js';
import { type ByteRange, LogBytes } from './logBytes.js';
import { rawLines } from './rawLines.js';

/** The file beside the log with copies of its damaged parts. */
export const CORRUPT_SUFFIX = '.corrupt';

/** Broken lines stay in the log as well: at this size, no more copies of them are made. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Copies of damaged parts of a log, in the order in which they were found. Each copy ends with a line end. */
export class CorruptFile {
  readonly #fs: SessionFs;
  readonly #path: string;
  readonly #sync: boolean;

  constructor(fs: SessionFs, logPath: string, options: { readonly sync: boolean }) {
    this.#fs = fs;
    this.#path = `${logPath}${CORRUPT_SUFFIX}`;
    this.#sync = options.sync;
  }

  /** Lines that stay in the log: they are found each time it is opened, and are kept once. */
  async addLines(log: LogBytes, lines: readonly ByteRange[]): Promise<void> {
    let size = await this.#size();
    if (lines.length === 0 || size >= MAX_BYTES) return;
    const kept = size > 0 ? await this.#keptLines(size) : new Set<string>();
    let added = false;
    for (const range of lines) {
      if (size + range.end - range.start >= MAX_BYTES) break;
      const line = await log.bytes(range);
      const key = keyOf(line);
      if (line.length === 0 || kept.has(key)) continue;
      await this.#fs.appendFile(this.#path, Buffer.concat([line, LINE_END]));
      kept.add(key);
      size += line.length + 1;
      added = true;
    }
    if (added) await this.#synced();
  }

  /** What will be cut off the log: all of it, unless this file already ends with it. */
  async addTail(log: LogBytes, tail: ByteRange): Promise<void> {
    if (await this.#endsWith(log, tail)) return;
    for await (const piece of log.pieces(tail)) await this.#fs.appendFile(this.#path, piece);
    await this.#fs.appendFile(this.#path, LINE_END);
    await this.#synced();
  }

  async #keptLines(size: number): Promise<Set<string>> {
    const kept = new Set<string>();
    const pieces = (await LogBytes.open(this.#fs, this.#path)).pieces({ start: 0, end: size });
    for await (const { content } of rawLines(pieces, { end: 0, sum: 0 })) kept.add(keyOf(content[0] ?? LINE_END));
    return kept;
  }

  async #endsWith(log: LogBytes, tail: ByteRange): Promise<boolean> {
    const length = tail.end - tail.start;
    const start = (await this.#size()) - length - 1;
    if (start < 0) return false;
    const copy = await LogBytes.open(this.#fs, this.#path);
    const copied = copy.pieces({ start, end: start + length });
    try {
      for await (const piece of log.pieces(tail)) {
        const { value, done } = await copied.next();
        if (done || !piece.equals(value)) return false;
      }
    } finally {
      await copied.return(undefined);
    }
    return (await copy.bytes({ start: start + length, end: start + length + 1 })).equals(LINE_END);
  }

  async #size(): Promise<number> {
    try {
      return (await this.#fs.stat(this.#path)).size;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return 0;
      throw error;
    }
  }

  async #synced(): Promise<void> {
    if (this.#sync) await this.#fs.sync?.(this.#path);
  }
}

const LINE_END = Buffer.from('\n');

function keyOf(line: Buffer): string {
  return `${line.length}:${crc32(line)}`;
}
