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
}

export interface AvailableAgent {
  readonly state: 'available';
  readonly version?: string;
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
