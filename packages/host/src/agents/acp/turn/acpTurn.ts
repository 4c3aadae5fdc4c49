import type { FileChangeSummary, UserMessage } from '@agenthost/protocol';
import type { AgentEvent } from '../../agent.js';
import type { AcpConnection } from '../acpConnection.js';
import { promptBlocks } from './contentBlocks.js';
import { type FollowedTerminal, ToolCalls } from './toolCalls.js';
import { TurnEvents } from './turnEvents.js';
import { TurnUpdates } from './turnUpdates.js';
import type { UsageMeter } from './usageMeter.js';

/** One turn of an agent's session. */
export interface AcpTurn {
  readonly aborted: AbortController;
  readonly events: TurnEvents;
  readonly calls: ToolCalls;
  readonly updates: TurnUpdates;
  /** Resolves when the agent has its message, or never will get it. Before that it can't be steered. */
  readonly prompted: PromiseWithResolvers<void>;
  heard(): void;
  done: Promise<void>;
  /** Number of open questions. */
  asking: number;
  /** Called when the last of them is answered. */
  onAnswered(): void;
  /** For a turn that the agent began: ends it. */
  own: PromiseWithResolvers<void> | undefined;
}

export interface AcpTurnOptions {
  readonly cwd: string;
  readonly agentName: string;
  readonly usage: UsageMeter;
  /** Emits only while the turn is the session's current one. */
  emit(turn: AcpTurn, event: AgentEvent): void;
  changed(changes: readonly FileChangeSummary[]): readonly AgentEvent[];
  followTerminal(terminalId: string, onOutput: (output: string) => void): FollowedTerminal | undefined;
  modeName(id: string): string;
}

export function newAcpTurn({ emit, modeName, usage, ...options }: AcpTurnOptions): AcpTurn {
  const events = new TurnEvents((event) => emit(turn, event));
  const calls = new ToolCalls({ ...options, events });
  const { agentName } = options;
  const updates = new TurnUpdates({ agentName, calls, usage, emit: (event) => events.emit(event), modeName });
  const aborted = new AbortController();
  const prompted = Promise.withResolvers<void>();
  aborted.signal.addEventListener('abort', () => prompted.resolve(), { once: true });
  usage.beginTurn();
  const turn: AcpTurn = {
    aborted,
    events,
    calls,
    updates,
    prompted,
    heard: () => {},
    done: Promise.resolve(),
    asking: 0,
    onAnswered: () => {},
    own: undefined,
  };
  return turn;
}

/** A question that arrives just when the agent ended its turn keeps the turn open; otherwise no client would see it. */
export async function untilAnswered(turn: AcpTurn): Promise<void> {
  const { signal } = turn.aborted;
  if (turn.asking === 0 || signal.aborted) return;
  await new Promise<void>((resolve) => {
    turn.onAnswered = resolve;
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Puts a message into the running turn; rejects when the agent does not take it. */
export async function steerTurn(
  turn: AcpTurn | undefined,
  current: () => AcpConnection | undefined,
  message: UserMessage,
): Promise<void> {
  await turn?.prompted.promise;
  const connection = current();
  if (!connection || connection.hasFailed || !turn || turn.aborted.signal.aborted)
    throw new Error('no turn is running');
  const { blocks, leftOut } = promptBlocks(message, connection.promptCapabilities);
  await connection.steer(blocks);
  turn.heard();
  for (const text of leftOut) turn.events.emit({ type: 'notice', text, severity: 'warning' });
}
