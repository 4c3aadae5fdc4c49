// Reads untrusted files: never through a link that leads out, and never more than requested.
import { lstat, opendir, realpath, stat } from 'node:fs/promises';
import { isWithin } from '../storage/fs/confinement.js';
import { errorCode } from '../storage/fs/errnoFailure.js';
import { readForeignFile } from '../storage/fs/foreignFile.js';

export interface SeenFile {
  /** With all links resolved. */
  readonly path: string;
  readonly stamp: string;
  readonly size: number;
  readonly type: 'file' | 'folder' | 'other';
}

/** Includes links to nothing and unreadable files. */
export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    const code = errorCode(error);
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}

/** What exists at a path: nothing (`undefined`), a file, or why it can't be used. `root` is a real path. */
export async function lookAt(root: string, path: string): Promise<SeenFile | { readonly problem: string } | undefined> {
  try {
    const real = await realpath(path);
    if (!isWithin(root, real)) return { problem: 'It is a link that leads out of its folder.' };
    const found = await stat(real);
    const { ino, size, mtimeMs, ctimeMs } = found;
    const type = found.isFile() ? 'file' : found.isDirectory() ? 'folder' : 'other';
    return { path: real, stamp: `${ino}-${size}-${mtimeMs}-${ctimeMs}`, size, type };
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return { problem: `It can't be read (${code ?? 'unknown error'}).` };
    return (await isThere(path)) ? { problem: 'It is a link to nothing.' } : undefined;
  }
}

/** The names in a folder, sorted. For a folder with more than the limit, the first ones and `isCut`. */
export async function namesIn(folder: string, limit: number): Promise<{ names: string[]; isCut: boolean }> {
  const names: string[] = [];
  for await (const { name } of await opendir(folder)) {
    if (names.length === limit) return { names: names.sort(), isCut: true };
    names.push(name);
  }
  return { names: names.sort(), isCut: false };
}

/** The beginning of a text file, at most that many bytes. Rejects for other content. */
export async function readText(path: string, maxBytes: number): Promise<string> {
  // A link that replaced the file since the check would lead elsewhere.
  const text = (await readForeignFile(path, maxBytes, { followsLinks: false })).replace(/^\uFEFF/, '');
  if (text.includes('\0')) throw new Error('It is not a text.');
  return text;
}
