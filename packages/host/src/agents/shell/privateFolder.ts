import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TempFiles } from '../../storage/stateRoot/tempFiles.js';

export interface PrivateFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** A folder for one command: one of the session's, or, where those are not on this machine, one of the system's. */
export async function privateFolder(tempFiles: TempFiles | undefined): Promise<PrivateFolder> {
  if (tempFiles?.isLocal) {
    const path = await tempFiles.createFolder();
    return { path, remove: () => tempFiles.remove(path) };
  }
  const path = await mkdtemp(join(tmpdir(), 'agenthost-shell-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
