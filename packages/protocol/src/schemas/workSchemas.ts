import * as z from 'zod';
import { MAX_CHANGES_LIMIT, MAX_RESTORED_PATHS, MAX_REVERTED_HUNKS, MAX_SHOWN_CHANGES } from '../limits.js';
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
    id: objectId
      .exactOptional()
      .describe('Of its content now: while it stays the same, so does the content. Absent for a deleted file.'),
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
const source = z
  .enum(['git', 'snapshots'])
  .describe("The repository of the folder, or for a folder without one, the host's own snapshots.");
const isCut = yes.describe('There are more files than are counted.');
const leftOut = z
  .object({ count, paths: z.array(z.string()) })
  .exactOptional()
  .describe('Files that are too large or could not be read, and the first of them: their last changes are not seen.');
export const listChangesResult = z.object({
  source,
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
  isCut,
  leftOut,
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

export const fetchVersionParams = z
  .object({
    session: uri,
    path: path.describe("Of a file that differs, relative to the session's folder."),
    from: objectId.describe('`from` and `to` of a list of changes of this session.'),
    to: objectId,
    side: z.enum(['old', 'new']).describe('As it is in `from`, under its old name if it was renamed, or as in `to`.'),
  })
  .describe(
    'Fails with `data.code` `notFound` where there is no such file, and with `refused` for what a checkout would not write as it is stored: a file that a filter of git changes, a link, a submodule, and one of more than `MAX_VERSION_BYTES`.',
  );
export const fetchVersionResult = z.object({
  size: count,
  data: z.string().describe('All of it, as base64: what git would write into the folder.'),
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

export const rewindSessionParams = z
  .object({
    session: uri,
    turnId: id.describe('The first turn that is removed, with all turns after it.'),
    restoreFiles: yes.describe('The files become what they were before that turn, where there is a snapshot.'),
  })
  .describe(
    'Fails with `turnInProgress` while a turn runs. Nothing is removed when the files can not be restored. The agent knows only what remains.',
  );
export const rewindSessionResult = z.object({
  removed: count.describe('How many turns were removed.'),
  restored: restoreFilesResult.exactOptional(),
});

export const changesComparison = z
  .object({
    since: changesSince,
    from: objectId.describe('The trees that were compared, for `fetchDiff` and `revertChanges`.'),
    to: objectId,
    total: count.describe('How many files differ.'),
    additions: count,
    deletions: count,
    isCut,
    files: z.array(changedFile).max(MAX_SHOWN_CHANGES).describe('Ordered by path.'),
    truncated: yes.describe('There are more files than `files`: `listChanges` has them.'),
  })
  .describe('What differs, and from what.');

export const changesState = z
  .object({
    session: uri,
    comparisons: z
      .array(changesComparison)
      .max(3)
      .describe('`lastTurn`, `session` and `base`, in this order; those that the folder has. Empty while loading.'),
    isLoading: yes.describe('The host has not looked yet.'),
    problem: z
      .object({ code: id.exactOptional(), message: z.string() })
      .exactOptional()
      .describe(
        'Why there is nothing to compare, ready to display. `code` is `noGit`, `noRepository`, `notTrusted` or `refused`, or another word.',
      ),
    source: source.exactOptional(),
    base: objectId.exactOptional().describe('The commit that `base` compares with.'),
    baseName: label.exactOptional().describe('The branch that it is from.'),
    head: objectId.exactOptional().describe('The commit that is checked out.'),
    branch: label.exactOptional().describe('Absent while HEAD is detached.'),
    hasSnapshots: yes.describe('Without a snapshot, `lastTurn` and `session` have no files.'),
    leftOut,
  })
  .describe("The changes of a session's folder: the state of `agenthost:changes/<provider>/<id>`. Since version 2.");

export const fetchChangesParams = z.object({
  session: uri,
  watch: yes.describe(
    'The host looks after the files for a minute, and tells `notify/workChanged` when some have changed.',
  ),
});

export const hunkRange = z
  .object({ oldStart: count, oldLines: count, newStart: count, newLines: count })
  .describe('Of a hunk of `fetchDiff`.');

export const revertChangesParams = z
  .object({
    session: uri,
    path: path.describe("Of a file that differs, relative to the session's folder."),
    from: objectId.describe('`from` and `to` of the diff that was looked at.'),
    to: objectId,
    hunks: z
      .array(hunkRange)
      .min(1)
      .max(MAX_REVERTED_HUNKS)
      .exactOptional()
      .describe('Only these hunks of that diff, each as a whole. The whole file if absent.'),
  })
  .describe(
    'Writes the file back as it was in `from`. Fails with `data.code` `changed` if it is not as in `to` any more, and with `turnInProgress` while the running turn works on it.',
  );
