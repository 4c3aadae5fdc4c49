import { join } from 'node:path';
import type { Agent } from './agents/agent.js';
import { AgentRegistry } from './agents/agentRegistry.js';
import { AGENTS_FOLDER } from './agents/install/agentInstall.js';
import { guardAgent } from './agents/native/nativeGuard.js';
import { NativeLinks } from './agents/native/nativeLinks.js';
import { NativeSessions } from './agents/native/nativeSessions.js';
import { nativeStores } from './agents/native/nativeStores.js';
import { agentEnvironment } from './agents/orphans/agentEnvironment.js';
import type { HostLog } from './hostLog.js';
import type { HostOptions } from './hostOptions.js';

/** Which conversations in the stores of agents belong to which sessions. */
export const NATIVE_LINKS_FILE = 'nativeSessions.jsonl';

interface HostAgents {
  readonly agents: AgentRegistry;
  /** Conversations from terminals; absent where the host doesn't look for them. */
  readonly native: NativeSessions | undefined;
}

/** The registry with the agents that a host is started with, and the conversations that they keep by themselves. */
export function openAgents(options: HostOptions, stateDir: string, log: HostLog): HostAgents {
  const onError = (error: unknown, provider: string) => log.error(`the agent ${provider} failed`, error);
  const wanted = options.nativeSessions === true && options.database === undefined;
  // Where agents that the host starts look for them.
  const stores = wanted ? nativeStores(agentEnvironment(options.env ?? process.env)) : [];
  const links = new NativeLinks(join(stateDir, AGENTS_FOLDER, NATIVE_LINKS_FILE), (error) =>
    log.error('what belongs to which session of a terminal could not be stored', error),
  );
  const parts = { stores, links, now: options.now ?? Date.now };
  const agents = new AgentRegistry({ onError, wrap: (agent: Agent) => guardAgent(agent, parts) });
  for (const agent of options.agents) agents.register(agent);
  return { agents, native: stores.length > 0 ? new NativeSessions(parts) : undefined };
}
