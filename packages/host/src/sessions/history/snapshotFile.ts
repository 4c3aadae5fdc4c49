import type { SessionState } from '@agenthost/protocol';
import { withNewestTurns } from '@agenthost/protocol/internal';
import type { SessionFs } from '../../storage/fs/sessionFs.js';
import { CheckedFile, CheckedList } from '../../storage/log/checkedFiles.js';
import type { BrokenLine, LoadFrom, LogPosition } from '../../storage/log/eventLog.js';
import { type HistoryLimits, MAX_INDEX_LINE } from '../sessionLimits.js';
import { turnsWithin } from '../stateBytes.js';
import { type AcceptedEntries, AcceptedSequences } from '../turn/acceptedSequences.js';
import type { FoldedLog } from './foldLog.js';
import type { StoredTurnIndex } from './turnIndex.js';

/** Raise it when a reducer computes something else from the same actions, or when this format changes. */
const FORMAT = 3;
const MAX_KNOWN_BROKEN = 100;

/** The state of a log at a place in it, so that only the rest has to be read. */
export interface LogSnapshot {
  readonly from: LoadFrom;
  readonly folded: FoldedLog;
  /** Absent when the turn index is broken. */
  readonly turns: StoredTurnIndex | undefined;
  /** The size of its file. */
  readonly bytes: number;
}

interface SnapshotContent {
  readonly format: number;
  /** Another version may compute another state from the same log. */
  readonly hostVersion: string;
  readonly position: LogPosition;
  readonly broken: readonly BrokenLine[];
  readonly start: FoldedLog['start'];
  readonly state: SessionState;
  readonly accepted: AcceptedEntries;
  readonly lastServerSeq: number;
  readonly turns?: StoredTurnIndex;
}

/** The snapshot of one session, in a file beside its log. */
export class SnapshotFile {
  readonly #file: CheckedFile;
  readonly #hostVersion: string;
  readonly #limits: HistoryLimits;

  constructor(fs: SessionFs, hostVersion: string, limits: HistoryLimits) {
    this.#file = new CheckedFile(fs, beside(fs, 'events.checkpoint.json'), limits.maxSnapshotBytes);
    this.#hostVersion = hostVersion;
    this.#limits = limits;
  }

  async read(): Promise<LogSnapshot | undefined> {
    const found = await this.#file.read();
    const content = found?.value as SnapshotContent | undefined;
    if (!found || content?.format !== FORMAT || content.hostVersion !== this.#hostVersion) return undefined;
    const { position, broken, start, state, accepted, lastServerSeq, turns } = content;
    return {
      from: { position, broken },
      folded: { start, state, accepted: new AcceptedSequences(accepted), lastServerSeq },
      turns,
      bytes: found.bytes,
    };
  }

  /** Returns the size of the file; `undefined` when it is too large even without turns. */
  async write({ from, folded, turns }: Omit<LogSnapshot, 'bytes'>): Promise<number | undefined> {
    const { start, lastServerSeq, accepted } = folded;
    // What is only true while the host runs is not stored.
    const { clients: _, approvals: __, clientTools: ___, ...state } = folded.state;
    const content: Omit<SnapshotContent, 'state'> = {
      format: FORMAT,
      hostVersion: this.#hostVersion,
      position: from.position,
      broken: from.broken.slice(0, MAX_KNOWN_BROKEN),
      start,
      accepted: accepted.entries(),
      lastServerSeq,
      ...(turns && { turns }),
    };
    const { window, maxSnapshotBytes } = this.#limits;
    const likely = Math.min(window, turnsWithin(state.turns, maxSnapshotBytes * 0.75));
    for (const kept of [likely, 0]) {
      const bytes = await this.#file.write({ ...content, state: withNewestTurns(state, kept) });
      if (bytes !== undefined) return bytes;
    }
    return undefined;
  }

  async remove(): Promise<void> {
    await this.#file.remove();
  }
}

export function turnIndexFile(fs: SessionFs): CheckedList {
  return new CheckedList(fs, beside(fs, 'events.turns.jsonl'), 2 * MAX_INDEX_LINE);
}

function beside(fs: SessionFs, name: string): string {
  return fs.join(fs.sessionStatePath ?? '', name);
}
