import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/**
 * The text of a file in a folder that nobody vouches for; `undefined` when there is none, or it is no plain file. A pipe or a
 * device in its place must not keep a thread waiting, and a large file not be held: only its beginning is read.
 */
export async function readSmallFile(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      if (!(await file.stat()).isFile()) return undefined;
      const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
