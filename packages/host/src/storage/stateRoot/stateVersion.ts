import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../fs/errnoFailure.js';
import { writePrivateFile } from '../fs/writePrivateFile.js';
import { MIGRATIONS } from './migrations.js';

export const FIRST_VERSION = 1;
export const STATE_VERSION = FIRST_VERSION + MIGRATIONS.length;
export const VERSION_FILE = 'version';

/** The version in a state root: `undefined` when there is none yet, the text when it is invalid. */
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
  await writePrivateFile(join(path, VERSION_FILE), `${version}\n`);
}
