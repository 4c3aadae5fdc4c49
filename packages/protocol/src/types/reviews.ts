// Generated from the schemas by `npm run schemas`. Do not edit.

import type { Author } from './common.js';

export interface FetchTestCommandParams {
  readonly session: string;
}

export interface FetchTestCommandResult {
  /** Absent while nobody has given one for the project. */
  readonly command?: string;
}

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

/** Which session of several was picked, to be landed. */
export interface PickedSession {
  readonly session: string;
  readonly by?: Author;
  readonly at: number;
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

/** Fails with `data.code` `notTrusted`, `noCommand`, `running` or `away`. How it goes on is `tests` of the state. */
export interface RunTestsParams {
  readonly session: string;
  /** Kept for the project of the session's folder. The kept one is run if absent. */
  readonly command?: string;
}

export interface RunTestsResult {
  /** `tests.id` of the state. */
  readonly id: string;
}

export interface SentComment {
  /** The message that it is in: the id of a turn, of a pending message or of a steering part. */
  readonly messageId: string;
  readonly by?: Author;
  readonly at: number;
}

/** `metadata.several` of sessions that got the same prompt, to be compared. Since version 2. */
export interface Several {
  /** What the sessions were asked, in short. */
  readonly title: string;
  /** All of them, this session too, in the same order in each. Some may not exist. */
  readonly members: readonly SeveralMember[];
}

export interface SeveralMember {
  readonly session: string;
  /** The model that was chosen for it: to create it again. */
  readonly model?: string;
}

export interface StopTestsParams {
  readonly session: string;
}

/** The last run of the project's tests in the folder of a session. */
export interface TestRun {
  readonly id: string;
  readonly command: string;
  /** Who started it. */
  readonly by?: Author;
  /**
   * `waiting`: other runs of the host come first. `failed`: it ended with another code than 0, or could not be started.
   * `lost`: the host has ended meanwhile.
   */
  readonly status: 'waiting' | 'running' | 'passed' | 'failed' | 'stopped' | 'timedOut' | 'lost';
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Absent unless the command has ended by itself. */
  readonly exitCode?: number;
  /** The end of what it printed, without escape sequences. Absent until it has ended. */
  readonly output?: string;
  /** It printed more than `output`. */
  readonly isCut?: true;
}
