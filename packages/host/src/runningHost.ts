import { join } from 'node:path';
import { type FoundHost, findHost } from './discovery.js';
import { readLockHolder } from './storage/stateRoot/hostLock.js';
import { LOCK_FILE } from './storage/stateRoot/stateRootPath.js';

/** What the state root says of its host, if that one's process lives. */
export async function findRunningHost(stateDir: string): Promise<FoundHost | undefined> {
  const holder = await readLockHolder(join(stateDir, LOCK_FILE));
  return holder && findHost({ path: stateDir, env: {} });
}
