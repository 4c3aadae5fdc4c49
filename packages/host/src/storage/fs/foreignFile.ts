// Reads files in foreign folders. A pipe or a device in a file's place must not block a thread of the pool, and a file of any
// size must not be held in memory.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Opens a file for reading, without waiting for a pipe or device in its place. Rejects for what is no regular file. */
export async function openForeignFile(path: string, { followsLinks = true } = {}): Promise<FileHandle> {
  // Opening a pipe without O_NONBLOCK waits for a writer.
  const noFollow = followsLinks ? 0 : (constants.O_NOFOLLOW ?? 0);
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | noFollow);
  try {
    if ((await file.stat()).isFile()) return file;
    throw new Error('It is not a file.');
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The beginning of a file, at most that many bytes, as text. Rejects when it doesn't exist or is no regular file. */
export async function readForeignFile(path: string, maxBytes: number, options = {}): Promise<string> {
  const file = await openForeignFile(path, options);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The same; `undefined` when it can't be read. */
export async function readSmallFile(path: string, maxBytes: number): Promise<string | undefined> {
  return readForeignFile(path, maxBytes).catch(() => undefined);
}
