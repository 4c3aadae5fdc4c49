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
  /** As long as no message follows, nobody is told of the session. */
  readonly provisional?: true;
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

/** A place between two records of a log: right after record `n`. It belongs to that log alone, as it was then. */
export interface LogPosition {
  /** 0 at the beginning. */
  readonly n: number;
  /** How many lines are before it. */
  readonly line: number;
  /** Where the line of record `n` starts. */
  readonly start: number;
  /** How many bytes are before it. */
  readonly end: number;
  /** The checksum of record `n`, as it stands in its line. */
  readonly crc: string;
  /** CRC-32 of all bytes before it. */
  readonly sum: number;
}

export const LOG_BEGINNING: LogPosition = { n: 0, line: 0, start: 0, end: 0, crc: '', sum: 0 };

export interface LogEntry {
  readonly record: LogRecord;
  /** The place after it. */
  readonly position: LogPosition;
}

/** From where on a log is read, with what is known of the lines before. */
export interface LoadFrom {
  readonly position: LogPosition;
  readonly broken: readonly BrokenLine[];
}

export interface DamageReport {
  /** What was cut off the end of the file. */
  readonly tornTail?: { readonly bytes: number };
  /** Lines that could not be read whole, counted from 1. They stay in the file. */
  readonly broken: readonly BrokenLine[];
  /** What is there is not what was stored, though every line of it is whole: somebody else changed it. */
  readonly altered?: true;
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
 * - Every change of the file (a write, a cut, a repair) is made under the lock of `lockKey(path)`, and so every load begins:
 *   between two changes, never within one. It goes on without the lock, so that nobody waits for a reader, and gives what was
 *   stored when it began. `SessionStorage.list` asks under the same lock.
 */
export interface EventLog {
  /** The records of known types that are stored. The first time it finds and repairs damage; an unknown type is skipped, and kept. */
  load(): AsyncIterable<LogRecord>;
  loadAll(): Promise<{ readonly records: LogRecord[]; readonly damage: DamageReport | undefined }>;
  /**
   * The same with their places, also from a place on. Throws `NOT_THERE`, before anything else, when the log doesn't have
   * that place: it was cut, restored, replaced, or is damaged there.
   */
  entries(from?: LoadFrom): AsyncIterable<LogEntry>;
  /** The records between two places that can't be taken back any more. Throws `ALTERED` when they aren't what was stored. */
  span(from: LogPosition, to: LogPosition): AsyncIterable<LogRecord>;
  /** Reads everything before a place that `entries` passed over. What is wrong is kept and reported as in a load. */
  check(upTo: LogPosition, options: CheckOptions): Promise<DamageReport | undefined>;
  /** `fields`: the JSON of an object with what the record has beside `id`, `at` and `type`, where somebody made it already. */
  append(record: NewLogRecord, fields?: string): number;
  flush(): Promise<void>;
  /**
   * Takes back everything that was appended after the append that returned `position`, whether it was written meanwhile or not.
   * `false` when some of it has been stored for too long (before the last two flushes) and stays.
   */
  rollbackTo(position: number): boolean;
  /**
   * Cuts off everything after a place, for good; what is appended meanwhile comes after it. Flushes before, and rejects like
   * `flush`; with `NOT_THERE` when the log doesn't have that place. When it rejects, the log is as it was.
   */
  truncate(to: LogPosition): Promise<void>;
  /**
   * Resolves with the place after everything that was appended so far, when it is stored and can't be taken back any more;
   * with `undefined` when it was taken back. Nothing is written for it alone, so it may take until `close`.
   */
  mark(): Promise<LogPosition | undefined>;
  /** How many bytes are stored. */
  readonly size: number;
  /** What is wrong, as far as anybody has read. */
  readonly damage: DamageReport | undefined;
  readonly bufferedBytes: number;
  /** The buffer is over its bound: whoever produces should await `drained()`. */
  readonly isFull: boolean;
  /** Resolves at once unless `isFull`, else when the buffer has been written. Rejects like `flush`. */
  drained(): Promise<void>;
  /** Flushes; afterwards `append` throws. When it rejects, it can be called again. */
  close(): Promise<void>;
}

export interface CheckOptions {
  readonly signal: AbortSignal;
  /** Awaited between two pieces. */
  readonly pause: () => Promise<void>;
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
  /** Less than the whole file came when it was read. */
  | 'INCOMPLETE'
  /** There are bytes in the file that would be lost if it was written anew. */
  | 'DAMAGED'
  /** No line of the file can be read as one of a log; it is left as it is. */
  | 'UNREADABLE'
  /** The log doesn't have the place that it was to be read from. */
  | 'NOT_THERE'
  /** What is in the file isn't what was stored. */
  | 'ALTERED'
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
