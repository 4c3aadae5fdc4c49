import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AGENTS_FOLDER } from '../install/agentInstall.js';

export interface EmptyFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * A folder for a program of an agent. Agents read configuration in their folder and above it, and some of it runs programs: so it is
 * empty, and inside of the state folder, where only the host's user can write, not in the system's folder for temporary files.
 */
export async function emptyFolder(stateDir: string): Promise<EmptyFolder> {
  const parent = join(stateDir, AGENTS_FOLDER);
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const path = await mkdtemp(join(parent, '.empty-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
