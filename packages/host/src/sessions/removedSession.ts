import { fileURLToPath } from 'node:url';
import { errorMessage } from '@agenthost/protocol/internal';
import type { Delivery } from '../state/delivery.js';
import type { WorktreeFate } from '../work/worktrees.js';
import type { Session } from './session.js';
import type { SessionServices } from './sessionServices.js';

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
