import type { Dirent } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NATIVE_LIMITS, type NativePlace } from './nativeStore.js';

/** Names of folders below the root, one after the other, then of the files in the last of them. */
export type Levels = readonly RegExp[];

interface Found {
  readonly places: NativePlace[];
  readonly problems: string[];
}

/** Files that are looked at side by side. */
const AT_ONCE = 64;

/** Finds files by their names, all or those of one conversation. Links are not followed below the root; a missing root has no files. */
export async function findFiles(
  root: string,
  levels: Levels,
  nativeIdOf: (path: string) => string | undefined,
  only?: string,
): Promise<Found> {
  const found: Found = { places: [], problems: [] };
  const last = levels.length - 1;
  let folders = [root];
  for (const [depth, pattern] of levels.entries()) {
    const next: string[] = [];
    const files: string[] = [];
    for (const folder of folders) {
      for (const entry of await entriesOf(folder, found.problems)) {
        if (!pattern.test(entry.name)) continue;
        const path = join(folder, entry.name);
        if (depth < last && entry.isDirectory() && next.length < NATIVE_LIMITS.folders) next.push(path);
        else if (depth === last && entry.isFile() && files.length < NATIVE_LIMITS.places) {
          if (only === undefined || nativeIdOf(path) === only) files.push(path);
        }
      }
    }
    folders = next;
    if (depth === last) await lookAt(files, nativeIdOf, found);
  }
  return found;
}

/** One file as it is now; `undefined` if there is none. */
export async function placeOf(path: string, nativeId: string): Promise<NativePlace | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  return { nativeId, path, size: found.size, modifiedAt: Math.max(0, Math.floor(found.mtimeMs)) };
}

async function lookAt(
  files: readonly string[],
  nativeIdOf: (path: string) => string | undefined,
  { places }: Found,
): Promise<void> {
  for (let at = 0; at < files.length; at += AT_ONCE) {
    const some = files.slice(at, at + AT_ONCE).map(async (path) => {
      const nativeId = nativeIdOf(path);
      return nativeId === undefined ? undefined : placeOf(path, nativeId);
    });
    for (const place of await Promise.all(some)) if (place && place.size > 0) places.push(place);
  }
}

async function entriesOf(folder: string, problems: string[]): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(folder, { bufferSize: 256 })) {
      entries.push(entry);
      if (entries.length >= NATIVE_LIMITS.places) break;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'ENOTDIR' && problems.length < 20) {
      problems.push(`${folder} can't be read: ${code === 'EACCES' ? 'permission denied' : (code ?? 'unknown error')}.`);
    }
  }
  return entries;
}
