import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ERROR_CODE, type SessionSummary, type URI } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { Delivery } from '../state/delivery.js';
import type { SessionWorktree } from '../work/worktrees/isolation.js';
import type { UnmergedWork, WorktreeFate } from '../work/worktrees/worktrees.js';
import type { Session } from './session.js';
import type { SessionServices } from './sessionServices.js';

const AT_ONCE = 500;

/**
 * Says no to a removal when the session's worktree has work that nothing else has: somebody has to say first what becomes of it.
 *
 * @throws {RpcError}
 */
export async function refuseUnmerged(
  { uri, state }: Pick<Session, 'uri' | 'state'>,
  { index, worktrees }: Pick<SessionServices, 'index' | 'worktrees'>,
): Promise<void> {
  const { workingDirectory: workspace } = state.summary;
  const worktree = workspace === undefined ? undefined : await worktrees.find(fileURLToPath(workspace));
  if (!worktree || (await isUsed(worktree, index, uri))) return;
  const said = unmergedWords(await worktrees.unmergedWork(worktree), worktree);
  if (said === undefined) return;
  const data = { code: 'unmergedWork', whatToDo: 'Say whether that work is kept or discarded.' };
  throw new RpcError(ERROR_CODE.invalidRequest, said, { data });
}

function unmergedWords(work: UnmergedWork | undefined, { path, branch }: SessionWorktree): string | undefined {
  if (!work) return `git does not tell what only the worktree ${path} has`;
  const count = (number: number, one: string) => `${number} ${one}${number === 1 ? '' : 's'}`;
  const parts = [
    ...(work.uncommitted > 0 ? [`${count(work.uncommitted, 'file')} that no commit has`] : []),
    ...(work.unmerged > 0 ? [`${count(work.unmerged, 'commit')} of no other branch`] : []),
    ...(work.loose > 0 ? [`${count(work.loose, 'commit')} of no branch`] : []),
    ...(work.hasSubmodules ? ['submodules, in which the host does not look'] : []),
  ];
  return parts.length === 0 ? undefined : `its worktree, on the branch ${branch}, has ${parts.join(' and ')}`;
}

/** Removes the worktree that a session worked in, unless another one does. The session stays gone when that fails. */
export async function releaseWorktree(
  { uri, state }: Pick<Session, 'uri' | 'state'>,
  { index, worktrees, log }: Pick<SessionServices, 'index' | 'worktrees' | 'log'>,
  fate: WorktreeFate | undefined,
): Promise<void> {
  const { workingDirectory: workspace } = state.summary;
  if (workspace === undefined) return;
  try {
    const worktree = await worktrees.find(fileURLToPath(workspace));
    if (!worktree) return;
    if (!(await isUsed(worktree, index, uri))) await worktrees.release(worktree, fate);
  } catch (error) {
    log.warn(`the worktree of ${uri} is kept: ${errorMessage(error)}`);
  }
}

/**
 * Whether another session works in the worktree, in any folder of it and whichever space it is of. While the index does not have all
 * sessions, one may.
 */
async function isUsed({ path }: SessionWorktree, index: SessionServices['index'], but: URI): Promise<boolean> {
  if (index.isRefilling) return true;
  const folder = pathToFileURL(path).href;
  const isIn = ({ resource, workingDirectory = '' }: SessionSummary) =>
    resource !== but && `${workingDirectory}/`.startsWith(`${folder}/`);
  let after = '';
  for (;;) {
    const { found, last } = await index.summariesWith(folder, after, AT_ONCE);
    if (found.some(({ summary }) => isIn(summary))) return true;
    if (last === undefined) return false;
    after = last;
    await setImmediate();
  }
}

/**
 * A session whose removal failed may still exist, but the object is closed: its subscribers have to reconnect. They are disconnected
 * after the answer, because the client that asked may be one of them.
 */
export function cutOffLater(session: Session, delivery: Delivery): void {
  const cutOff = () => session.cutOffSubscribers('the session could not be removed');
  void setImmediate()
    .then(() => delivery.drained())
    .then(cutOff);
}
