import type { SessionState, URI } from '@agenthost/protocol';
import type { FetchPartsResult } from '@agenthost/protocol/internal';
import { errorMessage } from '@agenthost/protocol/internal';
import type { HostLog } from '../../hostLog.js';
import { errorCode } from '../../storage/fs/errnoFailure.js';
import {
  type EventLog,
  LOG_BEGINNING,
  type LoadFrom,
  type LogPosition,
  type LogRecord,
  type SessionStartRecord,
} from '../../storage/log/eventLog.js';
import type { StoredSession } from '../../storage/sessionStorage.js';
import {
  BURST_PATIENCE,
  HISTORY_LIMITS,
  type HistoryLimits,
  MAX_INDEX_REBUILDS,
  SNAPSHOT_PATIENCE,
} from '../sessionLimits.js';
import { jsonBytes, type TurnsRoom, withTurnsWithin } from '../stateBytes.js';
import { AcceptedSequences } from '../turn/acceptedSequences.js';
import { type FoldedLog, LogFold, newSessionState } from './foldLog.js';
import { type PartsRange, partsStart, readParts } from './readParts.js';
import { readTurnsByFold, readTurnsByIndex, type TurnsBefore, type TurnsRead } from './readTurns.js';
import { type LogSnapshot, SnapshotFile, turnIndexFile } from './snapshotFile.js';
import { endedTurns, type StoredTurnIndex, TurnIndex } from './turnIndex.js';

export interface OpenedHistory {
  readonly folded: FoldedLog;
  /** The log was not read up to here. */
  readonly skipped: LogPosition | undefined;
}

export interface SessionHistoryOptions {
  readonly uri: URI;
  readonly stored: StoredSession;
  readonly hostVersion: string;
  readonly log: HostLog;
  readonly limits?: HistoryLimits;
}

type Contents = Omit<FoldedLog, 'start'>;

/**
 * The files beside a session's log that make it unnecessary to read all of it: a snapshot to open it from, and an index of its turns.
 * The log is the truth: when they are missing or don't fit, they are rebuilt from it. They are written in the background; a failure
 * is only logged.
 */
export class SessionHistory {
  readonly #options: SessionHistoryOptions;
  readonly #limits: HistoryLimits;
  readonly #snapshotFile: SnapshotFile;
  #turns: TurnIndex;
  #start: SessionStartRecord | undefined;
  /** The place of the last snapshot, also of a failed one, and its size. */
  #saved = { end: 0, bytes: 0 };
  #savedAt = Number.NEGATIVE_INFINITY;
  /** Nothing before this can be undone. */
  #settled = LOG_BEGINNING;
  #rebuilds = 0;
  /** How often the log was truncated. A place from before the last cut may not exist any more. */
  #cuts = 0;
  /** Turns were removed, and where in the log is not known yet: an index of what was before would have them. */
  #isCutting = false;
  #isMarking = false;
  #isGivenUp = false;
  /** Reads and writes of the index run one after the other. */
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: SessionHistoryOptions) {
    this.#options = options;
    this.#limits = options.limits ?? HISTORY_LIMITS;
    this.#snapshotFile = new SnapshotFile(options.stored.fs, options.hostVersion, this.#limits);
    this.#turns = this.#newIndex();
  }

  /** Loads the log: the part after the snapshot, or all of it. */
  async open(): Promise<OpenedHistory | undefined> {
    const snapshot = await this.#snapshotFile.read().catch((error: unknown) => {
      this.#warn("its checkpoint can't be read, its log is read as a whole", error);
      return undefined;
    });
    if (snapshot) {
      try {
        return { folded: await this.#openFrom(snapshot), skipped: snapshot.from.position };
      } catch (error) {
        if (errorCode(error) !== 'NOT_THERE') throw error;
        this.#warn('its checkpoint does not fit its log, which is read as a whole', error);
      }
    }
    const folded = await this.#openWhole();
    return folded && { folded, skipped: undefined };
  }

  /** Called for a new log. */
  begin(start: SessionStartRecord): void {
    this.#start = start;
  }

  /** Called after each change of the session's state, when the change is in the log's buffer. */
  changed(state: SessionState, contents: Omit<Contents, 'state'>): void {
    if (this.#isMarking || this.#isGivenUp) return;
    const { log } = this.#options.stored;
    const isDue = this.#isSnapshotDue(state, log.size);
    if (!isDue && !this.#turns.isDue(state, log.size) && !this.#turns.isMarkDue(state)) return;
    this.#isMarking = true;
    const captured = captureOf(state, contents);
    const cuts = this.#cuts;
    void log.mark().then((position) => {
      this.#isMarking = false;
      if (!position || this.#isGivenUp || cuts !== this.#cuts) return;
      this.#settled = position;
      this.#turns.endPage(state, position);
      this.#turns.markParts(state, position);
      if (isDue) this.#save(captured, position);
    });
  }

  /** Called right after turns were removed from the conversation. Pages of the index that have them are not true any more. */
  turnsRemoved(state: SessionState): void {
    this.#cuts++;
    if (!this.#turns.isBroken && endedTurns(state) >= this.#turns.boundary.turns) return;
    this.#turns.breakOff();
    this.#rebuilds = 0;
    this.#isCutting = true;
    const cuts = this.#cuts;
    void this.#options.stored.log.mark().then((position) => {
      if (cuts !== this.#cuts) return;
      this.#isCutting = false;
      if (position) this.#settled = position;
      this.#rebuildLater();
    });
  }

  /** Reads turns that are older than those in memory. `earlierTurns` is their number. */
  async readTurns(target: TurnsBefore, room: TurnsRoom, earlierTurns: number): Promise<TurnsRead | undefined> {
    return this.#inTurn(async () => {
      const { log } = this.#options.stored;
      const start = this.#start;
      const reachesMemory = this.#turns.boundary.turns >= earlierTurns;
      if (start && !this.#turns.isBroken && reachesMemory && !this.#isGivenUp) {
        try {
          return await readTurnsByIndex(log, start, this.#turns, target, room);
        } catch (error) {
          this.#breakOff(error);
        }
      }
      await log.flush();
      const read = await readTurnsByFold(log, target, room);
      this.#rebuildLater();
      return read;
    });
  }

  /** Whether one of the turns that are older than those in memory has that id. */
  async hasTurn(turnId: string, earlierTurns: number): Promise<boolean> {
    return (await this.readTurns({ turnId }, { turns: 1, bytes: 0 }, earlierTurns)) !== undefined;
  }

  /** Parts of one turn, read from the log. `undefined` when there is no such turn. */
  async readParts(range: PartsRange): Promise<FetchPartsResult | undefined> {
    return this.#inTurn(async () => {
      const { log } = this.#options.stored;
      const start = this.#start;
      await log.flush();
      if (start && !this.#turns.isBroken && !this.#isGivenUp) {
        try {
          const place = await this.#turns.placeOf(range.turnId);
          const { position, state } = partsStart(start, place, range);
          const records = place.to ? log.span(position, place.to) : recordsAfter(log, position);
          return await readParts(records, state, range);
        } catch (error) {
          this.#breakOff(error);
        }
      }
      const read = start && (await readParts(log.load(), newSessionState(start), range));
      this.#rebuildLater();
      return read;
    });
  }

  /**
   * Truncates the log after a place. A snapshot and an index that reach further are removed first: without them the log is read as a
   * whole.
   */
  async truncate(to: LogPosition): Promise<void> {
    await this.#inTurn(async () => {
      const { log, fs } = this.#options.stored;
      this.#cuts++;
      this.#rebuilds = 0;
      if (this.#saved.end > to.end) await this.#snapshotFile.remove();
      if (this.#turns.boundary.position.end > to.end) {
        this.#turns.breakOff();
        await turnIndexFile(fs).remove();
      }
      this.#turns.forgetMarksAfter(to);
      await log.truncate(to);
      if (this.#saved.end > to.end) this.#saved = { end: 0, bytes: 0 };
      if (this.#settled.end > to.end) this.#settled = to;
    });
  }

  /** Removes the snapshot and the index, because they don't belong to this log. The next open reads the whole log. */
  async giveUp(): Promise<void> {
    this.#isGivenUp = true;
    await this.#inTurn(async () => {
      await this.#snapshotFile.remove();
      await turnIndexFile(this.#options.stored.fs).remove();
    }).catch(this.#failed);
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    for (let work: unknown; work !== this.#work; ) {
      work = this.#work;
      await this.#work;
    }
  }

  async #openFrom({ from, folded, turns, bytes }: LogSnapshot): Promise<FoldedLog> {
    const index = this.#newIndex(turns);
    if (!turns) index.breakOff();
    const fold = this.#newFold(folded);
    this.#settled = (await this.#fold(fold, index, from)) ?? from.position;
    this.#turns = index;
    this.#start = folded.start;
    this.#saved = { end: from.position.end, bytes };
    return this.#withWholeWindow(fold.result ?? folded);
  }

  /** Adds older turns to the state of a snapshot that had to leave out very large turns. */
  async #withWholeWindow(folded: FoldedLog): Promise<FoldedLog> {
    const { turns, earlierTurns = 0 } = folded.state;
    const missing = Math.min(this.#limits.window - turns.length, earlierTurns);
    const bytes = turns.reduce((room, turn) => room - jsonBytes(turn), this.#limits.windowBytes);
    if (missing <= 0 || bytes < this.#limits.windowBytes / 2) return folded;
    const older = await this.readTurns({ ordinal: earlierTurns }, { turns: missing, bytes }, earlierTurns);
    const { earlierTurns: _, ...state } = folded.state;
    const left = earlierTurns - (older?.turns.length ?? 0);
    return {
      ...folded,
      state: { ...state, turns: [...(older?.turns ?? []), ...turns], ...(left > 0 && { earlierTurns: left }) },
    };
  }

  async #openWhole(): Promise<FoldedLog | undefined> {
    const index = this.#newIndex();
    const fold = this.#newFold();
    const end = await this.#fold(fold, index);
    const folded = fold.result;
    if (!folded || !end) return folded;
    this.#settled = end;
    this.#turns = index;
    this.#start = folded.start;
    const whole = folded.state.truncations === undefined ? folded : await this.#withWholeWindow(folded);
    if (this.#isSnapshotDue(whole.state, end.end)) this.#save(captureOf(whole.state, whole), end);
    return whole;
  }

  /** Folds the log and ends the pages of the index, up to `upTo`. Returns the place after the last record. */
  async #fold(fold: LogFold, index: TurnIndex, from?: LoadFrom, upTo?: LogPosition): Promise<LogPosition | undefined> {
    let last: LogPosition | undefined;
    for await (const { record, position } of this.#options.stored.log.entries(from)) {
      if (upTo && position.n > upTo.n) continue;
      fold.take(record);
      last = position;
      const state = fold.result?.state;
      if (!state) continue;
      if (record.type === 'action' && record.action.type === 'session/truncated') await index.cutTo(state, position);
      index.markParts(state, position);
      if (!index.isDue(state, position.end)) continue;
      index.endPage(state, position);
      if (index.isFilling) await this.#store(index).catch(this.#failed);
    }
    return last;
  }

  #isSnapshotDue(state: SessionState, size: number): boolean {
    const due = Math.max(this.#limits.minSnapshotBytes, this.#saved.bytes);
    const grown = size - this.#saved.end;
    if (grown < due * (state.activeTurn ? SNAPSHOT_PATIENCE : 1)) return false;
    return grown >= due * BURST_PATIENCE || performance.now() - this.#savedAt >= this.#limits.snapshotPauseMs;
  }

  #save(contents: Contents, position: LogPosition): void {
    const start = this.#start;
    if (!start) return;
    this.#saved = { ...this.#saved, end: position.end };
    this.#savedAt = performance.now();
    // Broken lines that are found later are not in the snapshot: the next open finds and reports them again.
    const broken = (this.#options.stored.log.damage?.broken ?? []).filter(({ line }) => line <= position.line);
    const cuts = this.#cuts;
    void this.#inTurn(async () => {
      if (this.#isGivenUp || cuts !== this.#cuts) return;
      const turns = await this.#store(this.#turns);
      const bytes = await this.#snapshotFile.write({
        from: { position, broken },
        folded: { ...contents, start },
        turns,
      });
      this.#saved = { ...this.#saved, bytes: bytes ?? this.#limits.maxSnapshotBytes };
    }).catch(this.#failed);
  }

  async #store(index: TurnIndex): Promise<StoredTurnIndex | undefined> {
    try {
      return await index.store();
    } catch (error) {
      index.breakOff();
      if (!isStale(error)) throw error;
      return undefined;
    }
  }

  /** The turn index does not fit: until it is rebuilt, the log is read as a whole. */
  #breakOff(error: unknown): void {
    if (!isStale(error)) throw error;
    this.#warn("its turn index can't be used and is rebuilt", error);
    this.#turns.breakOff();
  }

  #rebuildLater(): void {
    if (this.#turns.isBroken && !this.#isGivenUp) void this.#inTurn(() => this.#rebuild()).catch(this.#failed);
  }

  /** Rebuilds the turn index from the log. A snapshot that stores it is due. */
  async #rebuild(): Promise<void> {
    if (!this.#turns.isBroken || this.#isCutting || this.#isGivenUp || this.#rebuilds >= MAX_INDEX_REBUILDS) return;
    this.#rebuilds++;
    const cuts = this.#cuts;
    const index = this.#newIndex();
    await this.#fold(this.#newFold(), index, undefined, this.#settled);
    // It may have turns that are gone by now.
    if (cuts !== this.#cuts) return;
    this.#turns = index;
    this.#saved = { end: 0, bytes: 0 };
  }

  #newIndex(stored?: StoredTurnIndex): TurnIndex {
    return new TurnIndex(turnIndexFile(this.#options.stored.fs), this.#limits, stored);
  }

  #newFold(from?: FoldedLog): LogFold {
    const { window, windowBytes } = this.#limits;
    let last: SessionState['turns'] | undefined;
    return new LogFold((state) => {
      if (state.turns === last) return state;
      const kept = withTurnsWithin(state, { turns: window, bytes: windowBytes });
      last = kept.turns;
      return kept;
    }, from);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => undefined);
    return done;
  }

  readonly #failed = (error: unknown): void => this.#warn('its checkpoint could not be stored', error);

  #warn(what: string, error: unknown): void {
    const { uri, log } = this.#options;
    log.warn(`${uri}: ${what}: ${errorMessage(error)}`);
  }
}

/** A copy, because the session keeps changing its own. */
function captureOf(state: SessionState, { accepted, lastServerSeq }: Omit<Contents, 'state'>): Contents {
  return { state, accepted: new AcceptedSequences(accepted.entries()), lastServerSeq };
}

async function* recordsAfter(log: EventLog, position: LogPosition): AsyncGenerator<LogRecord> {
  for await (const { record } of log.entries({ position, broken: [] })) yield record;
}

/** Whether a stored file is missing, damaged, or not of this log. */
function isStale(error: unknown): boolean {
  return ['ALTERED', 'ESTALE', 'ENOENT', 'NOT_THERE'].includes(errorCode(error) ?? '');
}
