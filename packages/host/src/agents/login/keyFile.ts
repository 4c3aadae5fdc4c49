import { mkdir, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writePrivateFile } from '../../storage/fs/writePrivateFile.js';
import { AGENTS_FOLDER } from '../install/agentInstall.js';

/** As the protocol allows keys: anything else in the file was not written by the host. */
const KEY = /^[\x21-\x7e]{1,4096}$/;
const MAX_BYTES = 8_192;

/** The key that the host keeps for an agent. It is read for each start of the agent and held in no field. */
export async function readKey(stateDir: string, provider: string): Promise<string | undefined> {
  try {
    const file = await open(keyPath(stateDir, provider), 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_BYTES), 0, MAX_BYTES, 0);
      const key = buffer.toString('utf8', 0, bytesRead).trim();
      return KEY.test(key) ? key : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

/** Only the host's user can read the file (0600, in a folder of 0700). */
export async function writeKey(stateDir: string, provider: string, key: string): Promise<void> {
  if (!KEY.test(key)) throw new RangeError('a key has 1 to 4,096 printable characters without spaces');
  const path = keyPath(stateDir, provider);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writePrivateFile(path, `${key}\n`);
}

export async function removeKey(stateDir: string, provider: string): Promise<void> {
  await rm(keyPath(stateDir, provider), { force: true });
}

function keyPath(stateDir: string, provider: string): string {
  return join(stateDir, AGENTS_FOLDER, `${provider}.key`);
}
