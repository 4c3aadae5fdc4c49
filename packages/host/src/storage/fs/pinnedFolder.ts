import { constants } from 'node:fs';
import { open, readlink } from 'node:fs/promises';
import { errorCode } from './errnoFailure.js';

const FOLDER = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Holds a folder open and hands out a path to it that stays the same folder, whatever takes its name meanwhile. `isAllowed` is asked
 * where the folder really is, after it was opened: a check of a path that is opened later can be outrun by a link. Where the
 * system has no such paths (other than Linux), the path is used as it is.
 */
export async function pinnedFolder<T>(
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
    // Nobody knows the folder by that name.
    if (error instanceof Error) error.message = error.message.replaceAll(pinned, folder);
    throw error;
  } finally {
    await handle.close();
  }
}
