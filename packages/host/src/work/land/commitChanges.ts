import { lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommitChangesParams, CommitChangesResult } from '@agenthost/protocol';
import { writePrivateFile } from '../../storage/fs/writePrivateFile.js';
import { CHANGE_LIST_OPTIONS, type ChangedFile, type ChangeList, ChangeListReader } from '../changeList.js';
import { type GitOptions, runGit } from '../git.js';
import { GitError } from '../gitError.js';
import { checkPaths, shownPath } from '../restoreTree.js';
import type { CurrentTree } from '../workTree.js';
import { asBytes } from '../zeroSplitter.js';
import {
  CONFIGURED_IDENTITY,
  checkedOutBranch,
  commitOf,
  commitTree,
  gitOptions,
  type LandContext,
  moveBranch,
  mustHaveIdentity,
} from './landContext.js';
import { NextIndex } from './nextIndex.js';
import { commitNotice } from './notices.js';
import { oneAtATime } from './repositoryQueue.js';

const MAX_FILES = 100_000;
const MAX_NAMED = 100;
const MEBI = 1024 * 1024;
const HOOKS_MS = 10 * 60_000;
const ATTEMPTS = 5;
const MAX_SAID = 2_000;
const UNFINISHED: readonly (readonly [file: string, what: string])[] = [
  ['MERGE_HEAD', 'A merge'],
  ['CHERRY_PICK_HEAD', 'A cherry-pick'],
  ['REVERT_HEAD', 'A revert'],
  ['rebase-merge', 'A rebase'],
  ['rebase-apply', 'A rebase'],
];

/** Commits what has changed in the session's folder, or the paths of it that were asked for, and nothing else. */
export async function commitChanges(
  context: LandContext,
  { message, paths, runHooks }: Omit<CommitChangesParams, 'session'>,
): Promise<CommitChangesResult> {
  const checked = paths && checkPaths(paths);
  const { tree, prefix } = context.work;
  const { gitDir, commonDir } = await tree.place();
  const made = await oneAtATime(commonDir, async () => {
    const branch = await checkedOutBranch(context);
    await mustBeFinished(context, gitDir);
    await mustHaveIdentity(context);
    const head = await commitOf(context, 'HEAD');
    const from = head === undefined ? await emptyTree(context) : `${head}^{tree}`;
    const files = await toCommit(context, from, await tree.current(), checked);
    const next = await treeOf(context, head, files);
    const chosen = { branch, head, files, tree: next, message };
    const commit = runHooks ? await withHooks(context, gitDir, chosen) : await plainly(context, gitDir, chosen);
    return { branch, commit, files: await listed(context, from, commit) };
  });
  context.onChanged();
  context.tell(commitNotice({ by: context.by, count: made.files.length, commit: made.commit }));
  const shown = made.files.slice(0, MAX_NAMED).map(({ path }) => shownPath(path, prefix));
  return { commit: made.commit, branch: made.branch, count: made.files.length, paths: shown };
}

interface Chosen {
  readonly branch: string;
  readonly head: string | undefined;
  readonly files: readonly ChangedFile[];
  readonly tree: string;
  readonly message: string;
}

/** The index first: a host that is killed then leaves files that are added and not committed, never the other way round. */
async function plainly(context: LandContext, gitDir: string, chosen: Chosen): Promise<string> {
  const { branch, head, files, tree, message } = chosen;
  const commit = await commitTree(context, { tree, parents: head === undefined ? [] : [head], message });
  await addToIndex(context, gitDir, files);
  await moveBranch(context, { branch, to: commit, from: head, why: `commit: ${message}` });
  return commit;
}

/** Git commits, with an index of just these files. Hooks may change them. */
async function withHooks(context: LandContext, gitDir: string, { head, files, message }: Chosen): Promise<string> {
  await addToIndex(context, gitDir, files);
  const file = join(context.dir, 'commit-message');
  await writePrivateFile(file, `${message.trimEnd()}\n`);
  const { exitCode, stderr } = await runGit(
    context.folder,
    ['commit', '-q', '--cleanup=whitespace', '-F', file],
    gitOptions(context, {
      writes: true,
      hooks: true,
      timeoutMs: HOOKS_MS,
      settings: CONFIGURED_IDENTITY,
      set: { GIT_INDEX_FILE: indexFile(context) },
      okCodes: [0, 1, 128],
    }),
  ).finally(() => rm(file, { force: true }));
  const commit = await commitOf(context, 'HEAD');
  if (exitCode !== 0 || commit === undefined || commit === head) {
    const said = stderr.trim().slice(-MAX_SAID);
    throw new GitError('rejected', `A hook of the repository refused the commit${said ? `: ${said}` : '.'}`);
  }
  const from = head === undefined ? await emptyTree(context) : `${head}^{tree}`;
  await addToIndex(context, gitDir, (await compare(context, from, commit, ['--no-renames'])).files);
  return commit;
}

/** Writes the chosen files to the index of the checkout, as `git add` would. */
async function addToIndex(context: LandContext, gitDir: string, files: readonly ChangedFile[]): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const next = await NextIndex.begin(gitDir);
    try {
      const options = inIndex(context, next.file);
      await runGit(context.folder, ['update-index', '-z', '--index-info'], { ...options, stdin: records(files) });
      await runGit(context.folder, ['update-index', '-q', '--refresh'], { ...options, okCodes: [0, 1, 128] });
      if (await next.install()) return;
    } finally {
      await next.remove();
    }
  }
  throw new GitError('busy', 'The index of the checkout changes all the time. Try again in a moment.');
}

async function treeOf(context: LandContext, head: string | undefined, files: readonly ChangedFile[]): Promise<string> {
  const file = indexFile(context);
  await rm(file, { force: true });
  await rm(`${file}.lock`, { force: true });
  const options = inIndex(context, file);
  if (head !== undefined) await runGit(context.folder, ['read-tree', head], options);
  await runGit(context.folder, ['update-index', '-z', '--index-info'], { ...options, stdin: records(files) });
  const { stdout } = await runGit(context.folder, ['write-tree'], options);
  return stdout.toString('utf8').trim();
}

async function toCommit(
  context: LandContext,
  from: string,
  { id, leftOut }: CurrentTree,
  paths: readonly string[] | undefined,
): Promise<readonly ChangedFile[]> {
  const { prefix } = context.work;
  // A file that is left out would be missing from the commit, and nobody would know.
  const missing = leftOut.paths.filter((path) => !paths || paths.some((one) => isIn(shown(path, prefix), one)));
  if (missing.length > 0) {
    throw new GitError(
      'refused',
      `${missing.map((path) => JSON.stringify(path)).join(', ')}: too large for the host, or not readable. Commit it with git itself, let git ignore it, or name the files to commit.`,
      { paths: missing },
    );
  }
  const { files, isCut } = await compare(context, from, id, ['--no-renames'], paths ?? ['.']);
  if (isCut) throw new GitError('refused', `More than ${MAX_FILES} files would be committed. Name folders of them.`);
  const start = asBytes(prefix);
  for (const path of paths ?? []) {
    const wanted = start + asBytes(path);
    if (path !== '.' && !files.some((file) => isIn(file.path, wanted))) {
      throw new GitError('nothing', `${JSON.stringify(path)} has no changes to commit.`);
    }
  }
  if (files.length === 0) throw new GitError('nothing', 'There is nothing to commit: no file has changed.');
  return files;
}

function isIn(path: string, folder: string): boolean {
  const plain = folder.replace(/\/+$/, '');
  return plain === '.' || path === plain || path.startsWith(`${plain}/`);
}

function shown(path: string, prefix: string): string {
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

async function mustBeFinished(context: LandContext, gitDir: string): Promise<void> {
  const what = await unfinished(gitDir);
  if (what !== undefined) {
    throw new GitError('inProgress', `${what} is not finished in this checkout. Finish or abort it with git first.`);
  }
  const set = { GIT_INDEX_FILE: join(gitDir, 'index') };
  const options = gitOptions(context, { set, maxOutputBytes: MEBI, atLimit: 'cut' });
  const { stdout } = await runGit(context.work.top, ['ls-files', '-u', '-z'], options);
  if (stdout.length > 0) {
    throw new GitError(
      'inProgress',
      'Files of this checkout have conflicts that are not resolved. Resolve them first.',
    );
  }
}

/** What somebody has begun in a checkout, such as a merge. */
export async function unfinished(gitDir: string): Promise<string | undefined> {
  for (const [file, what] of UNFINISHED) {
    if ((await lstat(join(gitDir, file)).catch(() => undefined)) !== undefined) return what;
  }
  return undefined;
}

async function listed(context: LandContext, from: string, to: string): Promise<readonly ChangedFile[]> {
  return (await compare(context, from, to, ['-M', '-l400'])).files;
}

export async function compare(
  context: LandContext,
  from: string,
  to: string,
  options: readonly string[],
  paths: readonly string[] = [],
): Promise<ChangeList> {
  const reader = new ChangeListReader(MAX_FILES);
  const plain = CHANGE_LIST_OPTIONS.filter((option) => option === '-r' || option === '-z' || option === '--no-abbrev');
  const where = paths.length > 0 ? ['--', ...paths] : [];
  await runGit(
    context.folder,
    ['diff-tree', ...plain, '--raw', ...options, from, to, ...where],
    gitOptions(context, { onOutput: (piece) => reader.push(piece), maxOutputBytes: 256 * MEBI }),
  );
  return reader.end();
}

async function emptyTree(context: LandContext): Promise<string> {
  const { stdout } = await runGit(context.folder, ['mktree'], gitOptions(context, { writes: true, stdin: '' }));
  return stdout.toString('utf8').trim();
}

function records(files: readonly ChangedFile[]): Buffer {
  const lines = files.map(({ newMode, newId, path }) => `${newMode === '000000' ? '0' : newMode} ${newId}\t${path}\0`);
  return Buffer.from(lines.join(''), 'latin1');
}

function indexFile({ dir }: LandContext): string {
  return join(dir, 'commit-index');
}

function inIndex(context: LandContext, file: string): GitOptions {
  return gitOptions(context, { writes: true, set: { GIT_INDEX_FILE: file } });
}
