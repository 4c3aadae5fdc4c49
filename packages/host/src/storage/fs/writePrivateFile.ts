import { randomUUID } from 'node:crypto';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Another process may be writing a draft that is younger than this. */
const ABANDONED_MS = 60_000;
const DRAFT_NAME = /\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.tmp$/;

/** Replaces a file that only its user may read. At any moment the old content or the new one is there, complete, even after a power cut. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

/** Removes the drafts that processes left in a folder when they were killed. */
export async function removeDrafts(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((entry) => DRAFT_NAME.test(entry))) {
    const path = join(folder, name);
    const draft = await stat(path).catch(() => undefined);
    if (draft?.isFile() && Math.abs(Date.now() - draft.mtimeMs) > ABANDONED_MS) await rm(path, { force: true });
  }
}
