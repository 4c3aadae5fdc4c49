import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { HunkRange } from '@agenthost/protocol';
import type { ChangedFile } from './changeList.js';
import { DiffPageReader } from './diffPage.js';
import { GitError } from './gitError.js';
import type { WorkTree } from './workTree.js';
import { asBytes } from './zeroSplitter.js';

const MAX_PATCH_BYTES = 64 * 1024 * 1024;
const ALL = { lines: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY, lineLength: 1 };
const PLAIN_FILE = /^100/;

export interface RevertOptions {
  readonly from: string;
  readonly to: string;
  /** Of the list of both trees. */
  readonly file: ChangedFile;
  /** As git takes them. */
  readonly paths: readonly string[];
  readonly hunks: readonly HunkRange[];
  /** The private folder of the session. */
  readonly dir: string;
  /** From the top of the checkout to the session's folder. */
  readonly prefix: string;
}

/** Whether some of these paths differ between two trees. */
export async function differs(tree: WorkTree, from: string, to: string, paths: readonly string[]): Promise<boolean> {
  if (from === to) return false;
  const { stdout } = await tree.git(['diff-tree', '-r', '-z', '--raw', '--no-renames', from, to, '--', ...paths]);
  return stdout.length > 0;
}

/** A tree with the file as it would be without some of its hunks. Nothing of the folder is written. */
export async function withoutHunks(tree: WorkTree, options: RevertOptions): Promise<string> {
  const { file, hunks, dir, prefix } = options;
  if (file.additions === undefined || ![file.oldMode, file.newMode].every((mode) => PLAIN_FILE.test(mode))) {
    throw new GitError('refused', 'This file has no lines. Revert all of it.');
  }
  await checkHunks(tree, options);
  const [before, now] = [linesOf(await blob(tree, file.oldId)), linesOf(await blob(tree, file.newId))];
  // From the end: the places before a hunk stay.
  for (const hunk of hunks.toSorted((a, b) => b.newStart - a.newStart)) {
    const old = before.slice(first(hunk.oldStart, hunk.oldLines), first(hunk.oldStart, hunk.oldLines) + hunk.oldLines);
    const at = first(hunk.newStart, hunk.newLines);
    now.splice(at, hunk.newLines, ...old);
  }
  const stdin = Buffer.from(now.join(''), 'latin1');
  const written = await tree.git(['hash-object', '-w', '--stdin'], { writes: true, stdin });
  const index = join(dir, 'revert-index');
  const set = { GIT_INDEX_FILE: index };
  try {
    await copyFile(join(dir, 'index'), index);
    const record = `${file.newMode} ${line(written.stdout)}\t${asBytes(prefix)}${file.path}\0`;
    await tree.git(['update-index', '-z', '--index-info'], { writes: true, set, stdin: Buffer.from(record, 'latin1') });
    return line((await tree.git(['write-tree'], { writes: true, set })).stdout);
  } finally {
    await rm(index, { force: true });
  }
}

/** Lines that were put together otherwise would write a file that nobody has seen. */
async function checkHunks(tree: WorkTree, { from, to, paths, hunks }: RevertOptions): Promise<void> {
  const reader = new DiffPageReader(0, ALL);
  await tree.git(['diff-tree', '-r', '-p', '-U3', '--no-color', '-M', '--relative', from, to, '--', ...paths], {
    maxOutputBytes: MAX_PATCH_BYTES,
    onOutput: (piece) => reader.push(piece),
  });
  const known = new Set(reader.end().hunks.map(rangeKey));
  if (!hunks.every((hunk) => known.delete(rangeKey(hunk)))) {
    throw new GitError('notFound', 'The diff of this file has no such hunk. Fetch it again.');
  }
}

function rangeKey({ oldStart, oldLines, newStart, newLines }: HunkRange): string {
  return [oldStart, oldLines, newStart, newLines].join();
}

/** Git names the line before where there are none. */
function first(start: number, count: number): number {
  return count === 0 ? start : start - 1;
}

/** As bytes, each with its end. */
function linesOf(content: Buffer): string[] {
  return content.toString('latin1').match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

async function blob(tree: WorkTree, id: string): Promise<Buffer> {
  return (await tree.git(['cat-file', 'blob', id])).stdout;
}

function line(output: Buffer): string {
  return output.toString('utf8').trim();
}
