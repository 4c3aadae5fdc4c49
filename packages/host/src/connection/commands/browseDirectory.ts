import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as immediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type BrowseDirectoryResult, type DirectoryEntry, ERROR_CODE, type URI } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { readBranches } from '../../sessions/folder/gitBranches.js';
import { readGitMetadata } from '../../sessions/folder/gitMetadata.js';
import { filePath } from '../../sessions/folder/workingDirectory.js';
import type { Browse, Sessions } from '../../sessions/sessions.js';
import { readSmallFile } from '../../storage/fs/foreignFile.js';
import { isSamePlace, placeOf, withoutPlace, withPlace } from '../../storage/placeUri.js';

/** Entries shown of one folder: no user picks one out of a hundred thousand by eye. */
const MAX_ENTRIES = 5_000;
/** Entries read of one folder. In a larger folder the shown ones may not be the first by name. */
const MAX_READ = 20_000;
/** Characters of all shown entries together: names may be long, and their URIs several times as long. */
const MAX_LENGTH = 2 * 1024 * 1024;
/** Entries that are described in one turn of the event loop. */
const SLICE = 250;
const MAX_HEAD_BYTES = 8 * 1024;
/** Folders that are checked for a git checkout. */
const MAX_BRANCHES = 500;

export interface BrowseDirectoryOptions {
  readonly sessions: Pick<Sessions, 'untrustedFolder'>;
  /** What the machines with these folders are called, where several hosts share their sessions. */
  readonly place?: string | undefined;
}

/** The entries of a folder of this machine, and whether an agent needs trust to work there. */
export async function browseDirectory(
  { uri, provider, branches }: Parameters<Browse>[0],
  { sessions, place }: BrowseDirectoryOptions,
): Promise<BrowseDirectoryResult> {
  const named = placeOf(uri);
  const isHere = named !== undefined && place !== undefined && isSamePlace(named, place);
  const path = filePath(isHere ? withoutPlace(uri) : uri);
  const shown = await entriesShown(uri, path);
  const entries = isHere ? shown.map((entry) => ({ ...entry, uri: withPlace(entry.uri, named) })) : shown;
  const untrustedFolder = provider === undefined ? undefined : await sessions.untrustedFolder(provider, path);
  const checkout = await checkoutAt(path, branches === true);
  return { entries, ...(untrustedFolder !== undefined && { untrustedFolder }), ...(checkout && { checkout }) };
}

/** What git says of the folder itself. */
async function checkoutAt(path: string, withBranches: boolean): Promise<BrowseDirectoryResult['checkout']> {
  const { repositoryPath, branch } = await readGitMetadata(path);
  if (repositoryPath === undefined) return undefined;
  return {
    ...(branch !== undefined && { branch }),
    ...(withBranches && { branches: await readBranches(path) }),
  };
}

async function entriesShown(uri: URI, path: string): Promise<readonly DirectoryEntry[]> {
  const entries = await entriesOf(path).catch((error: unknown) => {
    throw browseError(uri, error);
  });
  const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MAX_ENTRIES);
  let looked = 0;
  const described = (entry: Dirent) => describe(path, entry, entry.isDirectory() && looked++ < MAX_BRANCHES);
  const shown: DirectoryEntry[] = [];
  let room = MAX_LENGTH;
  for (let at = 0; at < sorted.length && room > 0; at += SLICE) {
    for (const entry of await Promise.all(sorted.slice(at, at + SLICE).map(described))) {
      room -= lengthOf(entry);
      if (room > 0) shown.push(entry);
    }
    await immediate();
  }
  return shown;
}

async function describe(folder: string, entry: Dirent, looksForBranch: boolean): Promise<DirectoryEntry> {
  const target = join(folder, entry.name);
  const type = entry.isSymbolicLink() ? 'symlink' : entry.isDirectory() ? 'directory' : 'file';
  const branch = looksForBranch ? await gitBranch(target) : undefined;
  return { name: entry.name, type, uri: pathToFileURL(target).href, ...(branch !== undefined && { branch }) };
}

/** About its length as JSON. */
function lengthOf({ name, uri, branch = '' }: DirectoryEntry): number {
  return name.length + uri.length + branch.length + 48;
}

async function entriesOf(path: string): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(path, { bufferSize: 256 })) {
    entries.push(entry);
    if (entries.length === MAX_READ) break;
  }
  return entries;
}

function browseError(uri: URI, error: unknown): RpcError {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT') return new RpcError(ERROR_CODE.notFound, `${uri} does not exist`);
  if (code === 'ENOTDIR') return new RpcError(ERROR_CODE.notFound, `${uri} is not a directory`);
  if (code === 'EACCES' || code === 'EPERM') {
    return new RpcError(ERROR_CODE.permissionDenied, `${uri} can't be read: permission denied`);
  }
  return new RpcError(ERROR_CODE.notFound, `${uri} can't be read: ${code ?? 'unknown error'}`);
}

async function gitBranch(folder: string): Promise<string | undefined> {
  const head = await readSmallFile(join(folder, '.git', 'HEAD'), MAX_HEAD_BYTES);
  return head?.match(/^ref: refs\/heads\/(.+)$/m)?.[1];
}
