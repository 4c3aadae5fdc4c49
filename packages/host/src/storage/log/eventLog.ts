import type { ActionOrigin, SessionAction, URI } from '@agenthost/protocol';

/** The fields of every record. `n` counts from 1 without gaps within the session. */
export interface LogRecordBase {
  /** 2 for the first record of a session outside of the space `default`, which hosts without spaces must not show. */
  readonly v: number;
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
  /** Until a message follows, the session is in no list. */
  readonly provisional?: true;
  /** Absent for `default`. */
  readonly space?: string;
}

export interface ActionRecord extends LogRecordBase {
  readonly type: 'action';
  readonly serverSeq: number;
  /** Present when a run of text was merged into this record: the number of its first action. */
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

/** A record for `append`; the log adds the common fields. */
export type NewLogRecord = Unnumbered<LogRecord>;

/** A place between two records of a log: right after record `n`. It belongs to that log, in its state of that time. */
export interface LogPosition {
  /** 0 at the beginning. */
  readonly n: number;
  /** Number of lines before it. */
  readonly line: number;
  /** Where the line of record `n` starts. */
  readonly start: number;
  /** Number of bytes before it. */
  readonly end: number;
  /** The checksum of record `n`, as in its line. */
  readonly crc: string;
  /** CRC-32 of all bytes before it. */
  readonly sum: number;
}

/** A record that a reader outside of the host names: it may be wrong, and is compared with the log. */
export type LogAnchor = Pick<LogPosition, 'n' | 'start' | 'end' | 'crc'>;

export const LOG_BEGINNING: LogPosition = { n: 0, line: 0, start: 0, end: 0, crc: '', sum: 0 };

export interface LogEntry {
  readonly record: LogRecord;
  /** The place after it. */
  readonly position: LogPosition;
}

/** Where reading starts, with what is known of the lines before. */
export interface LoadFrom {
  readonly position: LogPosition;
  readonly broken: readonly BrokenLine[];
}

export interface DamageReport {
  /** What was cut off the end of the file. */
  readonly tornTail?: { readonly bytes: number };
  /** Numbers of unreadable lines, from 1. They stay in the file. */
  readonly broken: readonly BrokenLine[];
  /** The content is not what was stored, although every line is valid: another program changed it. */
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
 * - An existing log is loaded to its end before the first `append`.
 * - `append` only buffers; it never blocks and keeps its order. Its result grows with every call.
 * - `flush` resolves when everything appended so far is stored with the log's durability. It rejects when that failed; the
 *   records stay, in order, and are tried again later, unless `rollbackTo` removes them.
 * - Adjacent text for one part may be merged into one record, so there can be fewer records than appends.
 * - Every change of the file (a write, a cut, a repair) happens under the lock of `lockKey(path)`, and every load begins under it:
 *   between two changes, never within one. It continues without the lock, so that nothing waits for a reader, and yields what
 *   was stored when it began. `SessionStorage.list` uses the same lock.
 */
export interface EventLog {
  /** The stored records of known types. The first load finds and repairs damage; an unknown type is skipped and kept. */
  load(): AsyncIterable<LogRecord>;
  loadAll(): Promise<{ readonly records: LogRecord[]; readonly damage: DamageReport | undefined }>;
  /**
   * The same with their places, optionally from a place on. Throws `NOT_THERE` first when the log doesn't have that place: it was
   * cut, restored, replaced, or is damaged there.
   */
  entries(from?: LoadFrom): AsyncIterable<LogEntry>;
  /** The records between two places that can't be rolled back any more. Throws `ALTERED` when they aren't what was stored. */
  span(from: LogPosition, to: LogPosition): AsyncIterable<LogRecord>;
  /**
   * The records after one that somebody names, as far as they are written when it begins; damage is skipped and not reported. Throws
   * `NOT_THERE` first when the log has no such record there.
   */
  tail(after: LogAnchor | undefined): AsyncIterable<LogEntry>;
  /** The last record that is written; `undefined` while there is none. */
  readonly end: LogAnchor | undefined;
  /** Reads everything before a place that `entries` skipped. Damage is kept and reported as in a load. */
  check(upTo: LogPosition, options: CheckOptions): Promise<DamageReport | undefined>;
  /** `fields`: the JSON of an object with the fields beside `id`, `at` and `type`, if it was already made. */
  append(record: NewLogRecord, fields?: string): number;
  flush(): Promise<void>;
  /**
   * Rolls back everything that was appended after the append that returned `position`, written or not.
   * `false` when some of it was stored before the last two flushes and stays.
   */
  rollbackTo(position: number): boolean;
  /**
   * Cuts off everything after a place, for good; later appends come after it. Flushes before, and rejects like `flush`, or with
   * `NOT_THERE` when the log doesn't have that place. When it rejects, the log is unchanged.
   */
  truncate(to: LogPosition): Promise<void>;
  /**
   * Resolves with the place after everything appended so far, when it is stored and can't be rolled back any more; with
   * `undefined` when it was rolled back. It causes no write, so it may take until `close`.
   */
  mark(): Promise<LogPosition | undefined>;
  /** Number of stored bytes. */
  readonly size: number;
  /** The known damage, as far as the log was read. */
  readonly damage: DamageReport | undefined;
  readonly bufferedBytes: number;
  /** The buffer is over its bound: producers should await `drained()`. */
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
  /** The file is shorter than what was stored: another program changed it. */
  | 'SHRUNK'
  /** A read returned less than the whole file. */
  | 'INCOMPLETE'
  /** The file has bytes that would be lost if it were rewritten. */
  | 'DAMAGED'
  /** No line of the file can be read as a log line; it is left unchanged. */
  | 'UNREADABLE'
  /** The log doesn't have the place where reading should start. */
  | 'NOT_THERE'
  /** The content of the file isn't what was stored. */
  | 'ALTERED'
  | 'ROLLED_BACK';

/** `code` is one of the log's own, or that of the SessionFsFailure that is the cause. */
export class EventLogFailure extends Error {
  readonly code: EventLogFailureCode | (string & {});

  constructor(code: EventLogFailureCode | (string & {}), message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EventLogFailure';
    this.code = code;
  }
}
