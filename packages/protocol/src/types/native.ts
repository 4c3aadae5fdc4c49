// Generated from the schemas by `npm run schemas`. Do not edit.

/**
 * Fails with `data.code` `nativeSessionBusy` while somebody works with it in a terminal, unless it is a copy, and with
 * `sessionAlreadyExists` and `data.session` if it is continued here already.
 */
export interface ContinueNativeSessionParams {
  readonly id: string;
  /** The new session, `<provider>:/<id>`, with the turns until now. */
  readonly session: string;
  /** A conversation of its own. Otherwise its agent continues the native one under its id. */
  readonly asCopy?: true;
}

export interface FetchNativeTurnsParams {
  readonly id: string;
  /** Turns older than this one; the newest if absent. */
  readonly before?: string;
  readonly limit: number;
}

export interface ListNativeSessionsParams {
  readonly limit?: number;
  readonly cursor?: string;
}

export interface ListNativeSessionsResult {
  /** The newest first. */
  readonly items: readonly NativeSession[];
  readonly nextCursor?: string;
  /** About how many there are: those that are not read yet count. */
  readonly total: number;
  /** How many of those looked at so far could not be read, by the reason, as sentences. */
  readonly unreadable?: readonly { readonly count: number; readonly reason: string }[];
}

/** A conversation that an agent keeps by itself, begun outside of the host, for example in a terminal. */
export interface NativeSession {
  /** Names it in `fetchNativeTurns` and `continueNativeSession`. */
  readonly id: string;
  /** The agent that can continue it. */
  readonly provider: string;
  readonly agentName: string;
  readonly title: string;
  /** The folder that it was begun in. Without one it can only be read. */
  readonly workingDirectory?: string;
  readonly modifiedAt: number;
  /** It changed a moment ago: somebody works with it in a terminal. */
  readonly isBusy?: true;
  /** What continues it in a terminal. */
  readonly command: string;
  /** The session that continues it here. */
  readonly session?: string;
}
