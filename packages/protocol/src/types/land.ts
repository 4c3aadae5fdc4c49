// Generated from the schemas by `npm run schemas`. Do not edit.

/**
 * Commits to the branch that is checked out. Fails with `turnInProgress` while a turn runs, and with `data.code`
 * `nothing`, `noIdentity`, `detached` or `inProgress`.
 */
export interface CommitChangesParams {
  readonly session: string;
  readonly message: string;
  /** Files and folders, relative to the session's folder. All that changed in it if absent. */
  readonly paths?: readonly string[];
  /** A person asks for the repository's own hooks. Without it nothing of the repository runs. */
  readonly runHooks?: true;
}

export interface CommitChangesResult {
  readonly commit: string;
  readonly branch: string;
  /** How many files it changes. */
  readonly count: number;
  /** The first of them. */
  readonly paths: readonly string[];
}

/**
 * Fails with `data.code` `conflict` and `data.paths`, with `uncommitted` where `into` is checked out with work that is
 * not committed, and as `commitChanges`.
 */
export interface MergeChangesParams {
  readonly session: string;
  /** A branch. Default: the session's base branch. */
  readonly into?: string;
  /** One commit, without the ones of the branch. */
  readonly squash?: true;
  readonly message?: string;
}

export interface MergeChangesResult {
  /** What `into` is now. */
  readonly commit: string;
  readonly branch: string;
  readonly into: string;
  readonly how: 'fastForward' | 'merge' | 'squash';
  /** How many came along. */
  readonly commits: number;
  /** The folder where `into` is checked out: its files have changed. */
  readonly updated?: string;
}

/** Says what `mergeChanges` would do, and changes nothing. Needs git 2.38 or newer (`tooOld`). */
export interface PreviewMergeParams {
  readonly session: string;
  /** A branch. Default: the session's base branch. */
  readonly into?: string;
}

export interface PreviewMergeResult {
  /** The session's branch. */
  readonly branch: string;
  readonly into: string;
  /** The newest commit of the session's branch. */
  readonly head: string;
  /** The newest commit of `into`. */
  readonly target: string;
  /** Commits that `into` lacks. */
  readonly ahead: number;
  /** Commits of `into` that the session's branch lacks. */
  readonly behind: number;
  /** Files that both have changed in ways that do not fit together. */
  readonly conflicts: { readonly count: number; readonly paths: readonly string[] };
  /** Files of the session's checkout that no commit has: they are not merged. */
  readonly uncommitted: number;
  /** `into` is checked out there, with work that is not committed: `mergeChanges` is refused. */
  readonly blocked?: { readonly folder: string; readonly uncommitted: number };
}

/** For a branch that was pushed. Made by `gh` or `glab` of the host, else there is a page to make it on. */
export interface PullRequestParams {
  readonly session: string;
  readonly remote?: string;
  /** A branch of the remote. Default: the session's base branch. */
  readonly into?: string;
  /** Default: the first line of the newest commit. */
  readonly title?: string;
  readonly body?: string;
}

export interface PullRequestResult {
  /** Of the request, or where one is made. Without any log-in data. */
  readonly url: string;
  /** The request exists. Else a person makes it at `url`. */
  readonly isMade: boolean;
  /** The program that made it. */
  readonly by?: 'gh' | 'glab';
  /** Why no program made it. */
  readonly reason?: string;
}

/**
 * Sends the session's branch, never by force, and asks for no password. `notify/progress` has the token
 * `push/<session>`. Fails with `data.code` `noRemote`, `noAccess`, `rejected`, `unreachable` or `refused`.
 */
export interface PushChangesParams {
  readonly session: string;
  /** Its name. Default: the one of the branch, else origin, else the only one. */
  readonly remote?: string;
}

export interface PushChangesResult {
  readonly remote: string;
  readonly branch: string;
  readonly commit: string;
  /** The remote had it already. */
  readonly isUpToDate?: true;
  /** The page of the repository, if it is on the web. */
  readonly url?: string;
}
