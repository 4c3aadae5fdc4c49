import type { SessionFs } from './fs/sessionFs.js';
import type { EventLog } from './log/eventLog.js';

/** Where sessions are kept, as the hub sees it. */
export interface SessionStorage {
  /** The files and the log of a session. Without `create`, `undefined` when there is no such session. */
  open(sessionId: string, options?: OpenStoredOptions): Promise<StoredSession | undefined>;
  /** A session is there when its log is. */
  exists(sessionId: string): Promise<boolean>;
  /** Removes all that the session kept. */
  remove(sessionId: string): Promise<void>;
  /** When its log was last written to, in milliseconds since 1970; `undefined` where that can't be told. */
  modifiedAt(sessionId: string): Promise<number | undefined>;
  /** The ids of all sessions. */
  list(): AsyncIterable<string>;
}

export interface OpenStoredOptions {
  readonly create?: boolean;
  /** With `create`: until its log is closed, there is no such session. What a kill leaves of it takes no id. */
  readonly isDraft?: boolean;
}

export interface StoredSession {
  readonly fs: SessionFs;
  readonly log: EventLog;
}
