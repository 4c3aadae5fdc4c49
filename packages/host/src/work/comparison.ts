import { extname } from 'node:path';
import type { ChangedFile as ChangedFileOnWire, FetchDiffResult } from '@agenthost/protocol';
import { CHANGE_LIST_OPTIONS, type ChangedFile, type ChangeList, ChangeListReader } from './changeList.js';
import { type DiffPageLimits, DiffPageReader } from './diffPage.js';
import type { WorkTree } from './workTree.js';
import { asBytes, readable } from './zeroSplitter.js';

const MEBI = 1024 * 1024;
const MAX_FILES = 100_000;
const MAX_PATCH_BYTES = 64 * MEBI;
const PAGE: DiffPageLimits = { lines: 2_000, characters: 256 * 1024, lineLength: 4_096 };
const IMAGES: ReadonlySet<string> = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp', '.avif', '.bmp', '.ico']);
const KINDS: Readonly<Record<string, 'link' | 'submodule'>> = { '120000': 'link', '160000': 'submodule' };

/** What differs between two trees, in the session's folder. */
export async function compareTrees(tree: WorkTree, from: string, to: string): Promise<ChangeList> {
  if (from === to) return { files: [], additions: 0, deletions: 0, isCut: false };
  return listOf(tree, 'diff-tree', [from, to]);
}

/** The same for the tree that the session's index has now. */
export function compareIndex(tree: WorkTree, from: string): Promise<ChangeList> {
  return listOf(tree, 'diff-index', ['--cached', from]);
}

async function listOf(
  tree: WorkTree,
  command: 'diff-tree' | 'diff-index',
  trees: readonly string[],
): Promise<ChangeList> {
  const reader = new ChangeListReader(MAX_FILES);
  await tree.git([command, ...CHANGE_LIST_OPTIONS, '--relative', ...trees], {
    onOutput: (piece) => reader.push(piece),
    maxOutputBytes: 256 * MEBI,
  });
  return reader.end();
}

/** One page of the differences in one file. Absent when it does not differ. */
export async function compareFile(
  tree: WorkTree,
  { from, to, path, oldPath, cursor }: CompareFileOptions,
): Promise<FetchDiffResult | undefined> {
  const paths = [path, ...(oldPath === undefined ? [] : [oldPath])];
  const list = new ChangeListReader(8);
  await tree.git(['diff-tree', ...CHANGE_LIST_OPTIONS, '--relative', from, to, '--', ...paths], {
    onOutput: (piece) => list.push(piece),
  });
  const file = list.end().files.find((one) => one.path === asBytes(path));
  if (!file) return undefined;
  const kind = kindOf(file);
  if (kind === 'binary' || kind === 'image') {
    return { from, to, file: onWire(file), kind, ...(await sizesOf(tree, file)), hunks: [] };
  }
  const reader = new DiffPageReader(cursor, PAGE);
  const found = new FullPage();
  try {
    await tree.git(['diff-tree', '-r', '-p', '-U3', '--no-color', '-M', '--relative', from, to, '--', ...paths], {
      maxOutputBytes: MAX_PATCH_BYTES,
      atLimit: 'cut',
      onOutput: (piece) => {
        reader.push(piece);
        if (reader.isFull) throw found;
      },
    });
  } catch (error) {
    if (error !== found) throw error;
  }
  const { hunks, next } = reader.end();
  return { from, to, file: onWire(file), kind, hunks, ...(next !== undefined && { nextCursor: next }) };
}

export interface CompareFileOptions {
  readonly from: string;
  readonly to: string;
  readonly path: string;
  readonly oldPath: string | undefined;
  readonly cursor: number;
}

/** Ends git when the page is full. */
class FullPage extends Error {}

export function onWire(file: ChangedFile): ChangedFileOnWire {
  const { path, oldPath, status, additions, deletions, oldMode, newMode, newId } = file;
  const kind = KINDS[newMode] ?? KINDS[status === 'D' ? oldMode : ''];
  return {
    path: readable(path),
    ...(oldPath !== undefined && { oldPath: readable(oldPath) }),
    status,
    ...(additions === undefined ? { isBinary: true as const } : { additions }),
    ...(deletions !== undefined && { deletions }),
    ...(kind && { kind }),
    ...(status !== 'D' && { id: newId }),
  };
}

function kindOf(file: ChangedFile): FetchDiffResult['kind'] {
  const { kind, isBinary, path } = onWire(file);
  if (kind) return kind;
  if (!isBinary) return 'text';
  return IMAGES.has(extname(path).toLowerCase()) ? 'image' : 'binary';
}

async function sizesOf(tree: WorkTree, { oldId, newId }: ChangedFile) {
  const stdin = `${oldId}\n${newId}\n`;
  const { stdout } = await tree.git(['cat-file', '--batch-check=%(objectsize)'], { stdin });
  const [oldSize, newSize] = stdout
    .toString('utf8')
    .split('\n')
    .map((line) => (/^\d+$/.test(line) ? Number(line) : undefined));
  return { ...(oldSize !== undefined && { oldSize }), ...(newSize !== undefined && { newSize }) };
}

/** The commit that the work of the session is compared with, and the branch that it is from. */
export async function findBase(
  tree: WorkTree,
  baseBranch: string | undefined,
): Promise<{ readonly commit?: string; readonly name?: string }> {
  const head = await tree.line('rev-parse', '-q', '--verify', 'HEAD^{commit}');
  const branch = await tree.line('symbolic-ref', '-q', '--short', 'HEAD');
  const name = baseBranch ?? 'main';
  const candidates = [...(branch === name ? [] : [`refs/heads/${name}`]), `refs/remotes/origin/${name}`];
  for (const candidate of head === undefined ? [] : candidates) {
    if ((await tree.line('rev-parse', '-q', '--verify', `${candidate}^{commit}`)) === undefined) continue;
    const commit = await tree.line('merge-base', candidate, 'HEAD');
    if (commit !== undefined) return { commit, name };
  }
  return { ...(head !== undefined && { commit: head }), ...(branch !== undefined && { name: branch }) };
}
