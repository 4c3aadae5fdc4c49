import { constants, type Stats } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { isWithin } from './confinement.js';
import { SessionFsFailure } from './sessionFs.js';

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

interface Entry {
  readonly real: string;
  readonly handle: FileHandle;
  readonly file: Pick<Stats, 'ino' | 'dev'>;
  users: number;
  /** Removed from the table: its last user closes it. */
  retired: boolean;
  readonly closed: PromiseWithResolvers<void>;
}

export interface AppendHandlesOptions {
  readonly limit: number;
  readonly locate: (path: string) => Promise<string>;
  readonly open: (real: string, flags: number) => Promise<FileHandle>;
}

/** Keeps files open that are appended to: appending is the hot path. Beyond the limit, the least recently used is closed. */
export class AppendHandles {
  readonly #limit: number;
  readonly #locate: (path: string) => Promise<string>;
  readonly #openReal: AppendHandlesOptions['open'];
  readonly #entries = new Map<string, Promise<Entry>>();
  #disposed = false;

  constructor(options: AppendHandlesOptions) {
    this.#limit = options.limit;
    this.#openReal = options.open;
    this.#locate = options.locate;
  }

  /** Opens the file, and creates it, when it isn't open yet. After a failure it is opened again the next time. */
  async use<T>(path: string, work: (handle: FileHandle, entry: Entry) => Promise<T>): Promise<T> {
    const entry = await this.#acquire(path);
    try {
      return await work(entry.handle, entry);
    } catch (error) {
      if (!entry.retired) this.#retire(path, entry);
      throw error;
    } finally {
      entry.users--;
      if (entry.retired && entry.users === 0) await close(entry);
    }
  }

  /** Rejects when the file was deleted or moved in the meantime: writing to its handle succeeds, but the data is lost. */
  append(path: string, content: string | Uint8Array): Promise<void> {
    return this.use(path, async (handle, { real, file }) => {
      // At once, since each takes a turn of the thread pool. Whoever deletes it between the two deletes what was just written.
      const [found] = await Promise.all([stat(real).catch(() => undefined), handle.appendFile(content)]);
      if (found?.ino === file.ino && found.dev === file.dev) return;
      throw new SessionFsFailure('ENOENT', `${real} was deleted or moved away while the host was writing to it`);
    });
  }

  has(path: string): boolean {
    return this.#entries.has(path);
  }

  /** Resolves when no handle at or below the real path (without one: none at all) is open any more. */
  async closeBelow(real?: string): Promise<void> {
    const open = await Promise.allSettled(
      [...this.#entries].map(async ([path, entry]) => [path, await entry] as const),
    );
    const closing: Promise<void>[] = [];
    for (const outcome of open) {
      if (outcome.status === 'rejected') continue;
      const [path, entry] = outcome.value;
      if (real !== undefined && !isWithin(real, entry.real)) continue;
      if (!entry.retired) this.#retire(path, entry);
      closing.push(entry.closed.promise);
    }
    await Promise.all(closing);
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    await this.closeBelow();
  }

  async #acquire(path: string): Promise<Entry> {
    for (;;) {
      if (this.#disposed) throw new SessionFsFailure('EBADF', 'the file system of this session is closed');
      let opening = this.#entries.get(path);
      this.#entries.delete(path);
      opening ??= this.#open(path);
      this.#entries.set(path, opening);
      const entry = await opening;
      if (entry.retired) continue;
      entry.users++;
      await this.#trim();
      return entry;
    }
  }

  async #open(path: string): Promise<Entry> {
    try {
      const real = await this.#locate(path);
      const handle = await this.#openReal(real, APPEND);
      const file = await handle.stat();
      return { real, handle, file, users: 0, retired: false, closed: Promise.withResolvers() };
    } catch (error) {
      this.#entries.delete(path);
      throw error;
    }
  }

  async #trim(): Promise<void> {
    if (this.#entries.size <= this.#limit) return;
    for (const [path, opening] of [...this.#entries].slice(0, this.#entries.size - this.#limit)) {
      const entry = await opening.catch(() => undefined);
      if (entry && !entry.retired && entry.users === 0) this.#retire(path, entry);
    }
  }

  #retire(path: string, entry: Entry): void {
    entry.retired = true;
    this.#entries.delete(path);
    if (entry.users === 0) void close(entry);
  }
}

/** The data has been written; an error of `close` comes too late for a caller. */
async function close(entry: Entry): Promise<void> {
  await entry.handle.close().catch(() => undefined);
  entry.closed.resolve();
}
