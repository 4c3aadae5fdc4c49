import { constants } from 'node:fs';
import { lstat, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { errorCode } from './errnoFailure.js';
import { SessionFsFailure } from './sessionFs.js';

/**
 * Keeps paths inside a few folders. A path is checked as it is written and as it really is, so that neither `..` nor a
 * symbolic link leads out. The result is the real path: the caller opens it with `use`, without following a last link, so
 * a link that is put there after the check isn't followed.
 */
export class Confinement {
  readonly #roots: readonly string[];
  readonly #base: string;

  /** `roots` are real paths; relative paths start at the first of them. */
  constructor(base: string, ...others: readonly string[]) {
    this.#roots = [base, ...others];
    this.#base = base;
  }

  /** The absolute path as written, or a refusal, without a system call. */
  written(path: string): string {
    if (path.includes('\0')) throw new SessionFsFailure('EINVAL', 'a path may not hold a NUL');
    const absolute = resolve(this.#base, path);
    if (!this.#rootOf(absolute)) throw refusal(path);
    return absolute;
  }

  /** The real path. Its end may be missing; the existing parts are all inside. */
  async real(path: string): Promise<string> {
    const absolute = this.written(path);
    const root = this.#rootOf(absolute);
    const missing: string[] = [];
    for (let at = absolute; ; at = dirname(at)) {
      const real = await realpathIfAny(at);
      if (real !== undefined) {
        if (!this.#rootOf(real)) throw refusal(path);
        return join(real, ...missing);
      }
      // A link to nothing: creating the file would create the link's target.
      if (await isLink(at)) throw refusal(path);
      if (at === root) return absolute;
      missing.unshift(basename(at));
    }
  }

  /** The path of the entry itself: a link at the end isn't followed, so that it can be removed or renamed. */
  async entry(path: string): Promise<string> {
    const absolute = this.written(path);
    if (this.isRoot(absolute)) return absolute;
    return join(await this.real(dirname(absolute)), basename(absolute));
  }

  isRoot(real: string): boolean {
    return this.#roots.includes(real);
  }

  /** Uses the result of `real` or `entry` in the folder of that time; a link that replaced a part is not followed. */
  async use<T>(real: string, work: (path: string) => Promise<T>): Promise<T> {
    if (this.isRoot(real)) return work(real);
    return this.useFolder(dirname(real), (folder) => work(join(folder, basename(real))));
  }

  async useFolder<T>(real: string, work: (path: string) => Promise<T>): Promise<T> {
    const isAllowed = (found: string) => {
      if (!this.#rootOf(found)) throw refusal(real);
    };
    return pinnedFolder(real, isAllowed, work);
  }

  #rootOf(path: string): string | undefined {
    return this.#roots.find((root) => isWithin(root, path));
  }
}

/** Whether `path` is `folder` or below it. Both are absolute. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

function refusal(path: string): SessionFsFailure {
  return new SessionFsFailure('EACCES', `${JSON.stringify(path)} leads outside of the session's folder`);
}

async function realpathIfAny(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch {
    return false;
  }
}

const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Holds a folder open and provides a path to it that stays the same folder, whatever takes its name meanwhile. `isAllowed` checks
 * its real path after it was opened: a check before opening can be outrun by a link. Where the system has no such paths (other
 * than Linux), the path is used unchanged.
 */
async function pinnedFolder<T>(
  folder: string,
  isAllowed: (real: string) => void,
  work: (pinned: string) => Promise<T>,
): Promise<T> {
  if (process.platform !== 'linux') return work(folder);
  const handle = await open(folder, FOLDER);
  const pinned = `/proc/self/fd/${handle.fd}`;
  try {
    const real = await readlink(pinned).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (real === undefined) return await work(folder);
    isAllowed(real);
    return await work(pinned);
  } catch (error) {
    // Errors name the folder by its usual path, not by the pinned one.
    if (error instanceof Error) error.message = error.message.replaceAll(pinned, folder);
    throw error;
  } finally {
    await handle.close();
  }
}
