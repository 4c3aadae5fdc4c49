import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseLockHolder } from './storage/stateRoot/lockHolder.js';
import { LOCK_FILE, resolveStateRoot, type StateRootPlace } from './storage/stateRoot/stateRootPath.js';

// For commands that must start fast: nothing in here, or in what it imports, loads the host.

export interface FoundHost {
  readonly stateDir: string;
  /** The process id of the host that holds the state root, or held it when it was killed. */
  readonly pid?: number;
  /** Absent while it is starting. */
  readonly url?: string;
  /** The address for other machines, if it was configured. */
  readonly publicUrl?: string;
  /** The owner's token was passed at the start: the one in the state root is not used. */
  readonly hasGivenToken?: true;
  /** Absent if the state root has none, or this user may not read it. */
  readonly token?: string;
}

/**
 * What the state root says about its host. Connect to find out whether that host still runs.
 *
 * @example
 * ```ts
 * const { url, token } = findHost({ env: process.env });
 * if (url !== undefined) console.log(`A host serves ${url}`);
 * ```
 */
export function findHost(place: StateRootPlace): FoundHost {
  const stateDir = resolveStateRoot(place);
  const holder = parseLockHolder(readOr(join(stateDir, LOCK_FILE)) ?? '');
  const token = readOr(join(stateDir, 'token'))?.trim();
  return {
    stateDir,
    ...(holder && { pid: holder.pid }),
    ...(holder?.url !== undefined && { url: holder.url }),
    ...(holder?.publicUrl !== undefined && { publicUrl: holder.publicUrl }),
    ...(holder?.hasGivenToken && { hasGivenToken: true as const }),
    ...(token && { token }),
  };
}

function readOr(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
