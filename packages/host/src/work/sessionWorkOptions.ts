import type { HostLog } from '../hostLog.js';
import type { SessionChecks } from './checks/sessionChecks.js';
import type { Progress } from './land/landContext.js';
import type { OpenWorkOptions } from './openWork.js';

/** What the work of a session asks of the session. */
export interface SessionWorkOptions extends OpenWorkOptions {
  readonly uri: string;
  /** A private folder of all sessions, for merges that a killed host has begun. Default: in that of the session. */
  readonly landDir?: string;
  /** The host's own folder, whose files are shown to nobody. */
  readonly privateFolder?: string;
  /** Nobody has to trust the folder first. */
  readonly isTrusted: () => boolean;
  readonly baseBranch: () => string | undefined;
  readonly isTurnRunning: () => boolean;
  /** The running turn, and whether one of its calls that have not ended names a file. */
  readonly activeTurn: () => { readonly id: string; names(path: string): boolean } | undefined;
  /** The place of a turn in the conversation, counted from 1. */
  readonly turnNumber: (turnId: string) => number | undefined;
  /** Says something in the conversation, in a turn whose id is in `ownTurns` before it begins. `false` while a turn runs. */
  readonly tell: (text: string, ownTurns: Set<string>) => boolean;
  /** Runs the tests of the project in the folder. */
  readonly tests?: SessionChecks;
  readonly onProgress?: (progress: Progress) => void;
  /** The files of the folder have changed. */
  readonly onChanged: () => void;
  readonly log: HostLog;
}
