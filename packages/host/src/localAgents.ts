import { join } from 'node:path';
import { AcpAgents } from './agents/acp/acpAgents.js';
import { AgentRegistry } from './agents/agentRegistry.js';
import { CopilotAgent } from './agents/copilot/copilotAgent.js';
import { AGENTS_FOLDER } from './agents/install/agentInstall.js';
import { AgentLogins } from './agents/login/agentLogins.js';
import { silentLog } from './hostLog.js';

/** The agents of a state folder and their log-ins, without a host: for the command. */
export interface LocalAgents {
  readonly registry: AgentRegistry;
  readonly logins: AgentLogins;
  dispose(): Promise<void>;
}

export async function openLocalAgents(
  stateDir: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LocalAgents> {
  const registry = new AgentRegistry();
  registry.register(new CopilotAgent({ agentsFolder: join(stateDir, AGENTS_FOLDER), hostEnv: env }));
  const source = await new AcpAgents().start({ stateDir, env, registry, log: silentLog });
  return {
    registry,
    logins: new AgentLogins({ registry, stateDir }),
    async dispose() {
      source.dispose();
      await registry.dispose();
    },
  };
}
