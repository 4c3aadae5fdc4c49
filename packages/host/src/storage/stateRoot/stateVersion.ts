import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../fs/errnoFailure.js';
import { MIGRATIONS } from './migrations.js';

export const FIRST_VERSION = 1;
export const STATE_VERSION = FIRST_VERSION + MIGRATIONS.length;
export const VERSION_FILE = 'version';

/** What a state root says of its version: `undefined` when there is none yet, the text when it is no version. */
export async function readStateVersion(path: string): Promise<number | string | undefined> {
  try {
    const text = await readFile(join(path, VERSION_FILE), 'utf8');
    return /^\d{1,9}\s*$/.test(text) ? Number(text) : text;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

export async function writeStateVersion(path: string, version: number): Promise<void> {
  const draft = join(path, `${VERSION_FILE}.${randomUUID()}.tmp`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${version}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, join(path, VERSION_FILE)).catch(async (error: unknown) => {
    await rm(draft, { force: true });
    throw error;
  });
}
