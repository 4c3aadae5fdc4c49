import type { AgentEventMapper } from '../../agents/events/agentEventMapper.js';
import type { DeltaGatherer } from '../../agents/events/deltaGatherer.js';
import type { SteeringGate } from './steeringGate.js';

/** A turn while its agent works on it. */
export interface AgentTurn {
  readonly id: string;
  readonly mapper: AgentEventMapper;
  readonly gatherer: DeltaGatherer;
  readonly gate: SteeringGate;
  /** Resolves when the agent is idle or was ended. */
  readonly settled: PromiseWithResolvers<void>;
  /** Resolves when the agent has its message, or never will get it. Before that it can't be steered. */
  readonly sent: PromiseWithResolvers<void>;
  isCancelled: boolean;
  /** Code units of text and reasoning so far. */
  written: number;
  /** Set until the agent is opened. A cancel in this phase aborts only this. */
  preparing: AbortController | undefined;
  /** How often the agent had refused a mode when the turn began. */
  readonly modeRefusals: number;
}
