import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLog } from '../../hostLog.js';
import type { Environment } from '../gitEnvironment.js';
import type { SessionWorktree } from './isolation.js';
import { type UnmergedWork, WORKTREES_FOLDER, Worktrees } from './worktrees.js';

/** A host may be making one, whose session is not stored yet. */
const MAKING_MS = 15 * 60_000;
const RECORD = /^(.+)\.json$/;

/** A worktree that no session works in: its session was removed and its work kept, or its host was killed. */
export interface LeftWorktree {
  readonly worktree: SessionWorktree;
  /** Whether its folder still exists. */
  readonly isThere: boolean;
  /** What would be lost with it; `undefined` if git can't tell. */
  readonly work: UnmergedWork | undefined;
  /** Removes the folder, and the branch if it has nothing of its own. */
  clean(): Promise<void>;
}

/** The worktrees in a state folder that no session works in, without those of sessions that are kept elsewhere. */
export async function findLeftWorktrees(
  stateDir: string,
  { env, isUsed }: { readonly env: Environment; readonly isUsed: (path: string) => boolean },
): Promise<LeftWorktree[]> {
  const worktrees = new Worktrees({ stateDir, env, log: silentLog });
  const root = join(stateDir, WORKTREES_FOLDER);
  const left: LeftWorktree[] = [];
  for (const project of await namesIn(root)) {
    for (const name of await namesIn(join(root, project))) {
      const [, id] = RECORD.exec(name) ?? [];
      if (id === undefined || (await isNew(join(root, project, name)))) continue;
      const path = join(root, project, id);
      const worktree = await worktrees.find(path);
      if (!worktree || worktree.isElsewhere || isUsed(path)) continue;
      const isThere = (await stat(path).catch(() => undefined)) !== undefined;
      const work = isThere ? await worktrees.unmergedWork(worktree) : undefined;
      left.push({ worktree, isThere, work, clean: () => worktrees.clean(worktree) });
    }
  }
  return left;
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function isNew(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return !found || Date.now() - found.mtimeMs < MAKING_MS;
}
