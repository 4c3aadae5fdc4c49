import { constants, type Dirent } from 'node:fs';
import { type FileHandle, lstat, mkdir, mkdtemp, open, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { AppendHandles } from './appendHandles.js';
import { Confinement, isWithin } from './confinement.js';
import { errorCode, toSessionFsFailure } from './errnoFailure.js';
import { assertSameCase, sessionFolder } from './sessionFolder.js';
import type { SessionFs, SessionFsEntry, SessionFsStat } from './sessionFs.js';
import { SessionFsFailure } from './sessionFs.js';
import { splitLines } from './splitLines.js';

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const READ = constants.O_RDONLY | NO_FOLLOW;
const REPLACE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | NO_FOLLOW;
const CHUNK_BYTES = 64 * 1024;

export interface LocalSessionFsOptions {
  readonly stateRoot: string;
  readonly sessionId: string;
  /** The result of `initialCwd`. Defaults to the process's folder. */
  readonly initialCwd?: string;
  /** `false`: reject with `ENOENT` when the session has no folder yet, instead of making one. */
  readonly create?: boolean;
  /** Where the session's temporary folder is made. Defaults to the operating system's. */
  readonly tmpRoot?: string;
  readonly maxOpenFiles?: number;
}

/** A session folder on this machine's disk. Folders are 0700, files 0600; no path leads out of them. */
export class LocalSessionFs implements SessionFs {
  readonly conventions: SessionFs['conventions'] = sep === '\\' ? 'windows' : 'posix';
  readonly isLocal = true;
  readonly sessionStatePath: string;
  readonly tmpdir: string;
  readonly #initialCwd: string;
  readonly #paths: Confinement;
  readonly #appends: AppendHandles;
  /** Folders with entries that `sync` has not forced to disk yet: a synced file without its name would be lost. */
  readonly #changedFolders = new Set<string>();

  static async open(options: LocalSessionFsOptions): Promise<LocalSessionFs> {
    return attempt(async () => {
      const folder = sessionFolder(await realpath(options.stateRoot), options.sessionId);
      const made = options.create === false ? undefined : await mkdir(folder, { recursive: true, mode: 0o700 });
      const parent = await realpath(dirname(folder));
      const real = await realpath(folder);
      assertSameCase(real, options.sessionId);
      if (real !== join(parent, options.sessionId)) {
        throw new SessionFsFailure('EACCES', `${folder} is a link that leads elsewhere`);
      }
      const temp = await realpath(await mkdtemp(join(options.tmpRoot ?? tmpdir(), 'agenthost-')));
      return new LocalSessionFs(options, real, temp, made !== undefined);
    });
  }

  private constructor(options: LocalSessionFsOptions, folder: string, temp: string, isNew: boolean) {
    this.sessionStatePath = folder;
    this.tmpdir = temp;
    this.#initialCwd = options.initialCwd ?? process.cwd();
    this.#paths = new Confinement(folder, temp);
    this.#appends = new AppendHandles({
      limit: options.maxOpenFiles ?? 4,
      locate: async (path) => this.#toBeChanged(await this.#paths.real(path)),
      open: (real, flags) => this.#paths.use(real, (at) => open(at, flags, 0o600)),
    });
    if (isNew) this.#changedFolders.add(dirname(folder));
  }

  initialCwd(): string {
    return this.#initialCwd;
  }

  join(...parts: string[]): string {
    return join(...parts);
  }

  lockKey(path: string): string {
    return this.#paths.written(path);
  }

  async readFile(path: string): Promise<string> {
    return this.#withFile(path, READ, (file) => file.readFile('utf8'));
  }

  async readFileBytes(path: string): Promise<Uint8Array> {
    return this.#withFile(path, READ, (file) => file.readFile());
  }

  async readRange(path: string, offset: number, length: number): Promise<Uint8Array> {
    return this.#withFile(path, READ, async (file) => {
      const buffer = Buffer.alloc(length);
      const { bytesRead } = await file.read(buffer, 0, length, offset);
      return buffer.subarray(0, bytesRead);
    });
  }

  async writeFile(path: string, content: string | Uint8Array): Promise<void> {
    return this.#withFile(path, REPLACE, (file) => file.writeFile(content));
  }

  async appendFile(path: string, content: string | Uint8Array): Promise<void> {
    return attempt(() => this.#appends.append(this.#paths.written(path), content));
  }

  async exists(path: string): Promise<boolean> {
    try {
      await this.stat(path);
      return true;
    } catch (error) {
      const code = errorCode(error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return false;
      throw error;
    }
  }

  async stat(path: string): Promise<SessionFsStat> {
    const found = await attempt(async () => this.#paths.use(await this.#paths.real(path), (at) => lstat(at)));
    // The real path has no link at its end: a link there appeared after the check.
    if (found.isSymbolicLink()) throw new SessionFsFailure('EACCES', `${JSON.stringify(path)} was replaced by a link`);
    return {
      isFile: found.isFile(),
      isDirectory: found.isDirectory(),
      size: found.size,
      mtime: found.mtimeMs,
      birthtime: found.birthtimeMs,
    };
  }

  async mkdir(path: string, options: { readonly recursive?: boolean } = {}): Promise<void> {
    await attempt(async () => {
      const real = this.#toBeChanged(await this.#paths.real(path));
      if (options.recursive) await this.#makeFolder(real);
      else await this.#paths.use(real, (at) => mkdir(at, { mode: 0o700 }));
    });
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithTypes(path)).map((entry) => entry.name);
  }

  /** Links that lead out, sockets and the like are left out: nothing of a session can be read through them. */
  async readdirWithTypes(path: string): Promise<SessionFsEntry[]> {
    return attempt(async () => {
      const real = await this.#paths.real(path);
      const entries = await this.#paths.useFolder(real, (at) => readdir(at, { withFileTypes: true }));
      const typed = await Promise.all(entries.map((entry) => this.#typed(real, entry)));
      return typed.filter((entry) => entry !== undefined);
    });
  }

  async rm(path: string, options: { readonly recursive?: boolean; readonly force?: boolean } = {}): Promise<void> {
    await attempt(async () => {
      const entry = this.#toBeChanged(await this.#paths.entry(path));
      await this.#appends.closeBelow(entry);
      const how = { recursive: options.recursive ?? false, force: options.force ?? false };
      await this.#paths
        .use(entry, (at) => rm(at, how))
        .catch((error: unknown) => {
          // Its folder is missing.
          if (!(how.force && errorCode(error) === 'ENOENT')) throw error;
        });
    });
  }

  async rename(source: string, target: string): Promise<void> {
    await attempt(async () => {
      const from = this.#toBeChanged(await this.#paths.entry(source));
      const to = this.#toBeChanged(await this.#paths.entry(target));
      await Promise.all([this.#appends.closeBelow(from), this.#appends.closeBelow(to)]);
      await this.#paths.use(from, (source) => this.#paths.use(to, (target) => rename(source, target)));
    });
  }

  async *readLines(path: string, fromByte = 0): AsyncGenerator<string> {
    const file = await attempt(async () => this.#paths.use(await this.#paths.real(path), (at) => open(at, READ)));
    try {
      yield* splitLines(chunksOf(file, fromByte));
    } catch (error) {
      throw toSessionFsFailure(error);
    } finally {
      await file.close();
    }
  }

  async realPath(path: string): Promise<string> {
    return attempt(() => this.#paths.real(path));
  }

  async sync(path: string): Promise<void> {
    await attempt(async () => {
      const written = this.#paths.written(path);
      if (this.#appends.has(written)) await this.#appends.use(written, (file) => file.datasync());
      else await this.#withFile(path, constants.O_RDWR | NO_FOLLOW, (file) => file.datasync());
      if (sep === '/' && this.#changedFolders.size > 0) await this.#syncFolders(await this.#paths.real(path));
    });
  }

  /** A non-empty temporary folder stays; an empty one is removed. */
  async dispose(): Promise<void> {
    await this.#appends.dispose();
    await rmdir(this.tmpdir).catch(() => undefined);
  }

  async #withFile<T>(path: string, flags: number, work: (file: FileHandle) => Promise<T>): Promise<T> {
    return attempt(async () => {
      const real = await this.#paths.real(path);
      if (flags === REPLACE) this.#toBeChanged(real);
      const file = await this.#paths.use(real, (at) => open(at, flags, 0o600));
      try {
        return await work(file);
      } finally {
        await file.close();
      }
    });
  }

  /** One after the other, so that none of them is made behind a link. */
  async #makeParents(real: string): Promise<void> {
    try {
      await this.#paths.useFolder(real, async () => {});
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      await this.#makeFolder(real);
    }
  }

  async #makeFolder(real: string): Promise<void> {
    if (!this.#paths.isRoot(real)) await this.#makeParents(dirname(real));
    this.#toBeChanged(real);
    await this.#paths.use(real, (at) => mkdir(at, { recursive: true, mode: 0o700 }));
  }

  #toBeChanged(real: string): string {
    this.#changedFolders.add(dirname(real));
    return real;
  }

  async #syncFolders(real: string): Promise<void> {
    for (let at = dirname(real); isWithin(dirname(this.sessionStatePath), at); at = dirname(at)) {
      if (!this.#changedFolders.delete(at)) continue;
      try {
        const folder = await open(at, constants.O_RDONLY);
        await folder.sync().finally(() => folder.close());
      } catch (error) {
        this.#changedFolders.add(at);
        throw error;
      }
    }
  }

  async #typed(folder: string, entry: Dirent): Promise<SessionFsEntry | undefined> {
    if (entry.isFile()) return { name: entry.name, type: 'file' };
    if (entry.isDirectory()) return { name: entry.name, type: 'directory' };
    if (!entry.isSymbolicLink()) return undefined;
    const target = await this.stat(join(folder, entry.name)).catch(() => undefined);
    if (!target?.isFile && !target?.isDirectory) return undefined;
    return { name: entry.name, type: target.isFile ? 'file' : 'directory' };
  }
}

async function* chunksOf(file: FileHandle, fromByte: number): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let position = fromByte; ; ) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

async function attempt<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toSessionFsFailure(error);
  }
}
