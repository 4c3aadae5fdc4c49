import type { SessionFs } from './fs/sessionFs.js';
import type { EventLog } from './log/eventLog.js';

/** Where sessions are stored, from the hub's point of view. */
export interface SessionStorage {
  /**
   * The files and the log of a session. Without `create`, `undefined` when there is no such session. Rejects with `OwnedElsewhere`
   * where several hosts share a storage and another one has it.
   */
  open(sessionId: string, options?: OpenStoredOptions): Promise<StoredSession | undefined>;
  /** A session exists when its log does. */
  exists(sessionId: string): Promise<boolean>;
  /**
   * Its space, without opening it; `undefined` when there is no such session. One whose beginning is lost is in `default`. A storage
   * without this has sessions of `default` only.
   */
  spaceOf?(sessionId: string): Promise<string | undefined>;
  /** Removes all files of the session. Rejects with `OwnedElsewhere` when another host has taken it. */
  remove(sessionId: string): Promise<void>;
  /** When its log was last written to, in milliseconds since 1970; `undefined` if unknown. */
  modifiedAt(sessionId: string): Promise<number | undefined>;
  /** The ids of all sessions. */
  list(): AsyncIterable<string>;
  /** Where several hosts share a storage: the ids of sessions that are open here although another host has taken them. */
  findTaken?(): Promise<ReadonlySet<string>>;
  /** What waits to be stored is given up: other hosts have the sessions by now. */
  giveUpWaiting?(): void;
}

export interface OpenStoredOptions {
  readonly create?: boolean;
  /** With `create`: the session doesn't exist until its log is closed. After a kill its id stays free. */
  readonly isDraft?: boolean;
  /** With `create`: the space that the first record of its log will name. */
  readonly space?: string;
}

/** Another host has the session open. */
export class OwnedElsewhere extends Error {
  readonly hostId: string;

  constructor(sessionId: string, hostId: string) {
    super(`session ${sessionId} is open at another host`);
    this.name = 'OwnedElsewhere';
    this.hostId = hostId;
  }
}

/** The machines that have a session's folder. */
export interface SessionPlace {
  readonly name: string;
  /** This host runs on one of them. */
  readonly isHere: boolean;
  /** What people call this host. */
  readonly host?: string | undefined;
}

export interface StoredSession {
  /** Another host may have written to it since this one had it open. */
  readonly isShared?: boolean;
  /** Where several hosts share a storage. */
  readonly place?: SessionPlace;
  /** When it is closed, it belongs to that host: nobody else takes it meanwhile. */
  giveTo?(hostId: string): void;
  /** Until then an agent of a dead host may be at work in its folder: a time of `performance.now()` (FEN7). */
  readonly freeAt?: number;
  readonly fs: SessionFs;
  readonly log: EventLog;
}
