import type { Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FolderEntry, ListFolderParams, ListFolderResult } from '@agenthost/protocol';
import { FileError } from './fileError.js';
import type { FolderRoot } from './folderRoot.js';

const PAGE = 200;
/** Entries read of one folder. */
const MAX_READ = 20_000;
const AT_ONCE = 32;
/** Entries that are compared in one tick of the event loop. */
const STEP = 1_000;
/** Names that are no UTF-8 have it. */
const NO_TEXT = '\ufffd';
/** Git's own. */
const GIT = '.git';

/** A page of a folder's entries. Each page reads the folder again: entries that come or go shift no others. */
export async function listFolder(
  root: FolderRoot,
  { path = '.', limit = PAGE, cursor }: Omit<ListFolderParams, 'session'>,
): Promise<ListFolderResult> {
  const real = await root.locate(path);
  const after = cursor === undefined ? undefined : placeOf(cursor);
  return root.useFolder(real, path, async (at) => {
    const { entries, isCut } = await entriesOf(at);
    const isShown = ({ name }: Dirent) => name !== GIT && !root.isHidden(join(real, name));
    // The first ones behind the cursor, and one more. Sorting all of them at once takes too long.
    let first: { readonly entry: Dirent; readonly key: string }[] = [];
    let total = 0;
    for (let from = 0; from < entries.length; from += STEP) {
      const some = entries.slice(from, from + STEP).filter(isShown);
      total += some.length;
      const keyed = some.map((entry) => ({ entry, key: keyOf(entry) }));
      const rest = after === undefined ? keyed : keyed.filter(({ key }) => key > after);
      first = [...first, ...rest].sort((a, b) => (a.key < b.key ? -1 : 1)).slice(0, limit + 1);
      await setImmediate();
    }
    const page = first.slice(0, limit);
    const described: FolderEntry[] = [];
    for (let from = 0; from < page.length; from += AT_ONCE) {
      const some = page.slice(from, from + AT_ONCE);
      described.push(...(await Promise.all(some.map(({ entry }) => describe(root, real, at, entry)))));
    }
    const last = page.at(-1);
    return {
      path: root.shown(real),
      entries: described,
      total,
      ...(isCut && { isCut: true as const }),
      ...(last && first.length > page.length && { nextCursor: last.key }),
    };
  });
}

/** At most MAX_READ entries of a folder, in no order. */
export async function entriesOf(folder: string): Promise<{ readonly entries: Dirent[]; readonly isCut: boolean }> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(folder, { bufferSize: 256 })) {
    if (entries.length === MAX_READ) return { entries, isCut: true };
    entries.push(entry);
  }
  return { entries, isCut: false };
}

/** Folders first, then by name. */
function keyOf(entry: Dirent): string {
  return `${entry.isDirectory() ? 0 : 1} ${entry.name}`;
}

function placeOf(cursor: string): string {
  if (/^[01] ./s.test(cursor)) return cursor;
  throw new FileError('notFound', 'The host does not know this place in the folder. List it again.');
}

async function describe(root: FolderRoot, folder: string, at: string, { name }: Dirent): Promise<FolderEntry> {
  const stats = await lstat(join(at, name)).catch(() => undefined);
  if (!stats || name.includes(NO_TEXT)) return { name, type: 'other' };
  const modifiedAt = Math.max(0, Math.trunc(stats.mtimeMs));
  if (stats.isDirectory()) return { name, type: 'folder', modifiedAt };
  if (stats.isFile()) return { name, type: 'file', size: stats.size, modifiedAt };
  if (!stats.isSymbolicLink()) return { name, type: 'other' };
  const target = await root.find(join(folder, name));
  return { name, type: 'link', ...(target && { leadsTo: target.stats.isFile() ? 'file' : 'folder' }) };
}
