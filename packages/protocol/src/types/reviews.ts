// Generated from the schemas by `npm run schemas`. Do not edit.

import type { Author } from './common.js';

/** What a client writes about lines of a change. */
export interface NewComment {
  /** Chosen by the client that writes it. */
  readonly id: string;
  /** Relative to the session's folder, as in the list of changes. */
  readonly path: string;
  /** Which lines are meant: those before the changes, or those that are there now. */
  readonly side: 'old' | 'new';
  /** The first line, counted from 1. */
  readonly line: number;
  /** The last line; absent for a single one. */
  readonly endLine?: number;
  /** The code that it is about, or the beginning of it. */
  readonly quote: string;
  readonly text: string;
}

export interface ResolvedComment {
  readonly by?: Author;
  readonly at: number;
}

/** A comment on lines of a change, for everybody who reviews. Since version 2. */
export interface ReviewComment {
  /** Chosen by the client that writes it. */
  readonly id: string;
  /** Relative to the session's folder, as in the list of changes. */
  readonly path: string;
  /** Which lines are meant: those before the changes, or those that are there now. */
  readonly side: 'old' | 'new';
  /** The first line, counted from 1. */
  readonly line: number;
  /** The last line; absent for a single one. */
  readonly endLine?: number;
  /** The code that it is about, or the beginning of it. */
  readonly quote: string;
  readonly text: string;
  readonly author?: Author;
  readonly createdAt: number;
  /** When its author changed it. */
  readonly changedAt?: number;
  /** The agent has it, or will get it when its message starts. */
  readonly sent?: SentComment;
  readonly resolved?: ResolvedComment;
}

export interface SentComment {
  /** The message that it is in: the id of a turn, of a pending message or of a steering part. */
  readonly messageId: string;
  readonly by?: Author;
  readonly at: number;
}
