import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import { errorCode, toSessionFsFailure } from './fs/errnoFailure.js';
import { KeyedLock } from './fs/keyedLock.js';
import { LocalSessionFs } from './fs/localSessionFs.js';
import { assertSameCase, sessionFolder } from './fs/sessionFolder.js';
import { splitLines } from './fs/splitLines.js';
import { CORRUPT_SUFFIX } from './log/corruptFile.js';
import { draftOf, LOG_FILE } from './log/jsonlEventLog.js';
import { spaceOfLine } from './log/lineFormat.js';
import { openStored, recoverStartRecord, type StoredLogOptions } from './openStored.js';
import type { OpenStoredOptions, SessionStorage, StoredSession } from './sessionStorage.js';

export interface LocalSessionStorageOptions extends StoredLogOptions {
  readonly stateRoot: string;
  readonly listSessionIds: () => AsyncIterable<string>;
  readonly initialCwd: string;
  /** Where sessions have their temporary folders. Defaults to the operating system's. */
  readonly tempRoot?: string;
}

/** Most first lines are shorter. */
const FIRST_CHUNK_BYTES = 4 * 1024;

/** Sessions in folders of the state root. */
export class LocalSessionStorage implements SessionStorage {
  readonly #options: LocalSessionStorageOptions;
  readonly #lock = new KeyedLock();
  /** Ids of imports and forks in progress. An id leaves when `exists` finds the finished log, or when the session is removed. */
  readonly #drafts = new Set<string>();

  constructor(options: LocalSessionStorageOptions) {
    this.#options = options;
  }

  async open(
    sessionId: string,
    { create = false, isDraft = false }: OpenStoredOptions = {},
  ): Promise<StoredSession | undefined> {
    const { stateRoot, initialCwd, tempRoot } = this.#options;
    const exists = await this.exists(sessionId);
    if (!create && !exists) return undefined;
    // A folder without a log was interrupted when it was made.
    if (!exists) {
      if (isDraft) await this.#lock.run(this.#logOf(sessionId), async () => void this.#drafts.add(sessionId));
      await this.#removeIfAny(sessionId);
    }
    const tmpRoot = tempRoot !== undefined && { tmpRoot: tempRoot };
    const fs = await LocalSessionFs.open({ stateRoot, sessionId, initialCwd, create, ...tmpRoot });
    return openStored(sessionId, fs, this.#options, { lock: this.#lock, isDraft });
  }

  /** A log that is empty because all of it was damaged counts too: its content is beside it. */
  async exists(sessionId: string): Promise<boolean> {
    const log = this.#logOf(sessionId);
    return this.#lock.run(log, async () => {
      const exists = (await sizeIfAny(log)) > 0 || (await sizeIfAny(log + CORRUPT_SUFFIX)) > 0;
      if (exists) this.#drafts.delete(sessionId);
      return exists;
    });
  }

  async spaceOf(sessionId: string): Promise<string | undefined> {
    if (!(await this.exists(sessionId))) return undefined;
    const line = await firstLineOf(this.#logOf(sessionId));
    return (line === undefined ? undefined : spaceOfLine(line)) ?? this.#recoveredSpace(sessionId);
  }

  /** Moved aside first, so that an interrupted removal leaves no partial session behind. */
  async remove(sessionId: string): Promise<void> {
    await this.#removeFolder(sessionId);
    this.#drafts.delete(sessionId);
  }

  async #removeFolder(sessionId: string): Promise<void> {
    const bin = join(this.#options.stateRoot, 'removed');
    await mkdir(bin, { recursive: true, mode: 0o700 });
    const aside = join(bin, randomUUID());
    const folder = sessionFolder(this.#options.stateRoot, sessionId);
    assertSameCase(await realpath(folder), sessionId);
    await rename(folder, aside);
    await rm(aside, { recursive: true, force: true });
  }

  async modifiedAt(sessionId: string): Promise<number | undefined> {
    return stat(this.#logOf(sessionId)).then(
      // A restored file has its old modification time, but a new change time.
      ({ mtimeMs, ctimeMs }) => Math.max(mtimeMs, ctimeMs),
      () => undefined,
    );
  }

  async *list(): AsyncGenerator<string> {
    for await (const sessionId of this.#options.listSessionIds()) {
      if (await this.exists(sessionId)) yield sessionId;
      else await this.#removeDraft(sessionId);
    }
  }

  /** The first line is damaged. */
  async #recoveredSpace(sessionId: string): Promise<string> {
    const fs = await LocalSessionFs.open({ stateRoot: this.#options.stateRoot, sessionId, create: false });
    try {
      return (await recoverStartRecord(fs, sessionId))?.space ?? DEFAULT_SPACE;
    } finally {
      await fs.dispose();
    }
  }

  #logOf(sessionId: string): string {
    return join(sessionFolder(this.#options.stateRoot, sessionId), LOG_FILE);
  }

  /** Removes the draft of an import or a fork that a killed host left behind. No client was told of it. */
  async #removeDraft(sessionId: string): Promise<void> {
    const log = this.#logOf(sessionId);
    await this.#lock.run(log, async () => {
      if (this.#drafts.has(sessionId) || !(await stat(draftOf(log)).catch(() => undefined))) return;
      await this.#removeIfAny(sessionId);
    });
  }

  async #removeIfAny(sessionId: string): Promise<void> {
    try {
      await this.#removeFolder(sessionId);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw toSessionFsFailure(error);
    }
  }
}

async function sizeIfAny(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw toSessionFsFailure(error);
  }
}

/** `undefined` where there is none, or one that is too long. */
async function firstLineOf(path: string): Promise<string | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return undefined;
  try {
    for await (const line of splitLines(chunksOf(file))) return line;
  } catch {
    // It is too long to be one, or can't be read: opening the session says why.
  } finally {
    await file.close();
  }
  return undefined;
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_CHUNK_BYTES));
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}
