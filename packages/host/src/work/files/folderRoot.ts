import type { BigIntStats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { Confinement, isWithin } from '../../storage/fs/confinement.js';
import { FileError, toFileError } from './fileError.js';

/** Files that are no files: reading them can wait, change something, or show the host's own memory and environment. */
const SYSTEM_FOLDERS: readonly string[] = ['/proc', '/sys', '/dev'];

export interface FolderRootOptions {
  /** The session's folder; empty where it is on another machine. */
  readonly folder: string;
  /** The host's own folder: its files are not shown, unless the session works inside of it. */
  readonly privateFolder?: string | undefined;
}

/** A file or a folder that was found. */
interface FoundEntry {
  /** Its real path, inside the session's folder. */
  readonly real: string;
  /** Relative to the session's folder, with `/` between names; empty for itself. */
  readonly shown: string;
  readonly stats: BigIntStats;
}

/** The folder of a session at this moment. No path leads out of it, neither as it is written nor as it really is. */
export class FolderRoot {
  readonly real: string;
  readonly #paths: Confinement;
  readonly #hidden: readonly string[];

  static async open({ folder, privateFolder }: FolderRootOptions): Promise<FolderRoot> {
    if (folder === '') throw new FileError('notFound', 'The folder of this session is on another machine.');
    const real = await realpath(folder).catch(() => {
      throw new FileError('notFound', 'The folder of this session does not exist.');
    });
    const own = privateFolder === undefined ? undefined : await realpath(privateFolder).catch(() => undefined);
    return new FolderRoot(real, own !== undefined && !isWithin(own, real) ? [own] : []);
  }

  private constructor(real: string, hidden: readonly string[]) {
    this.real = real;
    this.#paths = new Confinement(real);
    this.#hidden = [...hidden, ...SYSTEM_FOLDERS];
  }

  /** Whether nothing of it is shown. `real` is a real path. */
  isHidden(real: string): boolean {
    return this.#hidden.some((folder) => isWithin(folder, real));
  }

  /** @throws {FileError} */
  async locate(path: string): Promise<string> {
    try {
      const real = await this.#paths.real(path);
      if (this.isHidden(real))
        throw new FileError('refused', 'Files of the host itself and of the system are not shown.');
      return real;
    } catch (error) {
      throw toFileError(error, path);
    }
  }

  /** Relative to the session's folder. */
  shown(real: string): string {
    return relative(this.real, real).split(sep).join('/');
  }

  /** Uses a located file by its path in the folder that it was in: a link that took a place of it is not followed. */
  async use<T>(real: string, path: string, work: (at: string) => Promise<T>): Promise<T> {
    try {
      return await this.#paths.use(real, work);
    } catch (error) {
      throw toFileError(error, path);
    }
  }

  /** The same for what is in a folder. */
  async useFolder<T>(real: string, path: string, work: (at: string) => Promise<T>): Promise<T> {
    try {
      return await this.#paths.useFolder(real, work);
    } catch (error) {
      throw toFileError(error, path);
    }
  }

  /** A regular file or a folder; absent if there is none, or it may not be read. */
  async find(path: string): Promise<FoundEntry | undefined> {
    try {
      const real = await this.locate(path);
      const stats = await this.use(real, path, (at) => lstat(at, { bigint: true }));
      return stats.isFile() || stats.isDirectory() ? { real, shown: this.shown(real), stats } : undefined;
    } catch (error) {
      if (error instanceof FileError) return undefined;
      throw error;
    }
  }
}
