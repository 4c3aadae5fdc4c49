import type { AgentIcon, ModelInfo } from '@agenthost/protocol';
import type { AgentKeySupport } from '../agentLogin.js';
import type { AgentPackage } from '../install/agentPackage.js';

/** One agent that speaks the Agent Client Protocol: its names, how it is started, what to do when it can't be. */
export interface AcpAgentSpec {
  readonly provider: string;
  readonly displayName: string;
  readonly description: string;
  readonly icon?: AgentIcon;
  /** The program's name on PATH, or its absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** The package that installs the program. Its `bin` with the command's name is run. */
  readonly npm?: AgentPackage;
  readonly env: Readonly<Record<string, string>>;
  /** Variables of the host's environment that the agent gets, for example its API key. By default it gets none. */
  readonly passEnv: readonly string[];
  /** What to do when the agent needs a login and the host can't run one. */
  readonly login: string;
  /**
   * The agent's own programs that log in, log out, and end with 0 when somebody is logged in: a name and arguments. The name is the
   * agent's command, a program of its package or on PATH, or an absolute path.
   */
  readonly loginProgram?: readonly string[];
  readonly logoutProgram?: readonly string[];
  readonly statusProgram?: readonly string[];
  /** The agent's own program that deletes a conversation, where ACP has no way or a worse one. The id follows as its last argument. */
  readonly deleteProgram?: readonly string[];
  /** It finds the conversation only in the folder that it was begun in. Otherwise an empty folder is used, where nothing is obeyed. */
  readonly deletesInFolder?: boolean;
  /** Present when the host can keep a key for the agent. */
  readonly key?: AgentKeySupport;
  /** A method of the agent that logs in without a person, e.g. with a key from its environment. */
  readonly authMethod?: string;
  /** Models that are offered before a session has reported others. */
  readonly models: readonly Omit<ModelInfo, 'provider'>[];
  /** Files, and folders with a trailing `/`, that the agent reads by itself in the folder that it is started in. */
  readonly reads?: readonly string[];
  /** The agent silently drops MCP servers that are programs, against the protocol. */
  readonly refusesPrograms?: boolean;
  /** The agent reports tokens as totals of the session, not of the turn. */
  readonly countsTotals?: boolean;
  /** Another process can't open the copy of a session that the agent has made: its forks get the turns as text. */
  readonly keepsCopies?: boolean;
  /** Called before and after the agent resumes one of its conversations, to mend what it leaves behind. */
  readonly tidy?: (env: Readonly<Record<string, string>>, nativeSessionId: string) => Promise<void>;
  /** The first mode of its sessions. Without it, the agent's own default applies. */
  readonly mode?: string;
}
