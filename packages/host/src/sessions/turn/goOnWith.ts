import type { AgentTurn } from './agentTurn.js';
import type { OpenedAgent } from './openedAgent.js';
import type { TurnSink } from './turnSink.js';

interface GoOnOptions {
  readonly turn: AgentTurn;
  readonly agent: Pick<OpenedAgent, 'open' | 'close'>;
  readonly sink: Pick<TurnSink, 'leftTurn'>;
  /** Aborted when the session is closed. */
  readonly signal: AbortSignal;
  readonly failed: () => void;
}

/** Lets the agent go on with a turn of an earlier host. When it can't, what is left of the turn ends. */
export async function goOnWith({ turn, agent, sink, signal, failed }: GoOnOptions): Promise<void> {
  const isOver = () => turn.isCancelled || signal.aborted;
  const session = await agent.open();
  const left = isOver() ? undefined : await sink.leftTurn();
  const goesOn = left !== undefined && !isOver() && (await session.goOn?.(left)) === true;
  if (goesOn) {
    if (isOver()) await session.abort();
    return;
  }
  // Closing it ends its programs.
  await agent.close();
  if (!isOver()) failed();
  turn.settled.resolve();
}
