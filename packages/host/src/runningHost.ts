import { join } from 'node:path';
import { type FoundHost, findHost } from './discovery.js';
import { readLockHolder } from './storage/stateRoot/hostLock.js';
import { LOCK_FILE } from './storage/stateRoot/stateRootPath.js';

/** What the state root says about its host, if its process runs. */
export async function findRunningHost(stateDir: string): Promise<FoundHost | undefined> {
  const holder = await readLockHolder(join(stateDir, LOCK_FILE));
  return holder && findHost({ path: stateDir, env: {} });
}
