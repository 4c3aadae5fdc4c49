import * as z from 'zod';
import { MAX_COMMIT_MESSAGE, MAX_COMMITTED_PATHS, MAX_REF_NAME } from '../limits.js';
import { count, label, path, title, uri } from './primitives.js';

const yes = z.literal(true).exactOptional();
const objectId = z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'not an id of git');
/** A name of a branch or a remote. Git checks the rest. */
const refName = z
  .string()
  .min(1)
  .max(MAX_REF_NAME)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refusing them is what this is for
  .regex(/^(?!-)[^\u0000-\u0020\u007f~^:?*[\\]+$/, 'not a name of git');
const commitMessage = z
  .string()
  .max(MAX_COMMIT_MESSAGE)
  .regex(/\S/, 'a message is missing')
  .refine((text) => !text.includes('\0'), 'a message has no NUL');
const namedFiles = z.object({ count, paths: z.array(z.string()).describe('The first of them.') });

export const commitChangesParams = z
  .object({
    session: uri,
    message: commitMessage,
    paths: z
      .array(path)
      .min(1)
      .max(MAX_COMMITTED_PATHS)
      .exactOptional()
      .describe("Files and folders, relative to the session's folder. All that changed in it if absent."),
    runHooks: yes.describe("A person asks for the repository's own hooks. Without it nothing of the repository runs."),
  })
  .describe(
    'Commits to the branch that is checked out. Fails with `turnInProgress` while a turn runs, and with `data.code` `nothing`, `noIdentity`, `detached` or `inProgress`.',
  );
export const commitChangesResult = z.object({
  commit: objectId,
  branch: label,
  count: count.describe('How many files it changes.'),
  paths: z.array(z.string()).describe('The first of them.'),
});

export const previewMergeParams = z
  .object({
    session: uri,
    into: refName.exactOptional().describe("A branch. Default: the session's base branch."),
  })
  .describe('Says what `mergeChanges` would do, and changes nothing. Needs git 2.38 or newer (`tooOld`).');
export const previewMergeResult = z.object({
  branch: label.describe("The session's branch."),
  into: label,
  head: objectId.describe("The newest commit of the session's branch."),
  target: objectId.describe('The newest commit of `into`.'),
  ahead: count.describe('Commits that `into` lacks.'),
  behind: count.describe("Commits of `into` that the session's branch lacks."),
  conflicts: namedFiles.describe('Files that both have changed in ways that do not fit together.'),
  uncommitted: count.describe("Files of the session's checkout that no commit has: they are not merged."),
  blocked: z
    .object({ folder: z.string(), uncommitted: count })
    .exactOptional()
    .describe('`into` is checked out there, with work that is not committed: `mergeChanges` is refused.'),
});

export const mergeChangesParams = z
  .object({
    session: uri,
    into: refName.exactOptional().describe("A branch. Default: the session's base branch."),
    squash: yes.describe('One commit, without the ones of the branch.'),
    message: commitMessage.exactOptional(),
  })
  .describe(
    'Fails with `data.code` `conflict` and `data.paths`, with `uncommitted` where `into` is checked out with work that is not committed, and as `commitChanges`.',
  );
export const mergeChangesResult = z.object({
  commit: objectId.describe('What `into` is now.'),
  branch: label,
  into: label,
  how: z.enum(['fastForward', 'merge', 'squash']),
  commits: count.describe('How many came along.'),
  updated: z.string().exactOptional().describe('The folder where `into` is checked out: its files have changed.'),
});

export const pushChangesParams = z
  .object({
    session: uri,
    remote: refName
      .exactOptional()
      .describe('Its name. Default: the one of the branch, else origin, else the only one.'),
  })
  .describe(
    "Sends the session's branch, never by force, and asks for no password. `notify/progress` has the token `push/<session>`. Fails with `data.code` `noRemote`, `noAccess`, `rejected`, `unreachable` or `refused`.",
  );
export const pushChangesResult = z.object({
  remote: label,
  branch: label,
  commit: objectId,
  isUpToDate: yes.describe('The remote had it already.'),
  url: z.string().exactOptional().describe('The page of the repository, if it is on the web.'),
});

export const pullRequestParams = z
  .object({
    session: uri,
    remote: refName.exactOptional(),
    into: refName.exactOptional().describe("A branch of the remote. Default: the session's base branch."),
    title: title.exactOptional().describe('Default: the first line of the newest commit.'),
    body: z.string().max(MAX_COMMIT_MESSAGE).exactOptional(),
  })
  .describe('For a branch that was pushed. Made by `gh` or `glab` of the host, else there is a page to make it on.');
export const pullRequestResult = z.object({
  url: z.string().describe('Of the request, or where one is made. Without any log-in data.'),
  isMade: z.boolean().describe('The request exists. Else a person makes it at `url`.'),
  by: z.enum(['gh', 'glab']).exactOptional().describe('The program that made it.'),
  reason: z.string().exactOptional().describe('Why no program made it.'),
});
