export interface RootState {
  readonly agents: readonly AgentInfo[];
}

export interface AgentInfo {
  readonly provider: string;
  readonly displayName: string;
  readonly description: string;
  readonly models: readonly ModelInfo[];
  readonly supportsMultipleChats?: boolean;
  /** One of `AGENT_ICONS`. A name that a client doesn't know, or none, is shown as any agent is. */
  readonly icon?: string;
  /** What is sent to it is run as it stands, and what that prints is the answer. */
  readonly runsInput?: boolean;
  readonly availability: AgentAvailability;
}

export type AgentAvailability = AvailableAgent | UnavailableAgent | InstallingAgent;

export interface AvailableAgent {
  readonly state: 'available';
  readonly version?: string;
}

export interface UnavailableAgent {
  readonly state: 'unavailable';
  readonly reason: string;
  readonly howToFix: string;
  /** There when `installAgent` can bring it. */
  readonly installable?: InstallableAgent;
}

export interface InstallableAgent {
  /** Bytes on disk, about. */
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
