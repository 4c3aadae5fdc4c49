import type {
  ActiveTurn,
  ListSessionsParams,
  ListSessionsResult,
  SessionSummary,
  Turn,
  URI,
} from '@agenthost/protocol';
import type { DroppedText, WaitingTurn } from './searchText.js';

type MaybePromise<T> = T | Promise<T>;

/**
 * The summaries and the words of all sessions, so that a list opens none of them. It is a cache that can be rebuilt from the
 * sessions' logs. Changes are written soon, together with others; a list sees all that were made before it.
 */
export interface SessionIndex {
  /** Whether it was damaged while the host runs, and does not have all sessions again yet. */
  readonly isRefilling: boolean;

  /** A change is coming: if the host dies before it is written, the session has to be read again. */
  expect(resource: URI): void;
  put(summary: SessionSummary, space: string): void;
  /** The text of a turn so far, for a session that is in the index or about to be. */
  putTurn(resource: URI, turn: Turn | ActiveTurn, dropped?: DroppedText): void;
  /** Removes a turn that never was. */
  forgetTurn(resource: URI, turnId: string): void;
  /** Starts reading a session's log: it is unsettled until the result is called, and after that if the log was not read completely. */
  hold(resource: URI): (end: { readonly isWhole: boolean }) => void;
  /** The session's text is incomplete: its log has to be read again. */
  markIncomplete(resource: URI): void;
  /** Everything is in it: the next start can use it as it is. */
  markFilled(): void;
  /** Erases the texts of a session that is about to be removed. */
  eraseTexts(resource: URI): Promise<void>;
  remove(resource: URI): void;
  /** Writes waiting changes, if possible. */
  flush(): MaybePromise<void>;
  close(): MaybePromise<void>;

  /** Some sessions that were at work when their host ended, or whose last change may be missing because it was killed. */
  interrupted(): MaybePromise<URI[]>;
  /** Whether all text of that session can be found, or is about to be. */
  isComplete(resource: URI): boolean;
  /** Whether a session has had a turn with that id, in constant time; `undefined`: unknown here. */
  hasTurn(resource: URI, turnId: string): boolean | undefined;
  /** The same where it takes a look-up. */
  findTurn?(resource: URI, turnId: string): Promise<boolean | undefined>;
  /** The session's current summary, as far as this index has it at hand and it is in that space. */
  summary(resource: URI, space: string): SessionSummary | undefined;
  /** The space of a session that it has. */
  spaceOf(resource: URI): MaybePromise<string | undefined>;
  list(params: ListSessionsParams, space: string): MaybePromise<ListSessionsResult>;
  /** The same for a list with a search text. */
  search(params: ListSessionsParams, space: string): Promise<ListSessionsResult>;
  /** Some of the sessions after the given one, in a stable order. */
  resources(after: URI, limit: number): MaybePromise<URI[]>;
  /** Of the sessions after the given one, in the order of `resources`, those whose summaries contain that text. */
  summariesWith(text: string, after: URI, limit: number): MaybePromise<SummariesFound>;
  providers(): MaybePromise<string[]>;
}

export interface SummaryOfSpace {
  readonly summary: SessionSummary;
  readonly space: string;
}

export interface SummariesFound {
  readonly found: readonly SummaryOfSpace[];
  /** Where the next look begins; `undefined` at the end. */
  readonly last: URI | undefined;
}

/** What was written to an index, for a copy of it. */
export interface IndexChanges {
  readonly summaries?: readonly SummaryOfSpace[];
  readonly turns?: readonly WaitingTurn[];
  readonly removed?: URI;
}
