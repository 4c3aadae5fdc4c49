import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { errorMessage } from '@agenthost/protocol/internal';
import { errorCode } from '../fs/errnoFailure.js';

const FILE_NAMES = ['sequence', 'sequence.copy'] as const;
const BLOCK = 100_000;
/** Without a file it is unknown how many numbers were given to unlogged actions; numbers are cheap. */
const BLOCKS_SKIPPED_AFTER_DAMAGE = 10;

export interface SequenceFileOptions {
  readonly blockSize?: number;
  /** A number that certainly was given out, e.g. from the logs. Needed when both files are damaged. */
  readonly atLeast?: number;
}

export class SequenceFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SequenceFailure';
    this.code = code;
  }
}

/**
 * Gives out numbers that never repeat, not even after a kill: a whole block is reserved on disk before its first number is
 * given out. Both files hold the bound; a number is given out only when it is within both.
 */
export class SequenceFile {
  readonly #folder: string;
  readonly #blockSize: number;
  #current: number;
  #reserved: number;
  /** Counts the bounds whose writes began: only the newest may reach the disk. */
  #attempt = 0;
  /** Once per block: a failing disk is not asked again at every number. */
  #triedAheadOf: number | undefined;
  #background: Promise<unknown> = Promise.resolve();

  /** Rejects with `DAMAGED` when neither file can be read and `atLeast` isn't given: the caller finds a number and opens again. */
  static async open(stateRoot: string, options: SequenceFileOptions = {}): Promise<SequenceFile> {
    const blockSize = options.blockSize ?? BLOCK;
    const bounds = FILE_NAMES.map((name) => readBound(join(stateRoot, name)));
    const known = bounds.filter((bound) => typeof bound === 'number');
    const isDamaged = known.length === 0 && bounds.includes('damaged');
    if (isDamaged && options.atLeast === undefined) {
      throw new SequenceFailure('DAMAGED', `neither of ${FILE_NAMES.join(' and ')} in ${stateRoot} can be read`);
    }
    const skipped = isDamaged ? BLOCKS_SKIPPED_AFTER_DAMAGE * blockSize : 0;
    const sequence = new SequenceFile(stateRoot, blockSize, Math.max(...known, options.atLeast ?? 0) + skipped);
    sequence.#reserveNow();
    return sequence;
  }

  private constructor(folder: string, blockSize: number, current: number) {
    this.#folder = folder;
    this.#blockSize = blockSize;
    this.#current = current;
    this.#reserved = current;
  }

  /** The last number that this or any earlier host may have given out. */
  get current(): number {
    return this.#current;
  }

  /** Throws, and gives out nothing, when the next block can't be reserved. */
  next(): number {
    if (this.#current >= this.#reserved) this.#reserveNow();
    this.#current++;
    if (this.#reserved - this.#current < this.#blockSize / 2 && this.#triedAheadOf !== this.#reserved) {
      this.#background = Promise.all([this.#background, this.#reserveAhead()]);
    }
    return this.#current;
  }

  async dispose(): Promise<void> {
    await this.#background;
  }

  #reserveNow(): void {
    this.#attempt++;
    const bound = this.#reserved + this.#blockSize;
    try {
      for (const name of FILE_NAMES) {
        const draft = this.#draft(name);
        const file = openSync(draft, 'w', 0o600);
        try {
          writeSync(file, encodeBound(bound));
          fsyncSync(file);
        } finally {
          closeSync(file);
        }
        renameSync(draft, join(this.#folder, name));
      }
      this.#syncFolder();
    } catch (error) {
      for (const name of FILE_NAMES) rmSync(this.#draft(name), { force: true });
      throw new SequenceFailure(
        errorCode(error) ?? 'UNKNOWN',
        `no more numbers can be reserved: ${errorMessage(error)}`,
        {
          cause: error,
        },
      );
    }
    this.#reserved = bound;
  }

  /** Reserves early, so that callers hardly ever wait for the disk. If it fails, `next` finds out in time. */
  async #reserveAhead(): Promise<void> {
    const attempt = ++this.#attempt;
    const bound = this.#reserved + this.#blockSize;
    this.#triedAheadOf = this.#reserved;
    const drafts = FILE_NAMES.map((name) => this.#draft(name));
    try {
      for (const [index, name] of FILE_NAMES.entries()) {
        const draft = drafts[index] ?? '';
        await writeSynced(draft, encodeBound(bound));
        // Nothing else runs from here to the renaming: `reserveNow` can't have written a higher bound in between.
        if (attempt !== this.#attempt) return;
        renameSync(draft, join(this.#folder, name));
      }
      await syncFolder(this.#folder);
      if (attempt === this.#attempt) this.#reserved = bound;
    } catch {
      // `next` tries again when the block is used up.
    } finally {
      await Promise.all(drafts.map((draft) => rm(draft, { force: true }).catch(() => undefined)));
    }
  }

  #draft(name: string): string {
    return join(this.#folder, `${name}.${this.#attempt}.tmp`);
  }

  #syncFolder(): void {
    if (process.platform === 'win32') return;
    const folder = openSync(this.#folder, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  }
}

function encodeBound(bound: number): string {
  return `${bound} ${checksum(String(bound))}\n`;
}

function readBound(path: string): number | 'missing' | 'damaged' {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 'missing';
    throw new SequenceFailure(errorCode(error) ?? 'UNKNOWN', errorMessage(error), { cause: error });
  }
  const [, digits, crc] = /^(\d{1,16}) ([0-9a-f]{8})\n$/.exec(text) ?? [];
  if (digits === undefined || checksum(digits) !== crc) return 'damaged';
  return Number(digits);
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file: FileHandle = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
