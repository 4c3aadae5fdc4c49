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
 * Registers agents that are known only when the host has its state root.
 *
 * Contract:
 * - `start` registers the agents that exist now; later it registers, removes and refreshes them by itself, until it is disposed.
 * - It never rejects for a user's mistake: that goes to the log.
 */
export interface AgentSource {
  start(context: AgentSourceContext): Promise<Disposable>;
}
