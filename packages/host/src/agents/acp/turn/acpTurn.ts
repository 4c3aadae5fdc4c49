import type { FileChangeSummary } from '@agenthost/protocol';
import type { AgentEvent } from '../../agent.js';
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
  usage.beginTurn();
  const turn: AcpTurn = {
    aborted: new AbortController(),
    events,
    calls,
    updates,
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
