import type { ReportedContentLimits } from './content/reportedContent.js';

/** Ended turns that the host keeps in memory for each loaded session, and their bytes; snapshots can't have more. */
export const TURNS_IN_MEMORY = 200;
export const TURN_BYTES_IN_MEMORY = 2 * 1024 * 1024;

/** Memory for all loaded sessions, in bytes, as far as it is counted. */
export const MAX_SESSION_BYTES = 64 * 1024 * 1024;
/** Bytes of ended turns that a session in use keeps when there is no room left for others. */
export const SHRUNK_TURN_BYTES = 512 * 1024;
/** Sessions that are loaded at the same time. */
export const MAX_LOADS = 4;
/** A session is not evicted for another one this soon after its last use: the client that opened it may be about to use it. */
export const RECENT_MS = 250;

/** Clients whose accepted `clientSeq` a session remembers, and how many of each at least. */
export const MAX_ACCEPTED_CLIENTS = 1_000;
export const MAX_RECENTLY_ACCEPTED = 64;

/** Clients listed in `clients`; more can be subscribed. */
export const MAX_LISTED_CLIENTS = 50;

/** How long an aborted agent may take to become idle before its process is ended. */
export const ABORT_GRACE_MS = 5_000;

/** At most so many notifications per second about one session's summary, by how many clients listen. */
export const SUMMARY_RATES = [
  { below: 100, perSecond: 10 },
  { below: 1_000, perSecond: 2 },
  { below: Number.POSITIVE_INFINITY, perSecond: 0.5 },
] as const;

/** Code units of text and reasoning that an agent may write in one turn. */
export const MAX_ANSWER_LENGTH = 8 * 1024 * 1024;

/** Bytes of the waiting messages of a session, as they are in the state. A single one may be larger. */
export const MAX_QUEUE_BYTES = 1024 * 1024;

/** Bytes that a session keeps of what clients pasted and attached. */
export const MAX_PASTED_BYTES = 256 * 1024 * 1024;

/** Images, audio and files that a session keeps of what its agent reports: of one, in a turn, and in all. */
export const REPORTED_CONTENT_LIMITS: ReportedContentLimits = {
  itemBytes: 5 * 1024 * 1024,
  turnItems: 100,
  turnBytes: 40 * 1024 * 1024,
  sessionItems: 4_000,
  sessionBytes: 256 * 1024 * 1024,
};

/** Bytes of one imported content: enough for any content of a message or an agent. */
export const MAX_IMPORTED_CONTENT_BYTES = 8 * 1024 * 1024;

/** Customizations that are turned off and stay listed although their files are gone. */
export const MAX_MISSING_CUSTOMIZATIONS = 50;
/** How long a turn waits for the customizations to be read: the folder may be on a file system that hangs. */
export const CUSTOMIZATIONS_MS = 3_000;

/** The length of a title that is made from a message. */
export const MAX_DERIVED_TITLE = 80;

export interface HistoryLimits {
  /** Ended turns that a snapshot has, as the memory, and their bytes. */
  readonly window: number;
  readonly windowBytes: number;
  /** A snapshot is due when a log has grown by this much, or by as much as the last one took if that is more. */
  readonly minSnapshotBytes: number;
  /** So long after the last one it waits until several times as much has come: a burst is not a snapshot every millisecond. */
  readonly snapshotPauseMs: number;
  /** A snapshot that would be larger has fewer turns; one that is larger without any is not written. */
  readonly maxSnapshotBytes: number;
  /** Turns of one page of the turn index, and bytes of the log: with either of them the page ends at a turn's end. */
  readonly pageTurns: number;
  readonly pageBytes: number;
  /** Pages that wait to be stored with the next snapshot; while a whole log is read, they are stored at a quarter of it. */
  readonly maxPendingPages: number;
}

export const HISTORY_LIMITS: HistoryLimits = {
  window: TURNS_IN_MEMORY,
  windowBytes: TURN_BYTES_IN_MEMORY,
  minSnapshotBytes: 64 * 1024,
  snapshotPauseMs: 250,
  maxSnapshotBytes: 4 * 1024 * 1024,
  pageTurns: 32,
  pageBytes: 256 * 1024,
  maxPendingPages: 1_000,
};

/** While a turn runs a snapshot waits for its end, until this many times as much has come. */
export const SNAPSHOT_PATIENCE = 4;
/** The same for one that follows another at once. */
export const BURST_PATIENCE = 64;
/** A page of the turn index ends only where less than a half of this waits in the session's queue: it is kept with the page. */
export const MAX_INDEX_LINE = 256 * 1024;
/** Turns of which a session remembers where they are, for who pages on from them. */
export const MAX_TURN_HINTS = 64;
/** Parts of a turn between two places of it that the index has, and how many such places it has at the most. */
export const PARTS_BETWEEN_MARKS = 512;
export const MAX_PART_MARKS = 1_000;
/** How often a turn index is rebuilt while its session is open. */
export const MAX_INDEX_REBUILDS = 3;

/** How long a start or a list waits for an index that is being filled. After that it uses what is there. */
export const INDEX_PATIENCE_MS = 2_000;
/** Provisional sessions that are removed at once when the host stops. */
export const DROPS_AT_ONCE = 4;
