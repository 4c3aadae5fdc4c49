import type { SessionState } from '@agenthost/protocol';
import { Problem } from '../problem.js';
import { runningTurn, toldTurn, waiting } from './readSession.js';
import type { ToolCall } from './toolCall.js';

/** Below the minute after which many clients give up on a tool. */
const DEFAULT_SECONDS = 50;
/** Clients that get progress go on waiting. */
const PROGRESS_MS = 5_000;
const LOOKED_UP_TURNS = 50;

/** What can't end a turn, or ask something. There are many of these while an agent works. */
const NO_NEWS: ReadonlySet<string | undefined> = new Set([
  'session/delta',
  'session/reasoning',
  'session/responsePart',
  'session/toolUpdate',
  'session/usage',
  'session/activityChanged',
  'session/changesChanged',
  'session/clientsChanged',
  'session/metadataChanged',
  'session/titleChanged',
  'session/toolInput',
]);

/** Waits until a turn has ended, or its agent asks something, or the time is over. */
export async function waitForTurn(call: ToolCall): Promise<object> {
  const { client, session } = call;
  const turnId = call.arg<string | undefined>('turnId');
  const began = performance.now();
  const until = began + (call.arg<number | undefined>('seconds') ?? DEFAULT_SECONDS) * 1_000;
  for (;;) {
    const state = await call.stateOf(session);
    const found = await outcome(call, state, turnId);
    if (found) return found;
    for (;;) {
      const left = until - performance.now();
      if (left <= 0) return stillRuns(state);
      await call.options.progress(`${Math.round((performance.now() - began) / 1_000)} s: the turn still runs`);
      if (await client.news(Math.min(left, PROGRESS_MS), NO_NEWS)) break;
    }
  }
}

async function outcome(call: ToolCall, state: SessionState, turnId: string | undefined): Promise<object | undefined> {
  const { activeTurn, turns, queuedMessages = [], lifecycle, summary } = state;
  const isRunning = turnId === undefined ? activeTurn !== undefined : activeTurn?.id === turnId;
  if (isRunning && summary.status === 'inputNeeded')
    return { status: 'inputNeeded', ...waiting(state), turn: runningTurn(state) };
  if (isRunning) return undefined;
  if (turnId === undefined) {
    const isOver = lifecycle === 'creationFailed' || (lifecycle === 'ready' && queuedMessages.length === 0);
    const last = turns.at(-1);
    // A queue can be held: then nothing goes on by itself.
    if (!isOver && !last?.holdsQueue) return undefined;
    return { status: last ? 'ended' : 'idle', ...waiting(state), ...(last && { turn: toldTurn(last) }) };
  }
  const last = turns.at(-1);
  const turn = last?.id === turnId ? last : await lookUp(call, turnId);
  return { status: 'ended', ...waiting(state), turn: toldTurn(turn) };
}

async function lookUp({ client, session }: ToolCall, turnId: string) {
  const { turns } = await client.request('fetchTurns', { session, range: { limit: LOOKED_UP_TURNS } });
  const turn = turns.find(({ id }) => id === turnId);
  if (turn) return turn;
  throw new Problem(404, 'turnNotFound', 'This is none of the newest turns of the session.', {
    whatToDo: 'Leave turnId out to wait until the session has nothing to do.',
  });
}

function stillRuns(state: SessionState): object {
  return {
    status: 'running',
    ...waiting(state),
    whatToDo: 'Call wait_for_turn again to go on waiting, or cancel the turn.',
    turn: runningTurn(state),
  };
}
