import { setImmediate } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type DisposeSessionParams, ERROR_CODE, type Role, type SessionSummary, type URI } from '@agenthost/protocol';
import { errorMessage, roleRefusal } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { Delivery } from '../state/delivery.js';
import type { SessionWorktree } from '../work/worktrees/isolation.js';
import type { UnmergedWork, WorktreeFate } from '../work/worktrees/worktrees.js';
import type { Session } from './session.js';
import type { SessionParts } from './sessionParts.js';
import type { SessionServices } from './sessionServices.js';
import type { AgentRun } from './turn/agentRun.js';

/** How long an agent may take to delete a conversation. */
const DELETION_MS = 90_000;

/** What becomes of what is not in the session's folder. */
export type SessionRemoval = Pick<DisposeSessionParams, 'worktree' | 'agentCopy'>;

/**
 * Conversations in the stores of agents are the owner's: they may have been begun in a terminal (ADR 153).
 *
 * @throws {RpcError}
 */
export function checkRemoval(role: Role, { agentCopy }: SessionRemoval): void {
  const refusal = agentCopy === 'delete' ? roleRefusal(role, 'owner') : undefined;
  if (refusal !== undefined) throw new RpcError(ERROR_CODE.permissionDenied, refusal);
}

/**
 * Does what has to be done before a session is removed, or says no.
 *
 * @throws {RpcError}
 */
export async function beforeRemoval(
  session: Session,
  { worktree, agentCopy }: SessionRemoval,
  services: Pick<SessionServices, 'index' | 'worktrees'>,
): Promise<void> {
  if (worktree === 'ask') await refuseUnmerged(session, services);
  if (agentCopy === 'delete') await session.deleteAgentCopy();
}

const AT_ONCE = 500;

/**
 * Says no to a removal when the session's worktree has work that nothing else has: somebody has to say first what becomes of it.
 *
 * @throws {RpcError}
 */
async function refuseUnmerged(
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

interface AgentCopy {
  readonly session: Session;
  readonly parts: Pick<SessionParts, 'start' | 'agent' | 'workspaceYaml' | 'customizations'>;
  readonly services: Pick<SessionServices, 'agentEnv'>;
  readonly run: AgentRun | undefined;
}

/** Deletes the conversation in the store of the session's agent. It rejects with why it is kept, and the session goes on as it was. */
export function agentCopyRemoval({ session, parts, services, run }: AgentCopy): () => Promise<void> {
  const { start, agent, workspaceYaml, customizations } = parts;
  const remove = async () => {
    const { nativeSessionId } = workspaceYaml;
    if (nativeSessionId === undefined || !agent?.deleteConversation) return;
    await customizations?.refresh();
    await agent.deleteConversation({
      sessionId: start.sessionId,
      nativeSessionId,
      ...(customizations?.mustAsk !== true && { cwd: session.directory() }),
      env: services.agentEnv,
      signal: AbortSignal.timeout(DELETION_MS),
    });
    // A message that came meanwhile would begin another conversation there.
    await run?.dispose();
    workspaceYaml.forgetNativeSessionId();
    await workspaceYaml.settled();
  };
  return async () => {
    if (session.awayAt !== undefined) throw copyKept(`The session is on ${session.awayAt}.`);
    // Nothing was said: what the agent may have begun has no words.
    if (session.state.turns.length === 0 && !session.state.activeTurn) return;
    if (!session.isAtRest) throw copyKept('A turn runs. Stop it, or wait for its end.');
    if (!run) throw copyKept(`This host has no agent ${start.provider} any more.`);
    await run.apart(remove).catch((error: unknown) => Promise.reject(copyKept(errorMessage(error), error)));
  };
}

function copyKept(why: string, cause?: unknown): RpcError {
  const whatToDo = 'Delete the session without the copy of its agent, or delete that copy in a terminal first.';
  const data = { code: 'agentCopyKept', whatToDo };
  const message = `the conversation in the agent's own store is kept, and so is the session: ${why}`;
  return new RpcError(ERROR_CODE.invalidRequest, message, { data, cause });
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
