import { constants } from 'node:fs';
import { type FileHandle, open, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { dropOldest } from '@agenthost/protocol/internal';
import { isWithin } from '../../../storage/fs/confinement.js';
import { errorCode } from '../../../storage/fs/errnoFailure.js';
import type { WholeEdit } from '../../agent.js';
import { type SeenFile, type ToldEdit, wholeEdits } from './wholeEdits.js';

/** Larger than files that are edited by hand. */
const MAX_FILE = 512 * 1024;
/** How many files are remembered over all calls of a turn: 32 MiB. */
const MAX_SEEN = 64;
/** How many files are read when one call has ended. */
const MAX_JUDGED = 50;
/** A hanging file system must not hold up the turn. */
const READ_MS = 2_000;
/** How often a file that changes while it is read is read again. */
const READS = 3;
const PAUSE_MS = 10;

export interface WitnessedEdit extends ToldEdit {
  /** An absolute path. */
  readonly path: string;
}

type FileText = SeenFile['text'];

/** Reads the files that calls are about to change, before and after: agents may report only a fragment. */
export class EditWitness {
  readonly #cwd: string;
  readonly #seen = new Map<string, { readonly text: Promise<FileText>; readonly isBefore: boolean }>();

  constructor(cwd: string) {
    this.#cwd = cwd;
  }

  /** Called when the edits of a call are known; `isBefore` means that the agent waits for an answer. */
  look(call: string, edits: readonly WitnessedEdit[], { isBefore }: { readonly isBefore: boolean }): void {
    for (const { path } of edits) {
      const key = keyOf(call, path);
      const known = this.#seen.get(key);
      if (known?.isBefore || (known && !isBefore)) continue;
      this.#seen.set(key, { text: this.#read(path), isBefore });
      dropOldest(this.#seen, MAX_SEEN);
    }
  }

  /** Resolves when the files of this call have been read. The agent must not begin earlier. */
  async looked(call: string, edits: readonly WitnessedEdit[]): Promise<void> {
    await Promise.all(edits.map(({ path }) => this.#seen.get(keyOf(call, path))?.text));
  }

  /** The contents for each edit, in order, when the call has ended. Never rejects. */
  async judge(call: string, edits: readonly WitnessedEdit[]): Promise<readonly (WholeEdit | undefined)[]> {
    const judged = new Map<WitnessedEdit, WholeEdit | undefined>();
    const files = [...Map.groupBy(edits, (edit) => edit.path)].slice(0, MAX_JUDGED);
    await Promise.all(
      files.map(async ([path, ofFile]) => {
        const seen = this.#seen.get(keyOf(call, path));
        const before = { text: await seen?.text, isBefore: seen?.isBefore ?? false };
        const whole = wholeEdits(ofFile, before, await this.#read(path));
        for (const [index, edit] of ofFile.entries()) judged.set(edit, whole?.[index]);
      }),
    );
    for (const { path } of edits) this.#seen.delete(keyOf(call, path));
    return edits.map((edit) => judged.get(edit));
  }

  /** Never rejects. */
  async #read(path: string): Promise<FileText> {
    const ending = new AbortController();
    const text: Promise<FileText> = this.#readInside(path).catch((error: unknown) =>
      errorCode(error) === 'ENOENT' ? null : undefined,
    );
    const late = delay(READ_MS, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
    return Promise.race([text, late]).finally(() => ending.abort());
  }

  /** Only in the project folder: the contents are visible to every client that may see the session. */
  async #readInside(path: string): Promise<FileText> {
    const folder = await realpath(dirname(path));
    if (!isWithin(await realpath(this.#cwd), folder)) return undefined;
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const file = await open(join(folder, basename(path)), flags);
    try {
      for (let reads = 0; reads < READS; reads++) {
        const bytes = await readWhole(file);
        if (bytes) return textOf(bytes);
        await delay(PAUSE_MS);
      }
      return undefined;
    } finally {
      await file.close();
    }
  }
}

function keyOf(call: string, path: string): string {
  return `${call}\0${path}`;
}

/** `undefined` if the file changed meanwhile. Throws for what is no file, or too large. */
async function readWhole(file: FileHandle): Promise<Buffer | undefined> {
  const before = await file.stat();
  if (!before.isFile() || before.size > MAX_FILE) throw new RangeError('not a file that is looked at');
  const bytes = Buffer.alloc(before.size);
  const { bytesRead } = await file.read(bytes, 0, before.size, 0);
  const after = await file.stat();
  const isSame = after.size === before.size && after.mtimeMs === before.mtimeMs && bytesRead === before.size;
  return isSame ? bytes : undefined;
}

function textOf(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
