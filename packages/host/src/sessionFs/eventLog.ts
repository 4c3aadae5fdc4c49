import type { ActionOrigin, SessionAction, URI } from '@agenthost/protocol';

/** What every record has. `n` counts from 1 without gaps within the session. */
export interface LogRecordBase {
  readonly v: 1;
  readonly n: number;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The first record. */
export interface SessionStartRecord extends LogRecordBase {
  readonly type: 'session.start';
  readonly sessionId: string;
  readonly provider: string;
  readonly cwd: string;
  readonly versions: { readonly log: 1; readonly protocol: number };
  readonly createdAt: number;
  readonly title?: string;
  readonly model?: string;
  readonly workingDirectory?: URI;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface ActionRecord extends LogRecordBase {
  readonly type: 'action';
  readonly serverSeq: number;
  /** Present when a run of text was merged into this record: the number of the first of its actions. */
  readonly firstSeq?: number;
  readonly origin?: ActionOrigin;
  readonly action: SessionAction;
}

export interface CheckpointRecord extends LogRecordBase {
  readonly type: 'session.checkpoint';
  readonly path: string;
}

export interface InfoRecord extends LogRecordBase {
  readonly type: 'session.info';
  readonly kind: string;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export type LogRecord = SessionStartRecord | ActionRecord | CheckpointRecord | InfoRecord;

type Unnumbered<T> = T extends LogRecord
  ? Omit<T, keyof LogRecordBase | 'firstSeq'> & { readonly id?: string; readonly at?: number }
  : never;

/** A record as it is handed to `append`; the log gives it what every record has. */
export type NewLogRecord = Unnumbered<LogRecord>;

export interface DamageReport {
  /** What was cut off the end of the file. */
  readonly tornTail?: { readonly bytes: number };
  /** Lines that could not be read whole, counted from 1. They stay in the file. */
  readonly broken: readonly BrokenLine[];
  /** Whether a copy of the damaged bytes is in the `.corrupt` file and the end of the log is clean; if not, the next write tries again. */
  readonly repaired: boolean;
}

export interface BrokenLine {
  readonly line: number;
  readonly reason: string;
}

/**
 * The truth of a session: what happened, in order.
 *
 * Contract:
 * - A log that exists is loaded to its end before the first `append`.
 * - `append` only buffers; it never blocks and never loses its place. What it returns grows with every call.
 * - `flush` resolves when everything appended so far is stored as the log's durability asks. It rejects when that failed; the
 *   records stay, in order, and are tried again later, unless `rollbackTo` takes them back.
 * - Adjacent text for one part may be merged into one record, so there can be fewer records than appends.
 */
export interface EventLog {
  /** The records of known types that are stored. The first time it finds and repairs damage; an unknown type is skipped, and kept. */
  load(): AsyncIterable<LogRecord>;
  loadAll(): Promise<{ readonly records: LogRecord[]; readonly damage: DamageReport | undefined }>;
  append(record: NewLogRecord): number;
  flush(): Promise<void>;
  /**
   * Takes back everything that was appended after the append that returned `position`, whether it was written meanwhile or not.
   * `false` when some of it has been stored for too long (before the last two flushes) and stays.
   */
  rollbackTo(position: number): boolean;
  readonly bufferedBytes: number;
  /** The buffer is over its bound: whoever produces should await `drained()`. */
  readonly isFull: boolean;
  /** Resolves at once unless `isFull`, else when the buffer has been written. Rejects like `flush`. */
  drained(): Promise<void>;
  /** Flushes; afterwards `append` throws. When it rejects, it can be called again. */
  close(): Promise<void>;
}

export type EventLogFailureCode =
  /** Written by a newer agenthost. */
  | 'NEWER_VERSION'
  | 'NO_STATE_PATH'
  | 'CLOSED'
  | 'NOT_LOADED'
  | 'TOO_LARGE'
  /** The file is shorter than what was stored in it: somebody else changed it. */
  | 'SHRUNK'
  | 'ROLLED_BACK';

/** `code` is one of the log's own, or that of the SessionFsFailure which is the cause. */
export class EventLogFailure extends Error {
  readonly code: EventLogFailureCode | (string & {});

  constructor(code: EventLogFailureCode | (string & {}), message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EventLogFailure';
    this.code = code;
  }
}
