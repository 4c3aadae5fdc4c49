// Generated from the schemas by `npm run schemas`. Do not edit.

export type AgentAvailability = AvailableAgent | UnavailableAgent | InstallingAgent;

export interface AgentInfo {
  readonly provider: string;
  readonly displayName: string;
  readonly description: string;
  readonly models: readonly ModelInfo[];
  readonly supportsMultipleChats?: boolean;
  /** One of `AGENT_ICONS`. Without a name that the client knows, a default icon is shown. */
  readonly icon?: string;
  /** Input is run as it stands, and its output is the answer. */
  readonly runsInput?: boolean;
  readonly availability: AgentAvailability;
  /** Absent for an agent that needs no log-in, and from an older host. */
  readonly login?: AgentLogin;
}

export interface AgentKey {
  /** The variable in which the agent gets the key. */
  readonly variable: string;
  /** The host asks the vendor whether the key works before it keeps it. */
  readonly isChecked: boolean;
}

/** Whether an agent is logged in to its vendor. It holds no secret. Since version 2. */
export interface AgentLogin {
  /**
   * `ready`: a turn would work. `needed`: nobody has logged in. `expired`: there was a log-in, and it no longer works.
   * `unknown`: nothing has tried it yet.
   */
  readonly state: 'ready' | 'needed' | 'expired' | 'unknown';
  /**
   * Where the agent's credential comes from: its own log-in, a variable of the host's environment, a key that the host
   * keeps.
   */
  readonly source?: 'own' | 'environment' | 'key';
  /** Who is logged in, as the agent says it. */
  readonly account?: string;
  /** The agent's own program that logs in, for people. Present when `beginLogin` can run it. */
  readonly command?: string;
  /** Present when `setAgentKey` can keep a key for the agent. */
  readonly key?: AgentKey;
  /** Present when `logOutAgent` has something to do. */
  readonly canLogOut?: true;
}

export interface AvailableAgent {
  readonly state: 'available';
  readonly version?: string;
  /** Present when `updateAgent` can install this version in place of the installed one. Since version 2. */
  readonly newerVersion?: string;
}

export interface InstallableAgent {
  /** Approximate size on disk, in bytes. */
  readonly sizeHint?: number;
}

export interface InstallingAgent {
  readonly state: 'installing';
}

export interface ModelInfo {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly maxContextWindow?: number;
  readonly supportsVision?: boolean;
  readonly policyState?: string;
}

export interface RootState {
  readonly agents: readonly AgentInfo[];
}

export interface UnavailableAgent {
  readonly state: 'unavailable';
  readonly reason: string;
  readonly howToFix: string;
  /** Present when `installAgent` can install it. */
  readonly installable?: InstallableAgent;
}
