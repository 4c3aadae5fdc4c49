import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, rename, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../fs/errnoFailure.js';

export const BACKUPS_FOLDER = 'backups';
/** How many finished copies are kept; the oldest are removed. */
export const MAX_BACKUPS = 3;
/** What must be left on the disk beside the copy. */
const SPARE_BYTES = 64 * 1024 * 1024;
const UNFINISHED = '.unfinished';

export class NoRoomError extends Error {
  constructor(needed: number, free: number) {
    const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MiB`;
    super(`a copy of ${mebibytes(needed)} has to be made before, and ${mebibytes(free)} are free: make room`);
    this.name = 'NoRoomError';
  }
}

/**
 * Copies entries of a state root to `backups/<name>.unfinished` in it. An existing one is complete, from an interrupted attempt:
 * it is kept, because its originals may be half changed by now.
 */
export async function makeBackup(
  stateRoot: string,
  name: string,
  entries: readonly string[],
  freeBytes: (path: string) => Promise<number> = freeBytesOf,
): Promise<string> {
  const folder = join(stateRoot, BACKUPS_FOLDER);
  const made = join(folder, name + UNFINISHED);
  if (await exists(made)) return made;
  const draft = join(folder, `${name}.tmp`);
  await rm(draft, { recursive: true, force: true });
  const needed = (await Promise.all(entries.map((entry) => sizeOf(join(stateRoot, entry))))).reduce((a, b) => a + b, 0);
  const free = await freeBytes(stateRoot);
  if (needed + SPARE_BYTES > free) throw new NoRoomError(needed, free);
  await mkdir(draft, { recursive: true, mode: 0o700 });
  for (const entry of entries) await copy(join(stateRoot, entry), join(draft, entry));
  await rename(draft, made);
  return made;
}

/** A copy from before a version that is now reached gets the time into its name, and the oldest copies are removed. */
export async function finishBackups(
  stateRoot: string,
  isDone: (name: string) => boolean,
  now: Date,
): Promise<readonly string[]> {
  const folder = join(stateRoot, BACKUPS_FOLDER);
  const renamed: string[] = [];
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((name) => name.endsWith(UNFINISHED))) {
    const plain = name.slice(0, -UNFINISHED.length);
    if (!isDone(plain)) continue;
    const finished = join(folder, `${now.toISOString().replaceAll(':', '-')}-${plain}`);
    await rename(join(folder, name), finished);
    renamed.push(finished);
  }
  const finished = (await readdir(folder).catch(() => [])).filter((name) => /^\d{4}-.*-version-\d+$/.test(name)).sort();
  for (const name of finished.slice(0, -MAX_BACKUPS)) await rm(join(folder, name), { recursive: true });
  return renamed;
}

async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize;
}

async function sizeOf(path: string): Promise<number> {
  const found = await lstatIfAny(path);
  if (!found?.isDirectory()) return found?.size ?? 0;
  let sum = 0;
  for (const name of await readdir(path)) sum += await sizeOf(join(path, name));
  return sum;
}

/** Files and folders; a host puts nothing else into a state root. */
async function copy(from: string, to: string): Promise<void> {
  const found = await lstatIfAny(from);
  if (found?.isDirectory()) {
    await mkdir(to, { mode: 0o700 });
    for (const name of await readdir(from)) await copy(join(from, name), join(to, name));
  } else if (found?.isFile()) {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    const file = await open(to, 'r+');
    await file.sync().finally(() => file.close());
  }
}

async function lstatIfAny(path: string) {
  return lstat(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

async function exists(path: string): Promise<boolean> {
  return (await lstatIfAny(path)) !== undefined;
}
