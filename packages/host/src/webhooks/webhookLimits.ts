/** The limits of webhooks. */
export interface WebhookLimits {
  /** Sessions of one webhook that have events waiting; with one more it is disabled. */
  readonly waiting: number;
  /** Places in logs of sessions without waiting events that are remembered, for each webhook. */
  readonly places: number;
  /** Events of one session that are read from its log at once. */
  readonly page: number;
  /** Deliveries of one webhook on their way at the same time, each of another session. */
  readonly atOnce: number;
  /** How long a receiver may take for one event. */
  readonly timeoutMs: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** A webhook that could deliver nothing for so long is disabled. */
  readonly disableAfterMs: number;
  /** With a database: how often its webhooks and sessions are looked at, and how long a silent host keeps the deliveries. */
  readonly pollMs: number;
  readonly leaseMs: number;
}

export const DEFAULT_WEBHOOK_LIMITS: WebhookLimits = {
  waiting: 10_000,
  places: 1_000,
  page: 100,
  atOnce: 4,
  timeoutMs: 15_000,
  firstDelayMs: 1_000,
  maxDelayMs: 3_600_000,
  disableAfterMs: 5 * 24 * 3_600_000,
  pollMs: 1_000,
  leaseMs: 15_000,
};

export interface WebhookOptions {
  readonly limits?: Partial<WebhookLimits>;
}
