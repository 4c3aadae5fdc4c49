import type {
  FetchDiffParams,
  FetchDiffResult,
  ListChangesParams,
  ListChangesResult,
  RestoreFilesParams,
  RestoreFilesResult,
  URI,
} from '@agenthost/protocol';
import type { CommandChannel, CommandOptions } from './connection/commandChannel.js';

/** Git may have to read a large folder. */
const GIT_MS = 120_000;

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

  /** @internal `HostClient.work` is one. */
  constructor(commands: CommandChannel) {
    this.#commands = commands;
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
}
