import { lstat, mkdir, realpath, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { runGit } from './git.js';
import type { Environment } from './gitEnvironment.js';
import { GitError } from './gitError.js';
import { Snapshots } from './snapshots.js';
import { WorkTree, type WorkTreeLimits } from './workTree.js';

/** `git`: only in folders that have a repository. `all`: also in others, in a repository of the host's. */
export type SnapshotMode = 'all' | 'git' | 'none';

export interface OpenWorkOptions {
  readonly sessionId: string;
  readonly folder: string;
  /** A private folder of the session, which may not exist yet. */
  readonly dir: string;
  readonly mode: SnapshotMode;
  readonly env?: Environment;
  /** Ends every run of git. */
  readonly signal?: AbortSignal;
  /** Of a folder without a repository. Without one nothing says what belongs to the work: a folder that is too large is none. */
  readonly ownLimits?: WorkTreeLimits;
}

export interface OpenedWork {
  readonly source: 'git' | 'snapshots';
  readonly tree: WorkTree;
  readonly snapshots: Snapshots;
  readonly top: string;
  /** From the top of the checkout to the session's folder: empty, or with a slash at its end. */
  readonly prefix: string;
}

const MEBI = 1024 * 1024;
const OWN_REPOSITORY = 'snapshots.git';
/** Where the references are that are removed with the session. */
export const PLACE_FILE = 'place.json';
const OWN_LIMITS: WorkTreeLimits = { files: 20_000, bytes: 256 * MEBI, listMs: 5_000 };
const IGNORED = ['node_modules/', '.venv/', '__pycache__/', '.cache/', ''];

/**
 * The repository of the folder; without one, that of the session in its private folder.
 *
 * @throws {GitError} if there is none, or none in which git may be run
 */
export async function openWork(options: OpenWorkOptions): Promise<OpenedWork> {
  const { sessionId, dir, mode, env, signal } = options;
  const folder = await realpath(options.folder).catch(() => options.folder);
  const given = { folder, dir, ...(env && { env }), ...(signal && { signal }) };
  const own = join(dir, OWN_REPOSITORY);
  // A repository that the agent makes later does not hide the snapshots before.
  const hasOwn = mode === 'all' && (await lstat(own).catch(() => undefined))?.isDirectory() === true;
  if (!hasOwn) {
    const tree = new WorkTree(given);
    try {
      const { top, gitDir } = await tree.place();
      if (mode !== 'none') await keepPlace(dir, { folder, gitDir });
      const inside = relative(top, folder);
      const snapshots = new Snapshots(tree, sessionId);
      return { source: 'git', tree, snapshots, top, prefix: inside === '' ? '' : `${inside}/` };
    } catch (error) {
      const isWithout = error instanceof GitError && error.problem === 'noRepository';
      if (!isWithout || mode !== 'all') throw error;
    }
    await makeOwn(folder, own, env);
  }
  const tree = new WorkTree({ ...given, gitDir: own, limits: options.ownLimits ?? OWN_LIMITS });
  await tree.place();
  return { source: 'snapshots', tree, snapshots: new Snapshots(tree, sessionId), top: folder, prefix: '' };
}

async function makeOwn(folder: string, own: string, env: Environment | undefined): Promise<void> {
  const isFolder = (await lstat(folder).catch(() => undefined))?.isDirectory() === true;
  if (!isFolder) throw new GitError('noRepository', 'The folder does not exist.');
  if (folder === '/' || folder === (env?.['HOME'] ?? homedir())) {
    throw new GitError(
      'refused',
      'The folder is a whole home or disk without a git repository: no snapshots are made.',
    );
  }
  await mkdir(own, { recursive: true, mode: 0o700 });
  await runGit(folder, ['init', '-q', '--bare', '--template=', own], { writes: true, ...(env && { env }) });
  await mkdir(join(own, 'info'), { recursive: true });
  await writeFile(join(own, 'info/exclude'), IGNORED.join('\n'));
}

async function keepPlace(dir: string, place: { readonly folder: string; readonly gitDir: string }): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await writeFile(join(dir, PLACE_FILE), JSON.stringify(place), { mode: 0o600 });
}
