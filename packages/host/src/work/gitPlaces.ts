import { realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { readSmallFile } from '../storage/fs/foreignFile.js';
import type { Setting } from './gitEnvironment.js';
import { GitError } from './gitError.js';
import { type ConfigEntry, parseConfigList, repositoryValue, withoutPrograms } from './gitPrograms.js';

/** A repository as git found it, checked. */
export interface GitPlace {
  /** The real path of the top folder of the checkout. */
  readonly top: string;
  readonly gitDir: string;
  /** The same as `gitDir`, but for worktrees. */
  readonly commonDir: string;
  /** Commits are signed, as configured. */
  readonly signs: boolean;
  /** Take the repository's programs away. */
  readonly settings: readonly Setting[];
}

/** Runs git with the fixed settings only, for commands that run no program: the output, or absent if it fails. */
export type PlainGit = (args: readonly string[]) => Promise<string | undefined>;

const MAX_KEPT = 256;
const KEPT_MS = 5_000;
const MAX_POINTER_BYTES = 8 * 1024;

interface Kept {
  readonly place: GitPlace;
  readonly stamp: string;
  readonly until: number;
}

/** Asks git where a folder's repository is and what it configures, again when a file of its configuration changes. */
export class GitPlaces {
  readonly #kept = new Map<string, Kept>();

  async of(key: string, git: PlainGit): Promise<GitPlace> {
    const kept = this.#kept.get(key);
    if (kept && kept.until > performance.now() && kept.stamp === (await stampOf(kept.place))) return kept.place;
    this.#kept.delete(key);
    const found = await lookUp(git);
    if (found.isWhole) {
      if (this.#kept.size >= MAX_KEPT) this.#kept.clear();
      this.#kept.set(key, { place: found.place, stamp: found.stamp, until: performance.now() + KEPT_MS });
    }
    return found.place;
  }
}

async function lookUp(git: PlainGit): Promise<{ place: GitPlace; stamp: string; isWhole: boolean }> {
  const answer = await git([
    'rev-parse',
    '--path-format=absolute',
    '--show-toplevel',
    '--absolute-git-dir',
    '--git-common-dir',
  ]);
  if (answer === undefined) {
    throw new GitError(
      'noRepository',
      'The folder is in no git repository with a work tree that git accepts (or it belongs to another user).',
    );
  }
  const [shownTop, gitDir, commonDir, ...more] = answer.replace(/\n$/, '').split('\n');
  if (shownTop === undefined || gitDir === undefined || commonDir === undefined || more.length > 0) {
    throw new GitError('refused', "The repository's path has a line break in it, so git is not run in it. Rename it.");
  }
  const top = await realpath(shownTop);
  // Before the configuration is read, so that a change meanwhile is noticed.
  const stamp = await stampOf({ gitDir, commonDir });
  const listed = await git(['config', '--list', '--show-scope', '-z']);
  if (listed === undefined) throw new GitError('refused', "The repository's configuration can't be read by git.");
  const entries = parseConfigList(listed);
  await refuseOtherWorkTree(top, gitDir, repositoryValue(entries, 'core.worktree'));
  const signs = isOn(entries.findLast(({ key }) => key === 'commit.gpgsign'));
  const place = { top, gitDir, commonDir, signs, settings: withoutPrograms(entries) };
  return { place, stamp, isWhole: !entries.some(({ key }) => /^include(?:if)?\./.test(key)) };
}

function isOn(entry: ConfigEntry | undefined): boolean {
  return entry !== undefined && /^(?:true|yes|on|[1-9]\d*)$/i.test(entry.value ?? 'true');
}

/** A work tree elsewhere would have files written that are not the session's. It may be named only as submodules do: where `.git` is. */
async function refuseOtherWorkTree(top: string, gitDir: string, workTree: string | undefined): Promise<void> {
  if (workTree === undefined) return;
  const named = await realpath(resolve(gitDir, workTree)).catch(() => undefined);
  if (named === top && (await leadsTo(join(top, '.git'), gitDir))) return;
  throw new GitError(
    'refused',
    "The repository's configuration has its work tree in another folder (core.worktree), so git is not run in it.",
  );
}

/** `.git` is the repository, or a file that names it. */
async function leadsTo(path: string, gitDir: string): Promise<boolean> {
  const text = await readSmallFile(path, MAX_POINTER_BYTES);
  const pointer = text === undefined ? path : /^gitdir: (.+)/.exec(text)?.[1]?.trim();
  if (pointer === undefined) return false;
  const [found, wanted] = await Promise.all([realpath(resolve(dirname(path), pointer)), realpath(gitDir)]).catch(
    () => [],
  );
  return found !== undefined && found === wanted;
}

async function stampOf({ gitDir, commonDir }: Pick<GitPlace, 'gitDir' | 'commonDir'>): Promise<string> {
  const files = [join(commonDir, 'config'), join(gitDir, 'config.worktree'), join(commonDir, 'config.worktree')];
  const stamps = await Promise.all(
    files.map(async (file) => {
      const found = await stat(file, { bigint: true }).catch(() => undefined);
      return found ? `${found.ino}.${found.size}.${found.mtimeNs}.${found.ctimeNs}` : '-';
    }),
  );
  return stamps.join(' ');
}
