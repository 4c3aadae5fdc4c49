import type { Disposable } from '@agenthost/rpc';
import type { HostLog } from '../hostLog.js';
import type { AgentRegistry } from './agentRegistry.js';

export interface AgentSourceContext {
  readonly stateDir: string;
  /** The host's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly registry: AgentRegistry;
  readonly log: HostLog;
}

/**
 * Brings agents that are known only once the host has its state root.
 *
 * Contract:
 * - `start` registers what there is now; later it registers, removes and refreshes by itself. Who is disposed of stops that.
 * - It never rejects for what a user can get wrong: that goes to the log.
 */
export interface AgentSource {
  start(context: AgentSourceContext): Promise<Disposable>;
}
