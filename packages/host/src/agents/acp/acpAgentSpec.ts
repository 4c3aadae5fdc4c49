import type { AgentIcon, ModelInfo } from '@agenthost/protocol';
import type { AgentPackage } from '../install/agentPackage.js';

/** One agent that speaks the Agent Client Protocol: what it is called, how it is started, what to do when it can't. */
export interface AcpAgentSpec {
  readonly provider: string;
  readonly displayName: string;
  readonly description: string;
  readonly icon?: AgentIcon;
  /** The program's name on PATH, or its absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** Where the program comes from when it is not there. Its `bin` of the command's name is run. */
  readonly npm?: AgentPackage;
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the host's own environment that it gets: its API key, say. None unless the user says so. */
  readonly passEnv: readonly string[];
  /** What to do when it says that nobody is logged in. */
  readonly login: string;
  /** A method of the agent's own that logs in without a person, e.g. with a key from its environment. */
  readonly authMethod?: string;
  /** Offered before any session told of others. */
  readonly models: readonly Omit<ModelInfo, 'provider'>[];
  /** Files, and folders with a `/` at their end, that it reads by itself in the folder that it is started in. */
  readonly reads?: readonly string[];
  /** It drops MCP servers that are programs without a word, against the protocol. */
  readonly refusesPrograms?: boolean;
  /** It reports tokens as totals of the session, not of the turn. */
  readonly countsTotals?: boolean;
  /** The mode that its sessions start in; the agent's own default without it. */
  readonly mode?: string;
}
