/** What is known of a request that came with an `Idempotency-Key`. */
export interface KeyRecord {
  /** Tells the request from any other one. */
  readonly fingerprint: string;
  /** When it came, in milliseconds since 1970. */
  readonly at: number;
  /** The run of the host that carries it out. */
  readonly by: string;
  /** Absent until it was carried out, and where that host was killed meanwhile. */
  readonly answer?: KeptAnswer;
}

export interface KeptAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** How many keys are kept, and for how long; beyond that the oldest are forgotten. */
export const MAX_KEYS = 10_000;
export const KEY_MS = 24 * 60 * 60 * 1_000;

/** Keeps the keys across restarts. Each promise resolves when what it did is stored. */
export interface KeyStore {
  /** Other hosts use it too. */
  readonly isShared: boolean;
  /** Stores the record unless there is one with this id, which is the result then. */
  claim(id: string, record: KeyRecord): Promise<KeyRecord | undefined>;
  /** Replaces the record. */
  put(id: string, record: KeyRecord): Promise<void>;
  remove(id: string): Promise<void>;
}
