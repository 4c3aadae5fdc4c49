import { createHash } from 'node:crypto';
import { lstat, mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { readSmallFile } from '../../storage/fs/foreignFile.js';
import { writePrivateFile } from '../../storage/fs/writePrivateFile.js';
import type { ChangedFile } from '../changeList.js';
import { gitPlace, runGit } from '../git.js';
import { GitError } from '../gitError.js';
import { inFolder, LinkedFolders } from '../linkedFolders.js';
import { readable } from '../zeroSplitter.js';
import { compare } from './commitChanges.js';
import { commitOf, gitOptions, type LandContext, moveBranch } from './landContext.js';
import { NextIndex } from './nextIndex.js';

const MEBI = 1024 * 1024;
const CHECKOUT_MS = 10 * 60_000;
const MAX_JOURNAL_BYTES = 64 * 1024;
const MAX_NAMED = 20;
const ATTEMPTS = 3;
const PAUSE_MS = 100;

const journal = z.object({
  folder: z.string(),
  branch: z.string(),
  from: z.string(),
  to: z.string(),
  why: z.string(),
});

/** A branch that is moved together with the files of the folder where it is checked out. */
export type CheckoutMove = z.infer<typeof journal>;

/**
 * Moves a branch, its index and its files. What is to be done is written down first: a host that is killed in the middle finishes it
 * at the next look, unless somebody has changed these files meanwhile.
 */
export async function moveCheckout(context: LandContext, commonDir: string, move: CheckoutMove): Promise<void> {
  const file = journalFile(context, commonDir);
  await mkdir(context.landDir, { recursive: true, mode: 0o700 });
  await writePrivateFile(file, JSON.stringify(move));
  try {
    await moveFiles(context, move, move.from, move.to, false);
    try {
      await moveBranch(context, move, move.folder);
    } catch (error) {
      await moveFiles(context, move, move.to, move.from, false);
      throw error;
    }
  } catch (error) {
    if (!isStopped(error)) await rm(file, { force: true });
    throw error;
  }
  await rm(file, { force: true });
}

/** Git was stopped in the middle: what it has begun is finished at the next look. */
function isStopped(error: unknown): boolean {
  return error instanceof GitError && (error.problem === 'aborted' || error.problem === 'timeout');
}

/** Finishes what a killed host has begun. */
export async function finishInterrupted(context: LandContext, commonDir: string): Promise<void> {
  const file = journalFile(context, commonDir);
  const text = await readSmallFile(file, MAX_JOURNAL_BYTES);
  if (text === undefined) return;
  const move = parsed(text);
  if (move && (await isStillThere(context, commonDir, move))) {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        if (await moveFiles(context, move, move.from, move.to, true)) await moveBranch(context, move, move.folder);
        break;
      } catch (error) {
        if (!(error instanceof GitError) || isStopped(error)) throw error;
        // A run of git that has outlived its host may still write.
        await delay(PAUSE_MS * attempt);
      }
    }
  }
  await rm(file, { force: true });
}

async function isStillThere(context: LandContext, commonDir: string, move: CheckoutMove): Promise<boolean> {
  const place = await gitPlace(move.folder, gitOptions(context)).catch(() => undefined);
  return place?.commonDir === commonDir && (await commitOf(context, `refs/heads/${move.branch}`)) === move.from;
}

/** `false` if the files are not those of either commit. */
async function moveFiles(
  context: LandContext,
  { folder }: CheckoutMove,
  from: string,
  to: string,
  isAgain: boolean,
): Promise<boolean> {
  const { gitDir } = await gitPlace(folder, gitOptions(context));
  const { files, isCut } = await compare(context, from, to, ['--no-renames']);
  if (isCut) throw new GitError('refused', 'The merge changes too many files for the host. Merge it with git.');
  const next = await NextIndex.begin(gitDir);
  try {
    const options = gitOptions(context, {
      writes: true,
      timeoutMs: CHECKOUT_MS,
      set: { GIT_INDEX_FILE: next.file },
    });
    await runGit(folder, ['update-index', '-q', '--refresh'], { ...options, okCodes: [0, 1, 128] });
    const done = isAgain ? await takeOver() : new Set<string>();
    if (!done) return false;
    await refuseInTheWay(context, folder, files, done);
    await runGit(folder, ['read-tree', '-m', '-u', from, to], options).catch((error: unknown) => {
      if (!(error instanceof GitError) || error.problem !== 'failed') throw error;
      throw new GitError('uncommitted', `Files of ${folder} are in the way. Commit or move them. (${error.message})`);
    });
    if (!(await next.install())) {
      throw new GitError('busy', `Another git works in ${folder}. Try again in a moment.`);
    }
    return true;

    /** The files that are done already; absent if one is neither as before nor as after. */
    async function takeOver(): Promise<Set<string> | undefined> {
      const stdin = Buffer.from(files.map(({ path }) => `${path}\0`).join(''), 'latin1');
      await runGit(folder, ['update-index', '-z', '--add', '--remove', '--stdin'], { ...options, stdin });
      const { stdout } = await runGit(folder, ['write-tree'], options);
      const now = (await compare(context, from, stdout.toString('utf8').trim(), ['--no-renames'])).files;
      const wanted = new Map(files.map((file) => [file.path, `${file.newMode} ${file.newId}`]));
      const isOurs = now.every(({ path, newMode, newId }) => wanted.get(path) === `${newMode} ${newId}`);
      return isOurs ? new Set(now.map(({ path }) => path)) : undefined;
    }
  } finally {
    await next.remove();
  }
}

/** Git overwrites files that it ignores. They may be the only ones of their kind. */
async function refuseInTheWay(
  context: LandContext,
  folder: string,
  files: readonly ChangedFile[],
  done: ReadonlySet<string>,
): Promise<void> {
  const links = new LinkedFolders(folder);
  const removed = new Set(files.filter(({ status }) => status === 'D').map(({ path }) => path));
  const taken: string[] = [];
  for (const { path, status } of files) {
    if (status !== 'A' || done.has(path)) continue;
    const parents = path.split('/').map((_, index, parts) => parts.slice(0, index).join('/'));
    if (parents.some((parent) => removed.has(parent))) continue;
    const found = await lstat(inFolder(folder, path)).catch(() => undefined);
    const isFolder = found?.isDirectory() === true;
    const isTaken = isFolder ? await hasOthers(context, folder, path) : found !== undefined;
    if (isTaken || (await links.isBehindLink(path)) || (await hasFileAbove(folder, path))) taken.push(readable(path));
  }
  if (taken.length === 0) return;
  const named = taken.slice(0, MAX_NAMED);
  throw new GitError(
    'uncommitted',
    `The merge would overwrite files of ${folder} that no commit has: ${named.join(', ')}. Move them away first.`,
    { paths: named },
  );
}

async function hasFileAbove(folder: string, path: string): Promise<boolean> {
  for (let above = dirname(path); above !== '.'; above = dirname(above)) {
    const found = await lstat(inFolder(folder, above)).catch(() => undefined);
    if (found) return !found.isDirectory();
  }
  return false;
}

/** A folder that becomes a file: what git does not track in it would be gone. */
async function hasOthers(context: LandContext, folder: string, path: string): Promise<boolean> {
  const args = ['ls-files', '-z', '--others', '--', `${readable(path)}/`] as const;
  const { stdout } = await runGit(folder, args, gitOptions(context, { maxOutputBytes: MEBI, atLimit: 'cut' }));
  return stdout.length > 0;
}

function journalFile({ landDir }: LandContext, commonDir: string): string {
  return join(landDir, `${createHash('sha256').update(commonDir).digest('hex').slice(0, 32)}.json`);
}

function parsed(text: string): CheckoutMove | undefined {
  try {
    return journal.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
