import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  Author,
  ChangesComparison,
  ChangesState,
  FetchChangesParams,
  FetchDiffParams,
  FetchDiffResult,
  FetchVersionParams,
  FetchVersionResult,
  ListChangesParams,
  ListChangesResult,
  RestoreFilesParams,
  RestoreFilesResult,
  RevertChangesParams,
  RewindSessionParams,
  RewindSessionResult,
} from '@agenthost/protocol';
import type { SessionChecks } from './checks/sessionChecks.js';
import { compareFile, onWire } from './comparison.js';
import { Comparisons } from './comparisons.js';
import { readVersion } from './files/fileVersion.js';
import { SessionFiles } from './files/sessionFiles.js';
import { FolderWatch } from './folderWatch.js';
import { GitError, TurnRunning } from './gitError.js';
import type { LandContext } from './land/landContext.js';
import { type OpenedWork, openWork } from './openWork.js';
import { restoreKept } from './restoreKept.js';
import { restoreNotice, revertNotice } from './restoreNotice.js';
import { checkPaths } from './restoreTree.js';
import { differs, withoutHunks } from './revertFile.js';
import type { SessionWorkOptions } from './sessionWorkOptions.js';
import type { SnapshotKind } from './snapshots.js';
import { headOf, restoredFiles, shownChanges } from './workAnswers.js';
import { asBytes, readable } from './zeroSplitter.js';

const PAGE = 200;
/** A folder without a repository is not looked at again before each turn. */
const ABSENT_MS = 10_000;
const CLOSE_MS = 2_000;
const MAX_UNTOLD = 16;

/** What git sees of one session's work: changes, snapshots before and after each turn, and the way back. */
export class SessionWork {
  readonly #options: SessionWorkOptions;
  readonly #ending = new AbortController();
  /** Of what runs beside the queue. */
  readonly #besideEnding = new AbortController();
  /** Turns in which the host says what was done to the files. */
  readonly ownTurns = new Set<string>();
  /** Takes turns off the end of the conversation. Set by the session, which has it. */
  rewind: ((params: RewindSessionParams, by: Author) => Promise<RewindSessionResult>) | undefined;
  /** The files themselves, whatever git says of them. */
  readonly files: SessionFiles;
  readonly tests: SessionChecks | undefined;
  #opened: Promise<OpenedWork> | undefined;
  #absent: { readonly error: GitError; readonly until: number } | undefined;
  /** One thing at a time: they share an index. */
  #queue: Promise<unknown> = Promise.resolve();
  readonly #comparisons: Comparisons;
  /** Of the last snapshot. */
  #keptTree: string | undefined;
  /** What could not be said while a turn ran. */
  #untold: string[] = [];
  readonly #watch = new FolderWatch({
    look: () => this.#inTurn(async ({ tree }) => (await tree.current()).id),
    onChanged: () => this.#options.onChanged(),
  });

  constructor(options: SessionWorkOptions) {
    this.#options = options;
    this.tests = options.tests;
    this.#comparisons = new Comparisons(options.baseBranch);
    this.files = new SessionFiles({ ...options, signal: this.#besideEnding.signal });
  }

  /** Keeps the folder as it is before a turn. Never rejects: without a snapshot the turn goes on. */
  beforeTurn(turnId: string): Promise<void> {
    return this.#snapshot('b', turnId);
  }

  afterTurn(turnId: string): Promise<void> {
    return this.#snapshot('a', turnId);
  }

  /** Says what was done while a turn ran. */
  turnEnded(): void {
    const waiting = this.#untold;
    this.#untold = [];
    for (const text of waiting) this.tell(text);
  }

  /** Commits, merges or pushes. What takes long or does not need the index runs beside the rest (`isBeside`). */
  async land<T>(
    by: Author,
    task: (context: LandContext) => Promise<T>,
    { duringTurn = false, isBeside = false } = {},
  ): Promise<T> {
    const begin = async (work: OpenedWork) => {
      const { dir, folder, landDir = join(dir, 'land'), env, onChanged, onProgress = () => {} } = this.#options;
      if (work.source !== 'git') {
        throw new GitError('noRepository', 'The folder is in no git repository: there is nothing to commit to.');
      }
      if (!duringTurn && this.#options.isTurnRunning()) {
        throw new TurnRunning('Nothing is committed or merged while a turn runs. Stop the turn, or wait for its end.');
      }
      const baseBranch = this.#options.baseBranch();
      const { signal } = isBeside ? this.#besideEnding : this.#ending;
      const tell = (text: string) => this.tell(text);
      const context = { work, folder, dir, landDir, env, signal, baseBranch, by, tell, onChanged, onProgress };
      return isBeside ? () => task(context) : task(context).then((done) => () => Promise.resolve(done));
    };
    const finish = await this.#inTurn(begin);
    return finish();
  }

  listChanges({ since, limit = PAGE, cursor }: Omit<ListChangesParams, 'session'>): Promise<ListChangesResult> {
    return this.#inTurn(async (work) => {
      const { snapshots, source } = work;
      const checkedOut = source === 'git' ? headOf(work) : Promise.resolve({});
      // Awaited below; what fails before that is what is told.
      checkedOut.catch(() => {});
      const all = this.#comparisons;
      const place = cursor === undefined ? await all.between(work, since) : all.atCursor(cursor);
      const { from, to, offset } = place;
      const [list, head] = await Promise.all([all.list(work, place), checkedOut]);
      const files = list.files.slice(offset, offset + limit);
      const next = offset + files.length;
      return {
        source,
        ...(place.base && { base: place.base }),
        ...(place.baseName !== undefined && { baseName: place.baseName }),
        ...head,
        from,
        to,
        files: files.map(onWire),
        total: list.files.length,
        additions: list.additions,
        deletions: list.deletions,
        ...(list.isCut && { isCut: true as const }),
        ...(place.leftOut && place.leftOut.count > 0 && { leftOut: place.leftOut }),
        hasSnapshots: (await snapshots.list()).length > 0,
        ...(next < list.files.length && { nextCursor: `${from}.${to}.${next}` }),
      };
    });
  }

  /** All comparisons of one look, for the changes as a resource. */
  changes({ session, watch }: FetchChangesParams): Promise<ChangesState> {
    return this.#inTurn(async (work) => {
      const { source, snapshots } = work;
      const sinces = source === 'git' ? (['lastTurn', 'session', 'base'] as const) : (['lastTurn', 'session'] as const);
      const all = this.#comparisons;
      const [head, now] = await Promise.all([source === 'git' ? headOf(work) : {}, all.look(work, sinces)]);
      const comparisons: ChangesComparison[] = [];
      let base: { readonly base?: string; readonly baseName?: string } = {};
      for (const since of sinces) {
        const place = await all.between(work, since, now);
        if (place.base !== undefined) base = { base: place.base, ...(place.baseName && { baseName: place.baseName }) };
        comparisons.push(shownChanges(since, place, await all.list(work, place)));
      }
      this.#watch.told(now.id);
      if (watch) this.#watch.extend();
      const hasSnapshots = (await snapshots.list()).length > 0;
      return {
        session,
        comparisons,
        source,
        ...base,
        ...head,
        ...(hasSnapshots && { hasSnapshots: true as const }),
        ...(now.leftOut.count > 0 && { leftOut: now.leftOut }),
      };
    });
  }

  fetchDiff(params: Omit<FetchDiffParams, 'session'>): Promise<FetchDiffResult> {
    return this.#inTurn(async (work) => {
      const { since, path, cursor = 0 } = params;
      checkPaths([path]);
      const all = this.#comparisons;
      const trees = since === undefined ? all.told(params.from, params.to) : await all.between(work, since);
      const { from, to } = trees;
      const oldPath = (await all.list(work, trees)).files.find((file) => file.path === asBytes(path))?.oldPath;
      const wanted = { from, to, path, oldPath: oldPath === undefined ? undefined : readable(oldPath), cursor };
      const page = await compareFile(work.tree, wanted);
      if (!page) throw new GitError('notFound', `${JSON.stringify(path)} does not differ.`);
      return page;
    });
  }

  fetchVersion({ path, from, to, side }: Omit<FetchVersionParams, 'session'>): Promise<FetchVersionResult> {
    return this.#inTurn(async (work) =>
      readVersion(work, await this.#comparisons.differing(work, path, { from, to }), side),
    );
  }

  /** `isQuiet`: somebody else says what was done. */
  restore(
    { toTurnId, undo, paths }: Omit<RestoreFilesParams, 'session'>,
    by: Author,
    isQuiet = false,
  ): Promise<RestoreFilesResult> {
    return this.#inTurn(async ({ tree, snapshots, top, prefix }) => {
      const checked = paths && checkPaths(paths);
      const all = await snapshots.list();
      const target =
        toTurnId !== undefined
          ? await snapshots.find('b', toTurnId)
          : undo === 'last'
            ? all.findLast(({ kind }) => kind === 'u')
            : await snapshots.find('u', undo ?? '');
      if (!target)
        throw new GitError('notFound', 'There is no snapshot of that time any more, or there never was one.');
      if (this.#options.isTurnRunning()) {
        throw new TurnRunning('Files are not restored while a turn runs. Stop the turn, or wait for its end.');
      }
      const to = { target: await snapshots.treeOf(target.commit), paths: checked, dir: this.#options.dir, top };
      const restored = await restoreKept(tree, snapshots, to);
      this.#options.onChanged();
      const count = restored.files.length;
      if (count > 0 && !isQuiet) {
        const turn = toTurnId === undefined ? undefined : { number: this.#options.turnNumber(toTurnId) };
        this.tell(restoreNotice({ by, count, turn }));
      }
      return restoredFiles(restored, prefix);
    });
  }

  /** Writes a file back, or some of its hunks, if it still is what the diff showed. */
  revert({ path, from, to, hunks }: Omit<RevertChangesParams, 'session'>, by: Author): Promise<RestoreFilesResult> {
    return this.#inTurn(async (work) => {
      const { tree, snapshots, top, prefix } = work;
      const file = await this.#comparisons.differing(work, path, { from, to });
      const paths = [path, ...(file.oldPath === undefined ? [] : [readable(file.oldPath)])];
      const check = async (now: string) => {
        if (await differs(tree, to, now, paths)) {
          throw new GitError('changed', `${JSON.stringify(path)} has changed since. Look at it again.`);
        }
        await this.#mustBeIdle(work, now, paths);
      };
      await check((await tree.current()).id);
      const { dir } = this.#options;
      const isWhole = hunks === undefined || file.status === 'A' || file.status === 'D';
      const target = isWhole ? from : await withoutHunks(tree, { from, to, file, paths, hunks, dir, prefix });
      const restored = await restoreKept(tree, snapshots, { target, paths, dir, top }, check);
      this.#options.onChanged();
      if (restored.files.length > 0) this.tell(revertNotice(by, path, isWhole ? undefined : hunks.length));
      return restoredFiles(restored, prefix);
    });
  }

  /** A turn runs on while other files are reverted. */
  async #mustBeIdle({ tree, snapshots }: OpenedWork, now: string, paths: readonly string[]): Promise<void> {
    const turn = this.#options.activeTurn();
    if (!turn) return;
    const before = await snapshots.find('b', turn.id);
    const isTouched = !before || (await differs(tree, await snapshots.treeOf(before.commit), now, paths));
    if (!isTouched && !paths.some((path) => turn.names(path))) return;
    throw new TurnRunning('The running turn works on this file. Stop the turn, or wait for its end.');
  }

  /** Removes the snapshots and everything else that the host keeps of the work. The folder stays as it is. */
  async remove(): Promise<void> {
    await this.#next(async () => {
      const { mode, dir } = this.#options;
      if (mode !== 'none') {
        const opened = await this.#open().catch(() => undefined);
        if (opened?.source === 'git') await opened.snapshots.removeAll();
      }
      await rm(dir, { recursive: true, force: true });
    }).catch((error: unknown) =>
      this.#options.log.warn(`${this.#options.uri}: its snapshots could not be removed: ${String(error)}`),
    );
  }

  /** Lets what was begun end, and ends what takes too long. */
  async close(): Promise<void> {
    this.#watch.close();
    await this.tests?.close();
    this.files.forget();
    this.#besideEnding.abort();
    const timer = setTimeout(() => this.#ending.abort(), CLOSE_MS);
    await this.#queue;
    clearTimeout(timer);
    this.#comparisons.clear();
  }

  /** Says it in the conversation, when no turn runs. */
  tell(text: string): void {
    if (!this.#options.tell(text, this.ownTurns) && this.#untold.length < MAX_UNTOLD) this.#untold.push(text);
  }

  async #snapshot(kind: SnapshotKind, turnId: string): Promise<void> {
    this.files.forget();
    if (this.#absent && this.#absent.until > performance.now()) return;
    try {
      await this.#inTurn(async ({ tree, snapshots }) => {
        const { id } = await tree.current();
        await snapshots.add(kind, turnId, id);
        // With the next turn, "since the last turn" is something else.
        if (kind === 'a' ? id !== this.#keptTree : this.#watch.isActive) this.#options.onChanged();
        this.#keptTree = id;
        this.#comparisons.looked(id);
      });
    } catch (error) {
      const { log, uri } = this.#options;
      const isExpected = error instanceof GitError && ['noGit', 'noRepository', 'notTrusted'].includes(error.problem);
      log[isExpected ? 'debug' : 'warn'](`${uri}: there is no snapshot of its folder: ${String(error)}`);
      if (error instanceof GitError && error.problem !== 'busy') {
        this.#absent = { error, until: performance.now() + ABSENT_MS };
      }
    }
  }

  #inTurn<T>(task: (work: OpenedWork) => Promise<T>): Promise<T> {
    return this.#next(async () => {
      if (!this.#options.isTrusted()) {
        throw new GitError('notTrusted', 'Git is not run in this folder before somebody trusts it.');
      }
      return task(await this.#open());
    });
  }

  #next<T>(task: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(task);
    this.#queue = done.catch(() => {});
    return done;
  }

  async #open(): Promise<OpenedWork> {
    this.#opened ??= openWork({ ...this.#options, signal: this.#ending.signal });
    try {
      const opened = await this.#opened;
      // The repository may have changed, or may be gone.
      await opened.tree.place();
      this.#absent = undefined;
      return opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }
}
