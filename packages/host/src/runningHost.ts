import { join } from 'node:path';
import { TokenFile } from './server/tokenFile.js';
import { readLockHolder } from './sessionFs/hostLock.js';
import { LOCK_FILE } from './sessionFs/stateRootPath.js';

/** A host that runs on a state root, as its own commands reach it. */
export interface RunningHost {
  readonly pid: number;
  /** Missing until it listens, and for one that only lives inside another program. */
  readonly url?: string;
  /** Missing where it is not in the state root: then whoever started the host knows it. */
  readonly token?: string;
}

export async function findRunningHost(stateDir: string): Promise<RunningHost | undefined> {
  const holder = await readLockHolder(join(stateDir, LOCK_FILE));
  if (!holder) return undefined;
  const token = await new TokenFile(stateDir).read();
  return {
    pid: holder.pid,
    ...(holder.url !== undefined && { url: holder.url }),
    ...(token !== undefined && { token }),
  };
}
