import type { AgentAvailability, AgentLogin } from '@agenthost/protocol';
import type { AgentPackage } from '../install/agentPackage.js';
import { AcpAgent } from './acpAgent.js';
import { readAgentSpecs } from './agentsFile.js';
import { CATALOGUE } from './catalogue.js';

/** Describes an agent without a host, for the command that lists agents. */
export interface AcpAgentReport {
  readonly provider: string;
  readonly displayName: string;
  readonly availability: AgentAvailability;
  /** The program, if there is one. */
  readonly path?: string;
  readonly from?: 'installed' | 'path' | 'command';
  readonly npm?: AgentPackage;
  /** Only a host knows more than what is configured. */
  readonly login?: AgentLogin;
  /** The names of the models that it offered last. */
  readonly models?: readonly string[];
}

/** Rejects with an AgentsFileError when the user's file is wrong. */
export async function reportAcpAgents(
  stateDir: string,
  hostEnv: Readonly<Record<string, string | undefined>>,
): Promise<AcpAgentReport[]> {
  const specs = await readAgentSpecs(stateDir, CATALOGUE);
  return Promise.all(
    specs.map(async (spec): Promise<AcpAgentReport> => {
      const agent = new AcpAgent({ spec, stateDir, hostEnv });
      const [availability, found] = [await agent.availability(), await agent.findProgram()];
      const login: AgentLogin | undefined = found && { ...(await agent.login.facts()), state: 'unknown' };
      const models = (await agent.listModels()).map(({ name }) => name);
      return {
        provider: spec.provider,
        displayName: spec.displayName,
        availability,
        ...(found && { path: found.script ?? found.path, from: found.from }),
        ...(spec.npm && { npm: spec.npm }),
        ...(login && { login }),
        ...(models.length > 0 && { models }),
      };
    }),
  );
}
