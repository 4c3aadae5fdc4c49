import { errorMessage } from '@agenthost/protocol/internal';
import { errorCode } from '../fs/errnoFailure.js';
import type { KeyedLock } from '../fs/keyedLock.js';
import { EventLogFailure, LOG_BEGINNING, type LogPosition, type NewLogRecord } from './eventLog.js';
import { LineBatch } from './lineFormat.js';
import type { LogFile } from './logFile.js';
import { BufferedRecord, LogMarks, UnsettledRecords } from './unsettledRecords.js';

export interface LogWriterOptions {
  readonly file: LogFile;
  readonly lock: KeyedLock;
  readonly lockKey: string;
  readonly debounceMs: number;
  readonly retryMs: number;
  readonly maxBufferedBytes: number;
  readonly now: () => number;
  readonly newId: () => string;
  /** Called when a write that no caller awaits has failed; it is retried. */
  readonly onWriteFailed: (error: EventLogFailure) => void;
}

/** Everything that was appended after `after`, up to `upTo`. */
interface Rollback {
  readonly after: number;
  readonly upTo: number;
}

interface Waiter {
  readonly position: number;
  readonly resolve: () => void;
  readonly reject: (error: EventLogFailure) => void;
}

/** Buffers, merges, numbers and writes: one write, and one sync, for everything that came during the one before. */
export class LogWriter {
  readonly #options: LogWriterOptions;
  #buffer: BufferedRecord[] = [];
  #bufferedBytes = 0;
  readonly #written = new UnsettledRecords();
  #position = 0;
  readonly #marks = new LogMarks();
  #end = LOG_BEGINNING;
  /** How many of the buffer's first records are being written: nothing is merged with these. */
  #inFlight = 0;
  /** The file is in use: a rollback waits for the end of it. */
  #isBusy = false;
  #rollbacks: Rollback[] = [];
  #waiters: Waiter[] = [];
  #running = false;
  #lastWriteFailed = false;
  #lastFlushed = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: LogWriterOptions) {
    this.#options = options;
  }

  /** The place after the last record in the file. */
  get end(): LogPosition {
    return this.#end;
  }

  get bufferedBytes(): number {
    return this.#bufferedBytes;
  }

  get isFull(): boolean {
    return this.#bufferedBytes > this.#options.maxBufferedBytes;
  }

  /** The file was loaded to its end, which is here. */
  startAfter(end: LogPosition): void {
    this.#end = end;
  }

  append(record: NewLogRecord, fields?: string): number {
    const at = this.#options.now();
    const position = this.#position + 1;
    const isOpen = this.#rollbacks.length === 0 && this.#buffer.length > this.#inFlight;
    const last = isOpen && !this.#marks.has(this.#position) ? this.#buffer.at(-1) : undefined;
    const before = last?.size ?? 0;
    if (last?.merge(position, record, at)) {
      this.#bufferedBytes += last.size - before;
    } else {
      const entry = new BufferedRecord(
        position,
        record,
        { id: record.id ?? this.#options.newId(), at: record.at ?? at },
        fields,
      );
      this.#buffer.push(entry);
      this.#bufferedBytes += entry.size;
    }
    this.#position = position;
    if (this.isFull && !this.#lastWriteFailed) this.#start();
    else this.#schedule(this.#lastWriteFailed ? this.#options.retryMs : this.#options.debounceMs);
    return position;
  }

  flush(): Promise<void> {
    if (this.#isIdle) {
      this.#settle(this.#position);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      this.#waiters.push({ position: this.#position, resolve, reject });
      this.#start();
    });
  }

  rollbackTo(position: number): boolean {
    const rollback = { after: position, upTo: this.#position };
    const [gone, waiting] = partition(this.#waiters, (waiter) => waiter.position > position);
    this.#waiters = waiting;
    for (const waiter of gone) {
      waiter.reject(new EventLogFailure('ROLLED_BACK', 'the records were rolled back before they were stored'));
    }
    if (!this.#isBusy) return this.#rollback(rollback);
    this.#rollbacks.push(rollback);
    return this.#written.canTakeBack(position);
  }

  /** Everything was flushed; later appends are written after the cut. `mustBeThere` rejects for a place that the log doesn't have. */
  async truncate(to: LogPosition, mustBeThere: () => Promise<void>): Promise<void> {
    const { lock, lockKey, file } = this.#options;
    await lock.run(lockKey, async () => {
      this.#isBusy = true;
      try {
        if (to.end > this.#end.end) throw new EventLogFailure('NOT_THERE', `the log ends before byte ${to.end}`);
        await mustBeThere();
        await file.truncate({ size: to.end, sum: to.sum });
        this.#end = to;
        this.#written.settle((this.#buffer[0]?.first ?? this.#position + 1) - 1);
        this.#marks.truncate(to);
      } finally {
        this.#isBusy = false;
        for (const rollback of this.#rollbacks.splice(0)) this.#rollback(rollback);
      }
    });
  }

  mark(): Promise<LogPosition | undefined> {
    const isWritten = this.#buffer.length === 0 && this.#rollbacks.length === 0;
    const marked = this.#marks.add(this.#position, isWritten ? this.#end : undefined);
    this.#settleMarks();
    return marked;
  }

  /** Nothing is appended, and so nothing is rolled back, any more. */
  finish(): void {
    this.stop();
    this.#marks.finish();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  get #isIdle(): boolean {
    return this.#buffer.length === 0 && this.#options.file.isClean;
  }

  #schedule(ms: number): void {
    if (this.#timer || this.#running) return;
    this.#timer = setTimeout(() => this.#start(), ms);
    this.#timer.unref();
  }

  #start(): void {
    this.stop();
    if (this.#running) return;
    this.#running = true;
    void this.#run();
  }

  async #run(): Promise<void> {
    // Callers that were told of a failure can roll back their records before the retry.
    if (this.#lastWriteFailed) await new Promise((resolve) => setImmediate(resolve));
    let failure: EventLogFailure | undefined;
    while (!this.#isIdle && !failure) {
      try {
        await this.#options.lock.run(this.#options.lockKey, () => this.#writeBatch());
      } catch (error) {
        failure = toFailure(error);
      }
      this.#inFlight = 0;
      this.#isBusy = false;
      for (const rollback of this.#rollbacks.splice(0)) this.#rollback(rollback);
      if (!failure) this.#resolveWaiters();
    }
    this.#lastWriteFailed = failure !== undefined;
    this.#running = false;
    if (failure) this.#fail(failure);
    else this.#resolveWaiters();
  }

  async #writeBatch(): Promise<void> {
    const { file } = this.#options;
    this.#isBusy = true;
    await file.repair();
    const batch = [...this.#buffer];
    if (batch.length === 0 || this.#rollbacks.length > 0) return;
    this.#inFlight = batch.length;
    const size = batch.reduce((sum, entry) => sum + entry.size, 0);
    const lines = new LineBatch(this.#end, size);
    const ends = batch.map((entry) => lines.add(entry.toParts()));
    await file.append(lines.bytes);
    this.#bufferedBytes -= size;
    batch.forEach((entry, index) => {
      this.#written.add({ entry, before: this.#end });
      this.#end = ends[index] ?? this.#end;
      this.#marks.written(entry.last, this.#end);
    });
    this.#buffer.splice(0, batch.length);
    this.#settleMarks();
  }

  #rollback({ after, upTo }: Rollback): boolean {
    const kept = this.#buffer.filter((entry) => entry.first <= after || entry.first > upTo);
    for (const entry of kept) if (entry.first <= after && entry.last > after) entry.cutAfter(after);
    this.#marks.takeBack(after, upTo);
    const { cut, complete } = this.#written.takeBack(after);
    if (cut) {
      this.#options.file.cutTo({ size: cut.before.end, sum: cut.before.sum });
      this.#end = cut.before;
      if (cut.entry.first <= after) {
        cut.entry.cutAfter(after);
        kept.unshift(cut.entry);
      }
    }
    this.#buffer = kept;
    this.#bufferedBytes = kept.reduce((sum, entry) => sum + entry.size, 0);
    if (!this.#isIdle) this.#schedule(this.#options.debounceMs);
    return complete;
  }

  #resolveWaiters(): void {
    const unwritten = this.#buffer[0]?.first ?? Number.POSITIVE_INFINITY;
    const [done, waiting] = partition(this.#waiters, (waiter) => waiter.position < unwritten);
    this.#waiters = waiting;
    const position = done.at(-1)?.position;
    if (position !== undefined) this.#settle(position);
    for (const waiter of done) waiter.resolve();
  }

  /** One flush late: another caller's flush in the middle of one of the host's batches must not settle half of it. */
  #settle(position: number): void {
    this.#written.settle(this.#lastFlushed);
    this.#lastFlushed = Math.max(this.#lastFlushed, position);
    this.#settleMarks();
  }

  #settleMarks(): void {
    this.#marks.settle((position) => !this.#written.canTakeBack(position - 1));
  }

  #fail(error: EventLogFailure): void {
    const waiters = this.#waiters.splice(0);
    for (const waiter of waiters) waiter.reject(error);
    if (waiters.length === 0) this.#options.onWriteFailed(error);
    if (!this.#isIdle) this.#schedule(this.#options.retryMs);
  }
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  const [yes, no]: [T[], T[]] = [[], []];
  for (const item of items) (belongs(item) ? yes : no).push(item);
  return [yes, no];
}

function toFailure(error: unknown): EventLogFailure {
  if (error instanceof EventLogFailure) return error;
  const message = errorMessage(error);
  return new EventLogFailure(errorCode(error) ?? 'UNKNOWN', `the session's log could not be written: ${message}`, {
    cause: error,
  });
}
