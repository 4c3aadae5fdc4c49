import { join } from 'node:path';
import type { ChangesComparison, ChangesSince, RestoreFilesResult } from '@agenthost/protocol';
import { MAX_SHOWN_CHANGES, MAX_SHOWN_CHANGES_LENGTH } from '@agenthost/protocol/internal';
import { readSmallFile } from '../storage/fs/foreignFile.js';
import type { ChangedFile, ChangeList } from './changeList.js';
import { onWire } from './comparison.js';
import type { GitCommand } from './git.js';
import type { GitPlace } from './gitPlaces.js';
import type { OpenedWork } from './openWork.js';
import { type Restored, shownPath } from './restoreTree.js';

const MAX_NAMED = 100;
const MAX_REF_BYTES = 4_096;

interface Trees {
  readonly from: string;
  readonly to: string;
}

/** What was written. */
export function restoredFiles(
  { files, skipped, undoId }: Restored & { readonly undoId: string },
  prefix: string,
): RestoreFilesResult {
  const named = (some: readonly string[]) => some.slice(0, MAX_NAMED).map((path) => shownPath(path, prefix));
  return {
    count: files.length,
    paths: named(files),
    undo: undoId,
    ...(skipped.length > 0 && { skipped: { count: skipped.length, paths: named(skipped) } }),
  };
}

/** As much of a list as clients that only look get without asking. */
export function shownChanges(since: ChangesSince, trees: Trees, list: ChangeList): ChangesComparison {
  let length = 0;
  const isNear = ({ path, oldPath = '' }: ChangedFile) => {
    length += path.length + oldPath.length;
    return length <= MAX_SHOWN_CHANGES_LENGTH;
  };
  const first = list.files.slice(0, MAX_SHOWN_CHANGES);
  const end = first.findIndex((file) => !isNear(file));
  const files = end === -1 ? first : first.slice(0, end);
  return {
    since,
    from: trees.from,
    to: trees.to,
    total: list.files.length,
    additions: list.additions,
    deletions: list.deletions,
    ...(list.isCut && { isCut: true as const }),
    files: files.map(onWire),
    ...(files.length < list.files.length && { truncated: true as const }),
  };
}

export async function emptyTree({ tree }: OpenedWork): Promise<string> {
  const { stdout } = await tree.git(['mktree'], { writes: true, stdin: '' });
  return stdout.toString('utf8').trim();
}

interface Head {
  readonly head?: string;
  readonly branch?: string;
}

/** What is checked out. */
export async function headOf({ tree }: OpenedWork): Promise<Head> {
  const plain = await plainHead(await tree.place());
  if (plain) return plain;
  const both: readonly [GitCommand, ...string[]] = ['rev-parse', '-q', 'HEAD', '--symbolic-full-name', 'HEAD'];
  const { exitCode, stdout } = await tree.git(both, { okCodes: [0, 1, 128] });
  const [head = '', ref = ''] = exitCode === 0 ? stdout.toString('utf8').split('\n') : [];
  if (head !== '') return { head, ...named(ref) };
  // Without a commit there is a branch all the same.
  const branch = await tree.line('symbolic-ref', '-q', '--short', 'HEAD');
  return branch === undefined ? {} : { branch };
}

/** Without a run of git: most often a branch is checked out that has a file of its own. */
async function plainHead({ gitDir, commonDir }: GitPlace): Promise<Head | undefined> {
  const [, ref] =
    /^ref: (refs\/heads\/\S+)\n$/.exec((await readSmallFile(join(gitDir, 'HEAD'), MAX_REF_BYTES)) ?? '') ?? [];
  if (ref === undefined || ref.split('/').includes('..')) return undefined;
  const head = (await readSmallFile(join(commonDir, ref), MAX_REF_BYTES))?.trim() ?? '';
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(head) ? { head, ...named(ref) } : undefined;
}

function named(ref: string): Pick<Head, 'branch'> {
  const branch = branchOf(ref);
  return branch === undefined ? {} : { branch };
}

function branchOf(ref: string): string | undefined {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : undefined;
}
