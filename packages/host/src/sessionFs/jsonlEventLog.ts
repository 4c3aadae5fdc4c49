import { errorCode } from './errnoFailure.js';
import { type DamageReport, type EventLog, EventLogFailure, type LogRecord, type NewLogRecord } from './eventLog.js';
import { KeyedLock } from './keyedLock.js';
import { LogFile } from './logFile.js';
import { decodeLine } from './logLine.js';
import { LogScanner, scanDamagedLog } from './logScanner.js';
import { LogWriter } from './logWriter.js';
import type { SessionFs } from './sessionFs.js';

export type Durability = 'write' | 'fsync';

export interface JsonlEventLogOptions {
  readonly fs: SessionFs;
  /** `fsync`: stored means that it survives a power cut, where the file system can promise that. */
  readonly durability?: Durability;
  /** How long text may wait for more of it before it is written. */
  readonly debounceMs?: number;
  /** How long after a failure to try again what nobody flushes. */
  readonly retryMs?: number;
  readonly maxBufferedBytes?: number;
  readonly lock?: KeyedLock;
  readonly now?: () => number;
  readonly onDamage?: (damage: DamageReport) => void;
  readonly onWriteFailed?: (error: EventLogFailure) => void;
}

export const LOG_FILE_NAME = 'events.jsonl';

/** The log as a file of lines, each with a checksum. */
export class JsonlEventLog implements EventLog {
  readonly #options: JsonlEventLogOptions;
  readonly #fs: SessionFs;
  readonly #file: LogFile;
  readonly #writer: LogWriter;
  #state: 'unloaded' | 'open' | 'closed';
  #damage: DamageReport | undefined;

  /** Reads nothing: a log that exists has to be loaded before anything is appended. */
  static async open(options: JsonlEventLogOptions): Promise<JsonlEventLog> {
    const { fs } = options;
    const folder = fs.sessionStatePath;
    if (folder === undefined) {
      throw new EventLogFailure('NO_STATE_PATH', 'this file system has no folder for the session, so it keeps no log');
    }
    const path = fs.join(folder, LOG_FILE_NAME);
    const size = await sizeOf(fs, path);
    if (size === 0) await fs.mkdir(folder, { recursive: true });
    return new JsonlEventLog(options, path, size === 0 ? 'open' : 'unloaded');
  }

  private constructor(options: JsonlEventLogOptions, path: string, state: 'unloaded' | 'open') {
    this.#options = options;
    this.#fs = options.fs;
    this.#state = state;
    this.#file = new LogFile(options.fs, path, { sync: options.durability === 'fsync' });
    this.#writer = new LogWriter({
      file: this.#file,
      lock: options.lock ?? new KeyedLock(),
      lockKey: options.fs.lockKey(path),
      debounceMs: options.debounceMs ?? 20,
      retryMs: options.retryMs ?? 1_000,
      maxBufferedBytes: options.maxBufferedBytes ?? 8 * 1024 * 1024,
      now: options.now ?? Date.now,
      onWriteFailed: (error) => options.onWriteFailed?.(error),
    });
  }

  /** The number of the last record in the file. */
  get lastN(): number {
    return this.#writer.lastN;
  }

  /** What the first load has found. */
  get damage(): DamageReport | undefined {
    return this.#damage;
  }

  get bufferedBytes(): number {
    return this.#writer.bufferedBytes;
  }

  get isFull(): boolean {
    return this.#writer.isFull;
  }

  load(): AsyncGenerator<LogRecord> {
    return this.#state === 'unloaded' ? this.#firstLoad() : this.#laterLoad(this.lastN);
  }

  async loadAll(): Promise<{ readonly records: LogRecord[]; readonly damage: DamageReport | undefined }> {
    const records: LogRecord[] = [];
    for await (const record of this.load()) records.push(record);
    return { records, damage: this.#damage };
  }

  append(record: NewLogRecord): number {
    if (this.#state === 'closed') throw new EventLogFailure('CLOSED', 'the log is closed');
    if (this.#state === 'unloaded')
      throw new EventLogFailure('NOT_LOADED', 'the log has to be loaded to its end first');
    return this.#writer.append(record);
  }

  flush(): Promise<void> {
    return this.#writer.flush();
  }

  rollbackTo(position: number): boolean {
    return this.#writer.rollbackTo(position);
  }

  drained(): Promise<void> {
    return this.isFull ? this.flush() : Promise.resolve();
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    try {
      await this.flush();
    } finally {
      this.#writer.stop();
    }
  }

  async *#firstLoad(): AsyncGenerator<LogRecord> {
    const scanner = new LogScanner();
    const size = await sizeOf(this.#fs, this.#file.path);
    let bytes = 0;
    let isReadable = true;
    try {
      for await (const line of this.#fs.readLines(this.#file.path)) {
        bytes += Buffer.byteLength(line) + 1;
        yield* scanner.take(line);
      }
    } catch (error) {
      // A line that is too long to be read is damage like any other.
      if (errorCode(error) !== 'EFBIG') throw error;
      isReadable = false;
    }
    if (isReadable && bytes === size && scanner.broken.length === 0) {
      this.#file.endsAt(size);
      this.#loaded(scanner.lastN);
    } else {
      yield* this.#finishDamaged(scanner.lastN);
    }
  }

  /** Gives what is left after record `n`, and puts the file in order. */
  async *#finishDamaged(n: number): AsyncGenerator<LogRecord> {
    const found = scanDamagedLog(await this.#fs.readFileBytes(this.#file.path));
    yield* found.records.filter((record) => record.n > n);
    this.#file.endsAt(found.end, found.damaged);
    let repaired = true;
    try {
      await this.#file.repair();
    } catch {
      repaired = false;
    }
    this.#damage = {
      ...(found.tailBytes > 0 && { tornTail: { bytes: found.tailBytes } }),
      broken: found.broken,
      repaired,
    };
    this.#loaded(found.lastN);
    this.#options.onDamage?.(this.#damage);
  }

  #loaded(lastN: number): void {
    this.#writer.startAfter(lastN);
    if (this.#state === 'unloaded') this.#state = 'open';
  }

  /** Reads along with the writer: up to the record that was the last one when it began. */
  async *#laterLoad(lastN: number): AsyncGenerator<LogRecord> {
    if (lastN === 0) return;
    for await (const line of this.#fs.readLines(this.#file.path)) {
      for (const { n, record } of decodeLine(line).records) {
        if (record && n <= lastN) yield record;
        if (n >= lastN) return;
      }
    }
  }
}

async function sizeOf(fs: SessionFs, path: string): Promise<number> {
  try {
    return (await fs.stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}
