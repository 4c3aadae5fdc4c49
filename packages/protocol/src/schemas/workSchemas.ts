import * as z from 'zod';
import { MAX_CHANGES_LIMIT, MAX_RESTORED_PATHS } from '../limits.js';
import { count, id, label, path, uri } from './primitives.js';

const yes = z.literal(true).exactOptional();
const objectId = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'not an id of git');

export const changesSince = z
  .enum(['lastTurn', 'session', 'base'])
  .describe('Since before the last turn, since before the first turn, or against the base branch.');

export const changedFile = z
  .object({
    path: z.string().describe("Relative to the session's folder."),
    oldPath: z.string().exactOptional().describe('What a renamed file was called.'),
    status: z
      .enum(['M', 'A', 'D', 'R'])
      .describe('Modified, added (also what git does not track yet), deleted, renamed.'),
    additions: count.exactOptional().describe('Lines; absent for what is not text.'),
    deletions: count.exactOptional(),
    isBinary: yes,
    kind: z.enum(['link', 'submodule']).exactOptional().describe('What it is, if it is no plain file.'),
  })
  .describe('A file that differs.');

export const listChangesParams = z
  .object({
    session: uri,
    since: changesSince,
    limit: z.int().min(1).max(MAX_CHANGES_LIMIT).exactOptional(),
    cursor: id.exactOptional().describe('`nextCursor` of the page before: the same state of the folder.'),
  })
  .describe(
    'Fails with `data.code` where there is nothing to compare: `noGit`, `noRepository`, `notTrusted`, `refused`.',
  );
export const listChangesResult = z.object({
  source: z
    .enum(['git', 'snapshots'])
    .describe("The repository of the folder, or for a folder without one, the host's own snapshots."),
  base: objectId.exactOptional().describe('The commit that `base` compares with.'),
  baseName: label.exactOptional().describe('The branch that it is from.'),
  head: objectId.exactOptional().describe('The commit that is checked out.'),
  branch: label.exactOptional().describe('Absent while HEAD is detached.'),
  from: objectId.describe('The tree that was compared, for `fetchDiff`.'),
  to: objectId,
  files: z.array(changedFile).describe('Ordered by path.'),
  total: count,
  additions: count,
  deletions: count,
  isCut: yes.describe('There are more files than are counted.'),
  leftOut: z
    .object({ count, paths: z.array(z.string()) })
    .exactOptional()
    .describe('Files that are too large or could not be read, and the first of them: their last changes are not seen.'),
  hasSnapshots: z.boolean().describe('Without a snapshot, `lastTurn` and `session` have no files.'),
  nextCursor: id.exactOptional(),
});

export const fetchDiffParams = z
  .object({
    session: uri,
    path: path.describe("Relative to the session's folder."),
    since: changesSince.exactOptional().describe('Either this, or `from` and `to`.'),
    from: objectId.exactOptional().describe('`from` and `to` of a list of changes of this session.'),
    to: objectId.exactOptional(),
    cursor: count.exactOptional().describe('`nextCursor` of the page before, with its `from` and `to`.'),
  })
  .describe('Fails with `notFound` for a file that does not differ, and for trees that no list had lately.');
export const diffHunk = z.object({
  oldStart: count,
  oldLines: count,
  newStart: count,
  newLines: count,
  heading: z.string().exactOptional().describe('What git shows beside it, such as the function that it is in.'),
  lines: z
    .array(z.string())
    .describe(
      'Each begins with a space, `+` or `-`, or with `\\` for a file without a line end. Long ones end with `…`.',
    ),
});
export const fetchDiffResult = z.object({
  from: objectId,
  to: objectId,
  file: changedFile,
  kind: z.enum(['text', 'binary', 'image', 'link', 'submodule']),
  oldSize: count.exactOptional().describe('In bytes, of what is not text.'),
  newSize: count.exactOptional(),
  hunks: z.array(diffHunk).describe('A hunk may go on in the next page.'),
  nextCursor: count.exactOptional(),
});

export const restoreFilesParams = z
  .object({
    session: uri,
    toTurnId: id.exactOptional().describe('The files as they were before this turn. Either this, or `undo`.'),
    undo: id.exactOptional().describe('`undo` of an earlier answer, or `last`: takes back that restoring.'),
    paths: z
      .array(path)
      .min(1)
      .max(MAX_RESTORED_PATHS)
      .exactOptional()
      .describe("Files and folders, relative to the session's folder. All of it if absent."),
  })
  .describe(
    'Fails with `turnInProgress` while a turn runs. Ignored files, submodules, the index and commits stay as they are.',
  );
export const restoreFilesResult = z.object({
  count: count.describe('How many files were written or removed.'),
  paths: z.array(z.string()).describe('The first of them.'),
  undo: id.describe('Takes it back.'),
  skipped: z
    .object({ count, paths: z.array(z.string()) })
    .exactOptional()
    .describe('What was left as it is: submodules, and places where a file is that git ignores.'),
});
