import { KeyedLock } from '../fs/keyedLock.js';
import { ProviderFailure } from '../fs/providerFailure.js';
import type { SessionFs } from '../fs/sessionFs.js';
import {
  type BrokenLine,
  type CheckOptions,
  type DamageReport,
  type EventLog,
  EventLogFailure,
  LOG_BEGINNING,
  type LoadFrom,
  type LogAnchor,
  type LogEntry,
  type LogPosition,
  type LogRecord,
  type NewLogRecord,
  type SessionStartRecord,
} from './eventLog.js';
import { LogFile } from './logFile.js';
import { LogReader, sizeOf } from './logReader.js';
import { MAX_BROKEN_LINES } from './logScanner.js';
import { LogWriter } from './logWriter.js';
import { recordIds } from './recordIds.js';

export type Durability = 'write' | 'fsync';

export interface JsonlEventLogOptions {
  readonly fs: SessionFs;
  /** `fsync`: stored means that it survives a power cut, if the file system can promise that. */
  readonly durability?: Durability;
  /** How long text may wait for more before it is written. */
  readonly debounceMs?: number;
  /** How long after a failure to retry records that no flush waits for. */
  readonly retryMs?: number;
  readonly maxBufferedBytes?: number;
  /** Shared by all logs of the same file. */
  readonly lock?: KeyedLock;
  /** A new log that gets its name only when it is closed and complete. */
  readonly isDraft?: boolean;
  readonly now?: () => number;
  readonly newId?: () => string;
  readonly onDamage?: (damage: DamageReport) => void;
  readonly onWriteFailed?: (error: EventLogFailure) => void;
  /** Recovers the first record when the first line is damaged. */
  readonly readStart?: () => Promise<SessionStartRecord | undefined>;
}

export const LOG_FILE = 'events.jsonl';

const FROM_BEGINNING: LoadFrom = { position: LOG_BEGINNING, broken: [] };

/**
 * The event log of a session as a file of lines, each with a checksum.
 *
 * @example
 * ```ts
 * declare const fs: SessionFs;
 *
 * const log = await JsonlEventLog.open({ fs });
 * for await (const record of log.load()) console.log(record.type);
 * await log.close();
 * ```
 */
export class JsonlEventLog implements EventLog {
  readonly #options: JsonlEventLogOptions;
  readonly #path: string;
  readonly #file: LogFile;
  readonly #reader: LogReader;
  readonly #writer: LogWriter;
  #state: 'unloaded' | 'open' | 'closed';
  #damage: DamageReport | undefined;

  /** Reads nothing: an existing log has to be loaded before anything is appended. */
  static async open(options: JsonlEventLogOptions): Promise<JsonlEventLog> {
    const { fs, isDraft } = options;
    const path = logPath(fs);
    if (isDraft) await fs.rm(draftOf(path), { force: true });
    const size = isDraft ? 0 : await sizeOf(fs, path);
    if (size === 0) await fs.mkdir(fs.sessionStatePath ?? '', { recursive: true });
    return new JsonlEventLog(options, path, size === 0 ? 'open' : 'unloaded');
  }

  private constructor(options: JsonlEventLogOptions, path: string, state: 'unloaded' | 'open') {
    const { fs, isDraft, lock = new KeyedLock() } = options;
    const lockKey = fs.lockKey(path);
    this.#options = options;
    this.#path = path;
    this.#state = state;
    this.#file = new LogFile(fs, isDraft ? draftOf(path) : path, { sync: options.durability === 'fsync' });
    this.#reader = new LogReader({ fs, file: this.#file, lock, lockKey });
    this.#writer = new LogWriter({
      file: this.#file,
      lock,
      lockKey,
      debounceMs: options.debounceMs ?? 20,
      retryMs: options.retryMs ?? 1_000,
      maxBufferedBytes: options.maxBufferedBytes ?? 8 * 1024 * 1024,
      now: options.now ?? Date.now,
      newId: options.newId ?? recordIds(),
      onWriteFailed: (error) => options.onWriteFailed?.(error),
    });
  }

  /** The number of the last record in the file. */
  get lastN(): number {
    return this.#writer.end.n;
  }

  get size(): number {
    return this.#writer.end.end;
  }

  get damage(): DamageReport | undefined {
    return this.#damage;
  }

  get bufferedBytes(): number {
    return this.#writer.bufferedBytes;
  }

  get isFull(): boolean {
    return this.#writer.isFull;
  }

  async *load(): AsyncGenerator<LogRecord> {
    for await (const { record } of this.entries()) yield record;
  }

  async loadAll(): Promise<{ readonly records: LogRecord[]; readonly damage: DamageReport | undefined }> {
    const records: LogRecord[] = [];
    for await (const record of this.load()) records.push(record);
    return { records, damage: this.#damage };
  }

  async *entries(from: LoadFrom = FROM_BEGINNING): AsyncGenerator<LogEntry> {
    let isBegun = from.position.n > 0;
    for await (const entry of this.#storedEntries(from)) {
      if (!isBegun && entry.record.type !== 'session.start') yield* this.#startEntry(true);
      isBegun = true;
      yield entry;
    }
    // The log is new, or none of its lines could be read.
    if (!isBegun) yield* this.#startEntry(this.#damage !== undefined);
  }

  /** Yields the recovered first record. Its position is the beginning, so that a reader that resumes there gets it again. */
  async *#startEntry(isRequired: boolean): AsyncGenerator<LogEntry> {
    const { readStart } = this.#options;
    if (!readStart) return;
    const record = await readStart();
    if (record && !isRequired && this.#options.fs.isUncertain) {
      const what = `${this.#path} is missing or empty, although its session has begun; it was left as it is`;
      throw ProviderFailure.failed('INCOMPLETE', what);
    }
    if (record) yield { record, position: LOG_BEGINNING };
    else if (isRequired) {
      throw new EventLogFailure(
        'NO_BEGINNING',
        `the first line of its log is damaged, and workspace.yaml does not say what it was; restore ${this.#path} from a backup`,
      );
    }
  }

  async *#storedEntries(from: LoadFrom): AsyncGenerator<LogEntry> {
    if (this.#state === 'unloaded') {
      const { position, damage } = yield* this.#reader.loadFile(from);
      this.#writer.startAfter(position);
      if (this.#state === 'unloaded') this.#state = 'open';
      if (damage) this.#report(damage);
    } else if (this.lastN > 0) {
      const { damage } = yield* this.#reader.loadStored(from, () => this.#writer.end, this.#known);
      if (damage) this.#report(damage);
    }
  }

  span(from: LogPosition, to: LogPosition): AsyncGenerator<LogRecord> {
    return this.#reader.span(from, to);
  }

  tail(after: LogAnchor | undefined): AsyncGenerator<LogEntry> {
    return this.#reader.tail(after, () => this.#writer.end);
  }

  get end(): LogAnchor | undefined {
    return this.lastN === 0 ? undefined : this.#writer.end;
  }

  async check(upTo: LogPosition, options: CheckOptions): Promise<DamageReport | undefined> {
    const damage = await this.#reader.check(upTo, this.#known, options);
    if (damage) this.#report(damage);
    return damage;
  }

  append(record: NewLogRecord, fields?: string): number {
    this.#mustBeOpen();
    return this.#writer.append(record, fields);
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  rollbackTo(position: number): boolean {
    return this.#writer.rollbackTo(position);
  }

  async truncate(to: LogPosition): Promise<void> {
    this.#mustBeOpen();
    await this.flush();
    await this.#writer.truncate(to, () => this.#reader.mustHave(to));
    const { tornTail: _, ...damage } = this.#damage ?? { broken: [], repaired: true };
    const broken = damage.broken.filter(({ line }) => line <= to.line);
    this.#damage = broken.length > 0 ? { ...damage, broken } : undefined;
  }

  mark(): Promise<LogPosition | undefined> {
    return this.#writer.mark();
  }

  drained(): Promise<void> {
    return this.isFull ? this.flush() : Promise.resolve();
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    try {
      await this.flush();
      if (this.#options.isDraft) await this.#publish();
      this.#writer.finish();
    } finally {
      this.#writer.stop();
    }
  }

  #mustBeOpen(): void {
    if (this.#state === 'closed') throw new EventLogFailure('CLOSED', 'the log is closed');
    if (this.#state === 'unloaded')
      throw new EventLogFailure('NOT_LOADED', 'the log has to be loaded to its end first');
  }

  get #known(): readonly BrokenLine[] {
    return this.#damage?.broken ?? [];
  }

  #report(damage: DamageReport): void {
    const before = this.#damage;
    this.#damage = before
      ? {
          ...before,
          ...damage,
          broken: [...before.broken, ...damage.broken].slice(0, MAX_BROKEN_LINES),
          repaired: before.repaired && damage.repaired,
        }
      : damage;
    this.#options.onDamage?.(damage);
  }

  async #publish(): Promise<void> {
    const { fs, durability } = this.#options;
    await fs.rename(this.#file.path, this.#path);
    if (durability === 'fsync') await fs.sync?.(this.#path);
  }
}

/** The path of a log that is still being written; it is renamed when it is complete. */
export function draftOf(path: string): string {
  return `${path}.draft`;
}

function logPath(fs: SessionFs): string {
  if (fs.sessionStatePath !== undefined) return fs.join(fs.sessionStatePath, LOG_FILE);
  throw new EventLogFailure('NO_STATE_PATH', 'this file system has no folder for the session, so it keeps no log');
}
