import { createHash } from 'node:crypto';
import { GitError } from './gitError.js';
import type { WorkTree } from './workTree.js';

/** Before and after a turn, and before files were restored (`u`). */
export type SnapshotKind = 'b' | 'a' | 'u';

export interface Snapshot {
  readonly ref: string;
  readonly commit: string;
  readonly kind: SnapshotKind;
  /** Of its turn, or for `u` the id to undo with. */
  readonly key: string;
  readonly number: number;
}

const MAX_SNAPSHOTS = 128;
const PREFIX = 'refs/agenthost';
const NAME = /^(\d{8})-([bau])-([0-9a-f]{20})$/;
const AUTHOR = {
  GIT_AUTHOR_NAME: 'agenthost',
  GIT_AUTHOR_EMAIL: 'agenthost@localhost',
  GIT_COMMITTER_NAME: 'agenthost',
  GIT_COMMITTER_EMAIL: 'agenthost@localhost',
};

/** The folder under which the snapshots of a session are. */
export function snapshotFolder(sessionId: string): string {
  const isPlain = /^[A-Za-z0-9_-]{1,100}$/.test(sessionId);
  return `${PREFIX}/${isPlain ? sessionId : hashed(sessionId)}`;
}

/** Snapshots of a session's folder, as references that keep trees from being removed. The number is bounded. */
export class Snapshots {
  readonly #tree: WorkTree;
  readonly #folder: string;
  #list: Snapshot[] | undefined;
  readonly #trees = new Map<string, string>();

  constructor(tree: WorkTree, sessionId: string) {
    this.#tree = tree;
    this.#folder = snapshotFolder(sessionId);
  }

  /** Oldest first. */
  async list(): Promise<readonly Snapshot[]> {
    this.#list ??= await this.#read();
    return this.#list;
  }

  async find(kind: SnapshotKind, id: string): Promise<Snapshot | undefined> {
    const key = hashed(id);
    return (await this.list()).findLast((one) => one.kind === kind && one.key === key);
  }

  /** Keeps a tree. The second one of the same turn and kind is dropped: the first is the truth. */
  async add(kind: SnapshotKind, id: string, tree: string): Promise<Snapshot> {
    const before = await this.find(kind, id);
    if (before) return before;
    const all = await this.list();
    const head = await this.#tree.line('rev-parse', '-q', '--verify', 'HEAD^{commit}');
    const { stdout } = await this.#tree.git(
      ['commit-tree', tree, ...(head === undefined ? [] : ['-p', head]), '-m', 'agenthost: a snapshot of the folder'],
      { writes: true, set: AUTHOR },
    );
    const commit = stdout.toString('utf8').trim();
    const number = (all.at(-1)?.number ?? 0) + 1;
    const key = hashed(id);
    const ref = `${this.#folder}/${String(number).padStart(8, '0')}-${kind}-${key}`;
    const gone = superfluous(all);
    await this.#update([`create ${ref} ${commit}`, ...gone.map((one) => `delete ${one.ref}`)]);
    this.#trees.set(commit, tree);
    const added: Snapshot = { ref, commit, kind, key, number };
    this.#list = [...all.filter((one) => !gone.includes(one)), added];
    return added;
  }

  /** The tree of a snapshot or of another commit. */
  async treeOf(commit: string): Promise<string> {
    const known = this.#trees.get(commit);
    if (known !== undefined) return known;
    const id = await this.#tree.line('rev-parse', '-q', '--verify', `${commit}^{tree}`);
    if (id === undefined) throw new GitError('failed', 'A tree that the host has kept is gone from the repository.');
    if (this.#trees.size >= MAX_SNAPSHOTS) this.#trees.clear();
    this.#trees.set(commit, id);
    return id;
  }

  async removeAll(): Promise<void> {
    const all = await this.#read();
    if (all.length > 0) await this.#update(all.map(({ ref }) => `delete ${ref}`));
    this.#list = [];
  }

  async #update(commands: readonly string[]): Promise<void> {
    await this.#tree.git(['update-ref', '--stdin'], { writes: true, stdin: `${commands.join('\n')}\n` });
  }

  async #read(): Promise<Snapshot[]> {
    const format = '--format=%(objectname) %(refname)';
    const { stdout } = await this.#tree.git(['for-each-ref', format, `${this.#folder}/`]);
    return stdout
      .toString('utf8')
      .split('\n')
      .flatMap((line) => {
        const [commit = '', ref = ''] = line.split(' ', 2);
        const [, number, kind, key] = NAME.exec(ref.slice(this.#folder.length + 1)) ?? [];
        if (number === undefined || kind === undefined || key === undefined) return [];
        return [{ ref, commit, kind: kind as SnapshotKind, key, number: Number(number) }];
      });
  }
}

/** Of the older half each second one goes when there are too many. The first stays: it is how the session began. */
function superfluous(all: readonly Snapshot[]): readonly Snapshot[] {
  if (all.length < MAX_SNAPSHOTS) return [];
  return all.slice(1, Math.floor(all.length / 2)).filter((_, index) => index % 2 === 0);
}

function hashed(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 20);
}
