import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BrowseDirectoryResult, type DirectoryEntry, ERROR_CODE, type URI } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import { readSmallFile } from '../sessionFs/foreignFile.js';
import { filePath } from '../sessions/workingDirectory.js';

/** A folder with more than this is cut: nobody picks one out of a hundred thousand by eye. */
const MAX_ENTRIES = 5_000;
/** Of a folder with more than this the others are not even read, so that those shown are not always the first by name. */
const MAX_READ = 20_000;
const MAX_HEAD_BYTES = 8 * 1024;
/** Only so many folders are looked into for a checkout. */
const MAX_BRANCHES = 500;

export async function browseDirectory(uri: URI): Promise<BrowseDirectoryResult> {
  const path = filePath(uri);
  const entries = await entriesOf(path).catch((error: unknown) => {
    throw browseError(uri, error);
  });
  const sorted = entries.sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, MAX_ENTRIES);
  let looked = 0;
  return {
    entries: await Promise.all(
      sorted.map(async (entry): Promise<DirectoryEntry> => {
        const target = join(path, entry.name);
        const type = entry.isSymbolicLink() ? 'symlink' : entry.isDirectory() ? 'directory' : 'file';
        const branch = type === 'directory' && looked++ < MAX_BRANCHES ? await gitBranch(target) : undefined;
        return { name: entry.name, type, uri: pathToFileURL(target).href, ...(branch !== undefined && { branch }) };
      }),
    ),
  };
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
