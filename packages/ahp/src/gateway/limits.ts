/** Limits of one gateway; beyond them the oldest is dropped, or the newest refused. */
export interface AhpLimits {
  /** Sockets at the same time. */
  readonly maxConnections: number;
  /** Maximum number of these with one token. */
  readonly maxConnectionsPerToken: number;
  /** Clients without a socket that may reconnect; the one that left first is dropped first. */
  readonly maxAwayClients: number;
  /** How long a client may reconnect to its state. */
  readonly awayMs: number;
  /** How long it counts as an active client of its sessions meanwhile. */
  readonly activeClientMs: number;
  readonly maxSubscriptions: number;
  /** Envelopes and characters that are kept for a reconnect; beyond either it gets snapshots. */
  readonly maxReplayEnvelopes: number;
  readonly maxReplayChars: number;
  /** Waiting actions of one session. */
  readonly maxWaitingActions: number;
  readonly maxDrafts: number;
  readonly maxDraftChars: number;
  readonly maxActiveClientsPerSession: number;
  readonly maxActiveClientChars: number;
  readonly maxConfigChars: number;
  /** Turns in a snapshot for a client that does not say how many it wants. */
  readonly maxSnapshotTurns: number;
  /** Live output of a tool is always sent whole, so not more often than this. */
  readonly toolOutputMs: number;
  /** How long the creation of a session waits for an agent whose settings nobody has seen yet. */
  readonly firstSettingsMs: number;
  /** How long a client that wants the changes of a session waits for git. */
  readonly changesMs: number;
  /** How long later envelopes wait after a reconnect while the client sends nothing. */
  readonly holdBackMs: number;
}

export const DEFAULT_AHP_LIMITS: AhpLimits = {
  maxConnections: 128,
  maxConnectionsPerToken: 64,
  maxAwayClients: 32,
  awayMs: 5 * 60_000,
  activeClientMs: 30_000,
  maxSubscriptions: 256,
  maxReplayEnvelopes: 1_000,
  maxReplayChars: 4_000_000,
  maxWaitingActions: 256,
  maxDrafts: 500,
  maxDraftChars: 64_000,
  maxActiveClientsPerSession: 32,
  maxActiveClientChars: 256_000,
  maxConfigChars: 64_000,
  maxSnapshotTurns: 1_000,
  toolOutputMs: 100,
  firstSettingsMs: 5_000,
  changesMs: 10_000,
  holdBackMs: 1_000,
};
