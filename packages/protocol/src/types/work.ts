// Generated from the schemas by `npm run schemas`. Do not edit.

/** A file that differs. */
export interface ChangedFile {
  /** Relative to the session's folder. */
  readonly path: string;
  /** What a renamed file was called. */
  readonly oldPath?: string;
  /** Modified, added (also what git does not track yet), deleted, renamed. */
  readonly status: 'M' | 'A' | 'D' | 'R';
  /** Lines; absent for what is not text. */
  readonly additions?: number;
  readonly deletions?: number;
  readonly isBinary?: true;
  /** What it is, if it is no plain file. */
  readonly kind?: 'link' | 'submodule';
  /** Of its content now: while it stays the same, so does the content. Absent for a deleted file. */
  readonly id?: string;
}

/** What differs, and from what. */
export interface ChangesComparison {
  readonly since: ChangesSince;
  /** The trees that were compared, for `fetchDiff` and `revertChanges`. */
  readonly from: string;
  readonly to: string;
  /** How many files differ. */
  readonly total: number;
  readonly additions: number;
  readonly deletions: number;
  /** There are more files than are counted. */
  readonly isCut?: true;
  /** Ordered by path. */
  readonly files: readonly ChangedFile[];
  /** There are more files than `files`: `listChanges` has them. */
  readonly truncated?: true;
}

/** Since before the last turn, since before the first turn, or against the base branch. */
export type ChangesSince = 'lastTurn' | 'session' | 'base';

/** The changes of a session's folder: the state of `agenthost:changes/<provider>/<id>`. Since version 2. */
export interface ChangesState {
  readonly session: string;
  /** `lastTurn`, `session` and `base`, in this order; those that the folder has. Empty while loading. */
  readonly comparisons: readonly ChangesComparison[];
  /** The host has not looked yet. */
  readonly isLoading?: true;
  /**
   * Why there is nothing to compare, ready to display. `code` is `noGit`, `noRepository`, `notTrusted` or `refused`, or
   * another word.
   */
  readonly problem?: { readonly code?: string; readonly message: string };
  /** The repository of the folder, or for a folder without one, the host's own snapshots. */
  readonly source?: 'git' | 'snapshots';
  /** The commit that `base` compares with. */
  readonly base?: string;
  /** The branch that it is from. */
  readonly baseName?: string;
  /** The commit that is checked out. */
  readonly head?: string;
  /** Absent while HEAD is detached. */
  readonly branch?: string;
  /** Without a snapshot, `lastTurn` and `session` have no files. */
  readonly hasSnapshots?: true;
  /** Files that are too large or could not be read, and the first of them: their last changes are not seen. */
  readonly leftOut?: { readonly count: number; readonly paths: readonly string[] };
}

export interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** What git shows beside it, such as the function that it is in. */
  readonly heading?: string;
  /** Each begins with a space, `+` or `-`, or with `\` for a file without a line end. Long ones end with `…`. */
  readonly lines: readonly string[];
}

export interface FetchChangesParams {
  readonly session: string;
  /** The host looks after the files for a minute, and tells `notify/workChanged` when some have changed. */
  readonly watch?: true;
}

/** Fails with `notFound` for a file that does not differ, and for trees that no list had lately. */
export interface FetchDiffParams {
  readonly session: string;
  /** Relative to the session's folder. */
  readonly path: string;
  /** Either this, or `from` and `to`. */
  readonly since?: ChangesSince;
  /** `from` and `to` of a list of changes of this session. */
  readonly from?: string;
  readonly to?: string;
  /** `nextCursor` of the page before, with its `from` and `to`. */
  readonly cursor?: number;
}

export interface FetchDiffResult {
  readonly from: string;
  readonly to: string;
  readonly file: ChangedFile;
  readonly kind: 'text' | 'binary' | 'image' | 'link' | 'submodule';
  /** In bytes, of what is not text. */
  readonly oldSize?: number;
  readonly newSize?: number;
  /** A hunk may go on in the next page. */
  readonly hunks: readonly DiffHunk[];
  readonly nextCursor?: number;
}

/**
 * Fails with `data.code` `notFound` where there is no such file, and with `refused` for what a checkout would not write
 * as it is stored: a file that a filter of git changes, a link, a submodule, and one of more than `MAX_VERSION_BYTES`.
 */
export interface FetchVersionParams {
  readonly session: string;
  /** Of a file that differs, relative to the session's folder. */
  readonly path: string;
  /** `from` and `to` of a list of changes of this session. */
  readonly from: string;
  readonly to: string;
  /** As it is in `from`, under its old name if it was renamed, or as in `to`. */
  readonly side: 'old' | 'new';
}

export interface FetchVersionResult {
  readonly size: number;
  /** All of it, as base64: what git would write into the folder. */
  readonly data: string;
}

/** Of a hunk of `fetchDiff`. */
export interface HunkRange {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
}

/** Fails with `data.code` where there is nothing to compare: `noGit`, `noRepository`, `notTrusted`, `refused`. */
export interface ListChangesParams {
  readonly session: string;
  readonly since: ChangesSince;
  readonly limit?: number;
  /** `nextCursor` of the page before: the same state of the folder. */
  readonly cursor?: string;
}

export interface ListChangesResult {
  /** The repository of the folder, or for a folder without one, the host's own snapshots. */
  readonly source: 'git' | 'snapshots';
  /** The commit that `base` compares with. */
  readonly base?: string;
  /** The branch that it is from. */
  readonly baseName?: string;
  /** The commit that is checked out. */
  readonly head?: string;
  /** Absent while HEAD is detached. */
  readonly branch?: string;
  /** The tree that was compared, for `fetchDiff`. */
  readonly from: string;
  readonly to: string;
  /** Ordered by path. */
  readonly files: readonly ChangedFile[];
  readonly total: number;
  readonly additions: number;
  readonly deletions: number;
  /** There are more files than are counted. */
  readonly isCut?: true;
  /** Files that are too large or could not be read, and the first of them: their last changes are not seen. */
  readonly leftOut?: { readonly count: number; readonly paths: readonly string[] };
  /** Without a snapshot, `lastTurn` and `session` have no files. */
  readonly hasSnapshots: boolean;
  readonly nextCursor?: string;
}

/**
 * Fails with `turnInProgress` while a turn runs. Ignored files, submodules, the index and commits stay as they are.
 */
export interface RestoreFilesParams {
  readonly session: string;
  /** The files as they were before this turn. Either this, or `undo`. */
  readonly toTurnId?: string;
  /** `undo` of an earlier answer, or `last`: takes back that restoring. */
  readonly undo?: string;
  /** Files and folders, relative to the session's folder. All of it if absent. */
  readonly paths?: readonly string[];
}

export interface RestoreFilesResult {
  /** How many files were written or removed. */
  readonly count: number;
  /** The first of them. */
  readonly paths: readonly string[];
  /** Takes it back. */
  readonly undo: string;
  /** What was left as it is: submodules, and places where a file is that git ignores. */
  readonly skipped?: { readonly count: number; readonly paths: readonly string[] };
}

/**
 * Writes the file back as it was in `from`. Fails with `data.code` `changed` if it is not as in `to` any more, and with
 * `turnInProgress` while the running turn works on it.
 */
export interface RevertChangesParams {
  readonly session: string;
  /** Of a file that differs, relative to the session's folder. */
  readonly path: string;
  /** `from` and `to` of the diff that was looked at. */
  readonly from: string;
  readonly to: string;
  /** Only these hunks of that diff, each as a whole. The whole file if absent. */
  readonly hunks?: readonly HunkRange[];
}

/**
 * Fails with `turnInProgress` while a turn runs. Nothing is removed when the files can not be restored. The agent knows
 * only what remains.
 */
export interface RewindSessionParams {
  readonly session: string;
  /** The first turn that is removed, with all turns after it. */
  readonly turnId: string;
  /** The files become what they were before that turn, where there is a snapshot. */
  readonly restoreFiles?: true;
}

export interface RewindSessionResult {
  /** How many turns were removed. */
  readonly removed: number;
  readonly restored?: RestoreFilesResult;
}
