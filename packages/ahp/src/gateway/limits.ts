/** What one gateway holds at the most; past it the oldest goes, or the newest is refused. */
export interface AhpLimits {
  /** Sockets at the same time. */
  readonly maxConnections: number;
  /** Of these, with one token. */
  readonly maxConnectionsPerToken: number;
  /** Clients that are gone and may come back; the one that has been gone longest goes first. */
  readonly maxAwayClients: number;
  /** How long a client that is gone may come back to what it had. */
  readonly awayMs: number;
  /** How long it counts as an active client of its sessions meanwhile. */
  readonly activeClientMs: number;
  readonly maxSubscriptions: number;
  /** Envelopes and characters that are kept for a client that comes back; past either it gets snapshots. */
  readonly maxReplayEnvelopes: number;
  readonly maxReplayChars: number;
  /** Actions of one session that wait for their turn. */
  readonly maxWaitingActions: number;
  readonly maxDrafts: number;
  readonly maxDraftChars: number;
  readonly maxActiveClientsPerSession: number;
  readonly maxActiveClientChars: number;
  readonly maxConfigChars: number;
  /** Turns in a snapshot for a client that does not say how many it wants. */
  readonly maxSnapshotTurns: number;
  /** Live output of a tool is sent whole each time, so not more often than this. */
  readonly toolOutputMs: number;
  /** How long a client that is back and says nothing waits for what comes after the answer. */
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
  holdBackMs: 1_000,
};
