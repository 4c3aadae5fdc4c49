/** The limits of push notifications. */
export interface PushLimits {
  /** Subscriptions of one token; with one more, its oldest is removed. */
  readonly perToken: number;
  /** Subscriptions of all tokens; one more is refused. */
  readonly total: number;
  /** Messages that wait for one device; with one more, the oldest is dropped. */
  readonly waiting: number;
  /** Changes of sessions that wait until it is decided who is told; more are not told. */
  readonly changes: number;
  /** Questions of which the host remembers who was told; the oldest are forgotten. */
  readonly questions: number;
  /** How often one message is sent before it is dropped. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** The least time between two messages to one device. */
  readonly gapMs: number;
  /** How long a push service may take for one message. */
  readonly timeoutMs: number;
  /** Messages on their way at the same time: of all, to one push service, of one token. */
  readonly atOnce: number;
  readonly atOncePerService: number;
  readonly atOncePerToken: number;
}

export const DEFAULT_PUSH_LIMITS: PushLimits = {
  perToken: 10,
  total: 500,
  waiting: 20,
  changes: 1_000,
  questions: 10_000,
  attempts: 5,
  firstDelayMs: 5_000,
  maxDelayMs: 600_000,
  gapMs: 500,
  timeoutMs: 10_000,
  atOnce: 64,
  atOncePerService: 16,
  atOncePerToken: 4,
};

export interface PushOptions {
  readonly limits?: Partial<PushLimits>;
  /** Push services may also be on this machine, without TLS. For tests: otherwise a device could have the host call local programs. */
  readonly allowLoopback?: boolean;
}
