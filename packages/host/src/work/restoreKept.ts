import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { GitError } from './gitError.js';
import { type RestoreOptions, restoreTree } from './restoreTree.js';
import type { Snapshots } from './snapshots.js';
import type { WorkTree } from './workTree.js';

const ATTEMPTS = 4;
const PAUSE_MS = 50;

/**
 * Keeps the folder as it is, then brings files back. Git writes nothing when a file changes in this moment, as by a run of git that has
 * outlived a killed host: then the folder is kept and compared again.
 */
export async function restoreKept(
  tree: WorkTree,
  snapshots: Snapshots,
  to: Omit<RestoreOptions, 'now'>,
  check?: (now: string) => Promise<void>,
) {
  for (let attempt = 1; ; attempt++) {
    const now = (await tree.current()).id;
    await check?.(now);
    const undoId = randomUUID();
    await snapshots.add('u', undoId, now);
    try {
      return { ...(await restoreTree(tree, { ...to, now })), undoId };
    } catch (error) {
      if (!(error instanceof GitError && error.problem === 'failed')) throw error;
      if (attempt === ATTEMPTS) {
        throw new GitError('busy', `Files change while they are restored. Try again. (${error.message})`);
      }
      await delay(PAUSE_MS * attempt);
    }
  }
}
