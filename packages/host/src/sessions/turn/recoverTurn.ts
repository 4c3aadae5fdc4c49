import type { ActiveTurn } from '@agenthost/protocol';
import type { Agent } from '../../agents/agent.js';
import type { SessionRunner } from '../../agents/runner/sessionRunner.js';
import type { SessionStore } from '../sessionStore.js';
import type { AgentRun } from './agentRun.js';

const INTERRUPTED = 'The host restarted during this turn. What was said so far is kept; send a message to go on.';

interface RecoveredParts {
  readonly store: SessionStore;
  readonly runner: SessionRunner | undefined;
  readonly agent: Agent | undefined;
}

/** A turn was running when the host ended. It goes on where a runner kept its agent; else it ended with the host. */
export function recoverTurn(
  { store, runner, agent }: RecoveredParts,
  run: AgentRun | undefined,
  turn: ActiveTurn,
): void {
  const interrupted = (message: string) => {
    const error = { errorType: 'interrupted', message };
    store.dispatch({ type: 'session/error', turnId: turn.id, error });
  };
  if (run && agent?.outlivesHost && runner?.hasBeenThere && turn.origin !== 'agent') {
    runner.claim();
    run.goOn(turn, () => interrupted(INTERRUPTED));
  } else interrupted(runner?.whyNothing ?? INTERRUPTED);
}
