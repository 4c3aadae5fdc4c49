import type {
  ChangesState,
  CommitChangesParams,
  CommitChangesResult,
  FetchDiffParams,
  FetchDiffResult,
  FetchVersionParams,
  FetchVersionResult,
  ListChangesParams,
  ListChangesResult,
  MergeChangesParams,
  MergeChangesResult,
  PreviewMergeParams,
  PreviewMergeResult,
  PullRequestParams,
  PullRequestResult,
  PushChangesParams,
  PushChangesResult,
  RestoreFilesParams,
  RestoreFilesResult,
  RevertChangesParams,
  RewindSessionParams,
  RewindSessionResult,
  RunTestsResult,
  URI,
} from '@agenthost/protocol';
import type { ChangedAction } from '@agenthost/protocol/internal';
import type { CommandChannel, CommandOptions } from './connection/commandChannel.js';
import type { ChangesWatches, WatchedChanges } from './sync/changesWatches.js';

/** Git may have to read a large folder. */
const GIT_MS = 120_000;
/** A checkout of very many files, hooks, or a slow network. */
const LONG_MS = 11 * 60_000;

/**
 * The files of a session's folder as git sees them. `notify/workChanged` says when to look again.
 *
 * @example
 * ```ts
 * const { files, from, to } = await host.work.listChanges(session.uri, { since: 'lastTurn' });
 * for (const { path, status, additions = 0, deletions = 0 } of files) {
 *   console.log(`${status} ${path} +${additions} -${deletions}`);
 *   const { hunks } = await host.work.fetchDiff(session.uri, { path, from, to });
 *   for (const { lines } of hunks) console.log(lines.join('\n'));
 * }
 * ```
 */
export class WorkClient {
  readonly #commands: CommandChannel;
  readonly #watches: ChangesWatches;

  /** @internal `HostClient.work` is one. */
  constructor(commands: CommandChannel, watches: ChangesWatches) {
    this.#commands = commands;
    this.#watches = watches;
  }

  /**
   * Follows the changes of a session until it is disposed of: after each turn, and when files change.
   *
   * @example
   * ```ts
   * const changes = host.work.watchChanges(session.uri);
   * changes.state.subscribe(({ comparisons }) => console.log(comparisons.map(({ since, total }) => `${since}: ${total}`)));
   * changes.dispose();
   * ```
   */
  watchChanges(session: URI): WatchedChanges {
    return this.#watches.watch(session);
  }

  /** @internal */
  receive(action: ChangedAction, serverSeq: number): void {
    this.#watches.receive(action, serverSeq);
  }

  /** All comparisons at once, with the first files of each. Rejects as `listChanges` does. */
  fetchChanges(session: URI, options?: CommandOptions): Promise<ChangesState> {
    return this.#commands.request('fetchChanges', { session }, { timeoutMs: GIT_MS, ...options });
  }

  /**
   * Writes a file back as it was in `from` of a diff, or some of its hunks. Rejects with `data.code` `changed` if it is not what the
   * diff showed any more. `restoreFiles` takes it back, with `undo` of the answer and the paths in it.
   *
   * @example
   * ```ts
   * const { from, to, hunks } = await host.work.fetchDiff(session.uri, { path: 'a.ts', since: 'session' });
   * const [first] = hunks;
   * if (first) await host.work.revertChanges(session.uri, { path: 'a.ts', from, to, hunks: [first] });
   * ```
   */
  revertChanges(
    session: URI,
    params: Omit<RevertChangesParams, 'session'>,
    options?: CommandOptions,
  ): Promise<RestoreFilesResult> {
    return this.#commands.request('revertChanges', { session, ...params }, { timeoutMs: GIT_MS, ...options });
  }

  /**
   * Removes a turn and all after it, so that the conversation goes on from before: send a changed message next. The agent knows only
   * what remains. With `restoreFiles` the files become what they were before that turn.
   *
   * @example
   * ```ts
   * await host.work.rewindSession(session.uri, { turnId: turn.id, restoreFiles: true });
   * await session.send('The same, but in two files');
   * ```
   */
  rewindSession(
    session: URI,
    params: Omit<RewindSessionParams, 'session'>,
    options?: CommandOptions,
  ): Promise<RewindSessionResult> {
    return this.#commands.request('rewindSession', { session, ...params }, { timeoutMs: GIT_MS, ...options });
  }

  /**
   * What has changed since the last turn, in the session, or against the base branch, a page at a time. Rejects with `data.code`
   * `noGit`, `noRepository`, `notTrusted` or `refused` where there is nothing to compare.
   *
   * @example
   * ```ts
   * const { total, additions, deletions } = await host.work.listChanges(session.uri, { since: 'base' });
   * console.log(`${total} files, +${additions} -${deletions}`);
   * ```
   */
  listChanges(
    session: URI,
    params: Omit<ListChangesParams, 'session'>,
    options?: CommandOptions,
  ): Promise<ListChangesResult> {
    return this.#commands.request('listChanges', { session, ...params }, { timeoutMs: GIT_MS, ...options });
  }

  /**
   * A page of the differences in one file. With `from` and `to` of a list, all pages are of the same state.
   *
   * @example
   * ```ts
   * const { kind, hunks } = await host.work.fetchDiff(session.uri, { path: 'README.md', since: 'session' });
   * if (kind === 'text') for (const { lines } of hunks) console.log(lines.join('\n'));
   * ```
   */
  fetchDiff(
    session: URI,
    params: Omit<FetchDiffParams, 'session'>,
    options?: CommandOptions,
  ): Promise<FetchDiffResult> {
    return this.#commands.request('fetchDiff', { session, ...params }, { timeoutMs: GIT_MS, ...options });
  }

  /**
   * All of a changed file as it was before the changes or as it is now, with `from` and `to` of a list. Rejects with `data.code`
   * `refused` for what can't be given as a whole.
   *
   * @example
   * ```ts
   * const { files, from, to } = await host.work.listChanges(session.uri, { since: 'session' });
   * const { data } = await host.work.fetchVersion(session.uri, { path: files[0]?.path ?? '', from, to, side: 'old' });
   * console.log(atob(data));
   * ```
   */
  fetchVersion(
    session: URI,
    params: Omit<FetchVersionParams, 'session'>,
    options?: CommandOptions,
  ): Promise<FetchVersionResult> {
    return this.#commands.request('fetchVersion', { session, ...params }, { timeoutMs: GIT_MS, ...options });
  }

  /**
   * Brings files back to how they were before a turn, all of them or those of `paths`. `undo` of the answer takes it back.
   *
   * @example
   * ```ts
   * const { count, undo } = await host.work.restoreFiles(session.uri, { toTurnId: turn.id });
   * if (count > 100) await host.work.restoreFiles(session.uri, { undo });
   * ```
   */
  restoreFiles(
    session: URI,
    params: Omit<RestoreFilesParams, 'session'>,
    options?: CommandOptions,
  ): Promise<RestoreFilesResult> {
    return this.#commands.request('restoreFiles', { session, ...params }, { timeoutMs: GIT_MS, ...options });
  }

  /**
   * Commits what has changed in the session's folder, or `paths` of it, to the branch that is checked out. Hooks of the repository run
   * only with `runHooks`. Rejects with `data.code` `nothing`, `noIdentity`, `detached`, `inProgress` or `rejected` (by a hook).
   *
   * @example
   * ```ts
   * const { commit, count } = await host.work.commitChanges(session.uri, { message: 'Fix the parser' });
   * console.log(`${count} files as ${commit.slice(0, 7)}`);
   * ```
   */
  commitChanges(
    session: URI,
    params: Omit<CommitChangesParams, 'session'>,
    options?: CommandOptions,
  ): Promise<CommitChangesResult> {
    return this.#commands.request('commitChanges', { session, ...params }, { timeoutMs: LONG_MS, ...options });
  }

  /**
   * What a merge of the session's branch would do: whether it conflicts, and what is not committed. It changes nothing.
   *
   * @example
   * ```ts
   * const merge = await host.work.previewMerge(session.uri);
   * if (merge.conflicts.count > 0) await session.send(conflictRequest(merge));
   * else await host.work.mergeChanges(session.uri, { squash: true });
   * ```
   */
  previewMerge(
    session: URI,
    params: Omit<PreviewMergeParams, 'session'> = {},
    options?: CommandOptions,
  ): Promise<PreviewMergeResult> {
    return this.#commands.request('previewMerge', { session, ...params }, { timeoutMs: GIT_MS, ...options });
  }

  /**
   * Merges the session's branch into its base branch or into `into`. Rejects with `data.code` `conflict` and `data.paths`, and with
   * `uncommitted` where that branch is checked out with work that no commit has.
   *
   * @example
   * ```ts
   * const { into, how } = await host.work.mergeChanges(session.uri, { squash: true, message: 'A better parser' });
   * console.log(`${into}: ${how}`);
   * ```
   */
  mergeChanges(
    session: URI,
    params: Omit<MergeChangesParams, 'session'> = {},
    options?: CommandOptions,
  ): Promise<MergeChangesResult> {
    return this.#commands.request('mergeChanges', { session, ...params }, { timeoutMs: LONG_MS, ...options });
  }

  /**
   * Pushes the session's branch to a remote. The host asks for no password: it needs a credential helper or an SSH key. The progress is
   * a `notify/progress` with the token `push/` and the session's URI.
   *
   * @example
   * ```ts
   * const { remote, branch } = await host.work.pushChanges(session.uri);
   * console.log(`${branch} is at ${remote}`);
   * ```
   */
  pushChanges(
    session: URI,
    params: Omit<PushChangesParams, 'session'> = {},
    options?: CommandOptions,
  ): Promise<PushChangesResult> {
    return this.#commands.request('pushChanges', { session, ...params }, { timeoutMs: LONG_MS, ...options });
  }

  /**
   * Opens a pull request for a branch that was pushed, by `gh` or `glab` of the host; else `url` is where a person opens one.
   *
   * @example
   * ```ts
   * const { url, isMade } = await host.work.pullRequest(session.uri, { title: 'A better parser' });
   * console.log(isMade ? `See ${url}` : `Open it at ${url}`);
   * ```
   */
  pullRequest(
    session: URI,
    params: Omit<PullRequestParams, 'session'> = {},
    options?: CommandOptions,
  ): Promise<PullRequestResult> {
    return this.#commands.request('pullRequest', { session, ...params }, { timeoutMs: GIT_MS, ...options });
  }

  /** How the tests of the session's project are run; nothing while nobody has said so. */
  async fetchTestCommand(session: URI, options?: CommandOptions): Promise<string | undefined> {
    return (await this.#commands.request('fetchTestCommand', { session }, options)).command;
  }

  /**
   * Runs the project's tests in the session's folder. `state.tests` of the session says how that goes on. A command is kept for the
   * project. Rejects with `data.code` `noCommand`, `running`, `notTrusted` or `away`.
   *
   * @example
   * ```ts
   * await host.work.runTests(session.uri, 'npm test');
   * session.state.subscribe(({ tests }) => console.log(tests?.status, tests?.exitCode));
   * ```
   */
  runTests(session: URI, command?: string, options?: CommandOptions): Promise<RunTestsResult> {
    return this.#commands.request('runTests', { session, ...(command !== undefined && { command }) }, options);
  }

  /** Resolves when no process of the run is left. */
  async stopTests(session: URI, options?: CommandOptions): Promise<void> {
    await this.#commands.request('stopTests', { session }, options);
  }
}
