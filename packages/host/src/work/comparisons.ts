import type { ChangesSince } from '@agenthost/protocol';
import type { ChangedFile, ChangeList } from './changeList.js';
import { compareIndex, compareTrees, findBase } from './comparison.js';
import { GitError } from './gitError.js';
import type { OpenedWork } from './openWork.js';
import { checkPaths } from './restoreTree.js';
import { emptyTree } from './workAnswers.js';
import type { CurrentTree, WorkTree } from './workTree.js';
import { asBytes } from './zeroSplitter.js';

/** Trees that clients were told of and may ask for. */
const MAX_TOLD = 64;
const MAX_LISTS = 6;
const LISTS_MS = 60_000;

export interface Trees {
  readonly from: string;
  readonly to: string;
}

/** What is compared in one session, and the lists of it. */
export class Comparisons {
  readonly #baseBranch: () => string | undefined;
  readonly #told = new Set<string>();
  readonly #lists = new Map<string, Promise<ChangeList>>();
  #timer: NodeJS.Timeout | undefined;
  /** The tree of the last look, and for each kind of list what it was compared with. */
  #lastTree: string | undefined;
  readonly #lastFrom = new Map<ChangesSince, string>();

  constructor(baseBranch: () => string | undefined) {
    this.#baseBranch = baseBranch;
  }

  /** Somebody has looked at the folder, and this is its tree. */
  looked(tree: string): void {
    this.#lastTree = tree;
  }

  /**
   * The tree of the folder now. What it is compared with is most often the same as before, so lists are made meanwhile: of the tree of
   * the last look, and of a new one while it is written.
   */
  async look({ tree }: OpenedWork, sinces: readonly ChangesSince[]): Promise<CurrentTree> {
    const guesses = [...new Set(sinces.flatMap((since) => this.#lastFrom.get(since) ?? []))];
    const last = this.#lastTree;
    if (last !== undefined) for (const from of guesses) void this.#begin(tree, from, last);
    let early: readonly (readonly [from: string, list: Promise<ChangeList>])[] = [];
    const now = await tree.current(() => {
      early = guesses.map((from) => [from, compareIndex(tree, from)]);
      for (const [, list] of early) list.catch(() => {});
    });
    for (const [from, list] of early) if (from !== now.id) void this.#keep(from, now.id, list);
    return now;
  }

  /** The trees to compare: how it was, and how it is. */
  async between(work: OpenedWork, since: ChangesSince, now?: CurrentTree) {
    const { tree, snapshots, source } = work;
    const { id: to, leftOut } = now ?? (await this.look(work, [since]));
    const all = await snapshots.list();
    const isBase = since === 'base' && source === 'git';
    const base = isBase ? await findBase(tree, this.#baseBranch()) : undefined;
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

  atCursor(cursor: string) {
    const [, from = '', to = '', offset = ''] = /^([0-9a-f]+)\.([0-9a-f]+)\.(\d{1,9})$/.exec(cursor) ?? [];
    return { ...this.told(from, to), offset: Number(offset), leftOut: undefined, base: undefined, baseName: undefined };
  }

  /** Only trees of this session's folder can be read. */
  told(from = '', to = ''): Trees {
    if (this.#told.has(from) && this.#told.has(to)) return { from, to };
    throw new GitError('notFound', 'The host does not know these trees any more. List the changes again.');
  }

  async differing(work: OpenedWork, path: string, trees: Trees): Promise<ChangedFile> {
    checkPaths([path]);
    this.told(trees.from, trees.to);
    const file = (await this.list(work, trees)).files.find((one) => one.path === asBytes(path));
    if (!file) throw new GitError('notFound', `${JSON.stringify(path)} does not differ.`);
    return file;
  }

  /** Pages and diffs of one list are made from the same one. */
  list({ tree }: OpenedWork, { from, to }: Trees): Promise<ChangeList> {
    return this.#begin(tree, from, to);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#lists.clear();
  }

  #begin(tree: WorkTree, from: string, to: string): Promise<ChangeList> {
    return this.#keep(from, to, this.#lists.get(`${from} ${to}`) ?? compareTrees(tree, from, to));
  }

  #keep(from: string, to: string, list: Promise<ChangeList>): Promise<ChangeList> {
    const key = `${from} ${to}`;
    this.#lists.delete(key);
    this.#lists.set(key, list);
    // One that failed is tried again.
    list.catch(() => this.#lists.get(key) === list && this.#lists.delete(key));
    for (const old of [...this.#lists.keys()].slice(0, -MAX_LISTS)) this.#lists.delete(old);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#lists.clear(), LISTS_MS);
    this.#timer.unref();
    return list;
  }
}
