import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type {
  Author,
  ChangesSince,
  FetchDiffParams,
  FetchDiffResult,
  ListChangesParams,
  ListChangesResult,
  RestoreFilesParams,
  RestoreFilesResult,
} from '@agenthost/protocol';
import type { HostLog } from '../hostLog.js';
import type { ChangeList } from './changeList.js';
import { compareFile, compareTrees, findBase, onWire } from './comparison.js';
import type { GitCommand } from './git.js';
import { GitError } from './gitError.js';
import { type OpenedWork, type OpenWorkOptions, openWork } from './openWork.js';
import { restoreNotice } from './restoreNotice.js';
import { checkPaths, type RestoreOptions, restoreTree, shownPath } from './restoreTree.js';
import type { SnapshotKind, Snapshots } from './snapshots.js';
import type { WorkTree } from './workTree.js';
import { asBytes, readable } from './zeroSplitter.js';

const PAGE = 200;
const MAX_NAMED = 100;
const MAX_LISTS = 3;
const LISTS_MS = 60_000;
/** Trees that clients were told of and may ask for. */
const MAX_TOLD = 64;
/** A folder without a repository is not looked at again before each turn. */
const ABSENT_MS = 10_000;
const CLOSE_MS = 2_000;
const RESTORE_ATTEMPTS = 4;
const RESTORE_PAUSE_MS = 50;

export interface SessionWorkOptions extends OpenWorkOptions {
  readonly uri: string;
  /** Nobody has to trust the folder first. */
  readonly isTrusted: () => boolean;
  readonly baseBranch: () => string | undefined;
  readonly isTurnRunning: () => boolean;
  /** The place of a turn in the conversation, counted from 1. */
  readonly turnNumber: (turnId: string) => number | undefined;
  /** Says something in the conversation, in a turn whose id is in `ownTurns` before it begins. */
  readonly tell: (text: string, ownTurns: Set<string>) => void;
  /** The files of the folder have changed. */
  readonly onChanged: () => void;
  readonly log: HostLog;
}

/** What git sees of one session's work: changes, snapshots before and after each turn, and the way back. */
export class SessionWork {
  readonly #options: SessionWorkOptions;
  readonly #ending = new AbortController();
  /** Turns in which the host says what was done to the files. */
  readonly ownTurns = new Set<string>();
  #opened: Promise<OpenedWork> | undefined;
  #absent: { readonly error: GitError; readonly until: number } | undefined;
  /** One thing at a time: they share an index. */
  #queue: Promise<unknown> = Promise.resolve();
  readonly #lists = new Map<string, Promise<ChangeList>>();
  #listsTimer: NodeJS.Timeout | undefined;
  readonly #told = new Set<string>();
  /** Of the last snapshot. */
  #keptTree: string | undefined;
  /** The tree of the last look, and for each kind of list what it was compared with. */
  #lastTree: string | undefined;
  readonly #lastFrom = new Map<ChangesSince, string>();

  constructor(options: SessionWorkOptions) {
    this.#options = options;
  }

  /** Keeps the folder as it is before a turn. Never rejects: without a snapshot the turn goes on. */
  beforeTurn(turnId: string): Promise<void> {
    return this.#snapshot('b', turnId);
  }

  afterTurn(turnId: string): Promise<void> {
    return this.#snapshot('a', turnId);
  }

  listChanges({ since, limit = PAGE, cursor }: Omit<ListChangesParams, 'session'>): Promise<ListChangesResult> {
    return this.#inTurn(async (work) => {
      const { snapshots, source } = work;
      const checkedOut = source === 'git' ? headOf(work) : Promise.resolve({});
      if (cursor === undefined) this.#guess(work, since);
      const place = cursor === undefined ? await this.#between(work, since) : this.#atCursor(cursor);
      const { from, to, offset } = place;
      const [list, head] = await Promise.all([this.#list(work, from, to), checkedOut]);
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

  fetchDiff(params: Omit<FetchDiffParams, 'session'>): Promise<FetchDiffResult> {
    return this.#inTurn(async (work) => {
      const { since, path, cursor = 0 } = params;
      checkPaths([path]);
      if (since === undefined) this.#mustBeTold(params.from, params.to);
      const { from, to } =
        since === undefined ? { from: params.from ?? '', to: params.to ?? '' } : await this.#between(work, since);
      const bytes = asBytes(path);
      const oldPath = (await this.#list(work, from, to)).files.find((file) => file.path === bytes)?.oldPath;
      const wanted = { from, to, path, oldPath: oldPath === undefined ? undefined : readable(oldPath), cursor };
      const page = await compareFile(work.tree, wanted);
      if (!page) throw new GitError('notFound', `${JSON.stringify(path)} does not differ.`);
      return page;
    });
  }

  restore({ toTurnId, undo, paths }: Omit<RestoreFilesParams, 'session'>, by: Author): Promise<RestoreFilesResult> {
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
      if (this.#options.isTurnRunning()) throw new TurnRunning();
      const { dir } = this.#options;
      const to = { target: await snapshots.treeOf(target.commit), paths: checked, dir, top };
      const { files, skipped, undoId } = await this.#restored(tree, snapshots, to);
      this.#options.onChanged();
      if (files.length > 0) {
        const turn = toTurnId === undefined ? undefined : { number: this.#options.turnNumber(toTurnId) };
        this.#options.tell(restoreNotice({ by, count: files.length, turn }), this.ownTurns);
      }
      const shown = (some: readonly string[]) => some.slice(0, MAX_NAMED).map((path) => shownPath(path, prefix));
      return {
        count: files.length,
        paths: shown(files),
        undo: undoId,
        ...(skipped.length > 0 && { skipped: { count: skipped.length, paths: shown(skipped) } }),
      };
    });
  }

  /**
   * Keeps the folder as it is, then brings files back. Git writes nothing when a file changes in this moment, as by a run of git that has
   * outlived a killed host: then the folder is kept and compared again.
   */
  async #restored(tree: WorkTree, snapshots: Snapshots, to: Omit<RestoreOptions, 'now'>) {
    for (let attempt = 1; ; attempt++) {
      const now = (await tree.current()).id;
      const undoId = randomUUID();
      await snapshots.add('u', undoId, now);
      try {
        return { ...(await restoreTree(tree, { ...to, now })), undoId };
      } catch (error) {
        if (!(error instanceof GitError && error.problem === 'failed')) throw error;
        if (attempt === RESTORE_ATTEMPTS) {
          throw new GitError('busy', `Files change while they are restored. Try again. (${error.message})`);
        }
        await delay(RESTORE_PAUSE_MS * attempt);
      }
    }
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
    const timer = setTimeout(() => this.#ending.abort(), CLOSE_MS);
    await this.#queue;
    clearTimeout(timer);
    clearTimeout(this.#listsTimer);
    this.#lists.clear();
  }

  async #snapshot(kind: SnapshotKind, turnId: string): Promise<void> {
    if (this.#absent && this.#absent.until > performance.now()) return;
    try {
      await this.#inTurn(async ({ tree, snapshots }) => {
        const { id } = await tree.current();
        await snapshots.add(kind, turnId, id);
        if (kind === 'a' && id !== this.#keptTree) this.#options.onChanged();
        this.#keptTree = id;
        this.#lastTree = id;
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

  /** The trees to compare: how it was, and how it is. */
  async #between(work: OpenedWork, since: ChangesSince) {
    const { tree, snapshots, source } = work;
    const { id: to, leftOut } = await tree.current();
    const all = await snapshots.list();
    const isBase = since === 'base' && source === 'git';
    const base = isBase ? await findBase(tree, this.#options.baseBranch()) : undefined;
    const snapshot = since === 'lastTurn' ? all.findLast(({ kind }) => kind === 'b') : all[0];
    const commit = isBase ? base?.commit : snapshot?.commit;
    const from = commit === undefined ? (isBase ? await emptyTree(work) : to) : await snapshots.treeOf(commit);
    this.#lastFrom.set(since, from);
    this.#lastTree = to;
    for (const id of [from, to]) {
      this.#told.delete(id);
      this.#told.add(id);
    }
    for (const id of [...this.#told].slice(0, -MAX_TOLD)) this.#told.delete(id);
    return { from, to, offset: 0, leftOut, base: base?.commit, baseName: base?.name };
  }

  /** Most often nothing has changed since the last look: then the list is ready when that is known. */
  #guess(work: OpenedWork, since: ChangesSince): void {
    const from = since === 'base' ? undefined : this.#lastFrom.get(since);
    if (from === undefined || this.#lastTree === undefined) return;
    this.#list(work, from, this.#lastTree).catch(() => {});
  }

  #atCursor(cursor: string) {
    const [, from = '', to = '', offset = ''] = /^([0-9a-f]+)\.([0-9a-f]+)\.(\d{1,9})$/.exec(cursor) ?? [];
    this.#mustBeTold(from, to);
    return { from, to, offset: Number(offset), leftOut: undefined, base: undefined, baseName: undefined };
  }

  /** Only trees of this session's folder can be read. */
  #mustBeTold(from: string | undefined, to: string | undefined): void {
    if (this.#told.has(from ?? '') && this.#told.has(to ?? '')) return;
    throw new GitError('notFound', 'The host does not know these trees any more. List the changes again.');
  }

  /** Pages and diffs of one list are made from the same one. */
  async #list(work: OpenedWork, from: string, to: string): Promise<ChangeList> {
    const key = `${from} ${to}`;
    const list = this.#lists.get(key) ?? compareTrees(work.tree, from, to);
    this.#lists.delete(key);
    this.#lists.set(key, list);
    // One that failed is tried again.
    list.catch(() => this.#lists.delete(key));
    for (const old of [...this.#lists.keys()].slice(0, -MAX_LISTS)) this.#lists.delete(old);
    clearTimeout(this.#listsTimer);
    this.#listsTimer = setTimeout(() => this.#lists.clear(), LISTS_MS);
    this.#listsTimer.unref();
    return list;
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

/** Files can't be restored now. */
export class TurnRunning extends Error {
  override readonly name = 'TurnRunning';
}

async function emptyTree({ tree }: OpenedWork): Promise<string> {
  const { stdout } = await tree.git(['mktree'], { writes: true, stdin: '' });
  return stdout.toString('utf8').trim();
}

/** What is checked out. */
async function headOf({ tree }: OpenedWork): Promise<{ readonly head?: string; readonly branch?: string }> {
  const both: readonly [GitCommand, ...string[]] = ['rev-parse', '-q', 'HEAD', '--symbolic-full-name', 'HEAD'];
  const { exitCode, stdout } = await tree.git(both, { okCodes: [0, 1, 128] });
  const [head = '', ref = ''] = exitCode === 0 ? stdout.toString('utf8').split('\n') : [];
  // Without a commit there is a branch all the same.
  const branch = head === '' ? await tree.line('symbolic-ref', '-q', '--short', 'HEAD') : branchOf(ref);
  return { ...(head !== '' && { head }), ...(branch !== undefined && { branch }) };
}

function branchOf(ref: string): string | undefined {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined;
}
