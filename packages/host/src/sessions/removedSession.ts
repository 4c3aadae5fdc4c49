import { fileURLToPath } from 'node:url';
import { ERROR_CODE } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { Delivery } from '../state/delivery.js';
import type { SessionWorktree } from '../work/worktrees/isolation.js';
import type { UnmergedWork, WorktreeFate } from '../work/worktrees/worktrees.js';
import type { Session } from './session.js';
import type { SessionServices } from './sessionServices.js';

/**
 * Says no to a removal when the session's worktree has work that nothing else has: somebody has to say first what becomes of it.
 *
 * @throws {RpcError}
 */
export async function refuseUnmerged(
  { uri, space, state }: Pick<Session, 'uri' | 'space' | 'state'>,
  { index, worktrees }: Pick<SessionServices, 'index' | 'worktrees'>,
): Promise<void> {
  const { workingDirectory: workspace } = state.summary;
  const worktree = workspace === undefined ? undefined : await worktrees.find(fileURLToPath(workspace));
  if (!worktree) return;
  const { items } = await index.list({ filter: { workspace: workspace ?? '' }, limit: 2 }, space);
  // It stays as long as another one works there.
  if (items.some(({ resource }) => resource !== uri)) return;
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
  ];
  return parts.length === 0 ? undefined : `its worktree, on the branch ${branch}, has ${parts.join(' and ')}`;
}

/** Removes the worktree that a session worked in, unless another one does. The session stays gone when that fails. */
export async function releaseWorktree(
  { uri, space, state }: Pick<Session, 'uri' | 'space' | 'state'>,
  { index, worktrees, log }: Pick<SessionServices, 'index' | 'worktrees' | 'log'>,
  fate: WorktreeFate | undefined,
): Promise<void> {
  const { workingDirectory: workspace } = state.summary;
  if (workspace === undefined) return;
  try {
    const worktree = await worktrees.find(fileURLToPath(workspace));
    if (!worktree) return;
    const { items } = await index.list({ filter: { workspace }, limit: 1 }, space);
    if (items.length === 0) await worktrees.release(worktree, fate);
  } catch (error) {
    log.warn(`the worktree of ${uri} is kept: ${errorMessage(error)}`);
  }
}

/**
 * A session whose removal failed may still exist, but the object is closed: its subscribers have to reconnect. They are disconnected
 * after the answer, because the client that asked may be one of them.
 */
export function cutOffLater(session: Session, delivery: Delivery): void {
  const cutOff = () => session.cutOffSubscribers('the session could not be removed');
  setImmediate(() => void delivery.drained().then(cutOff));
}
