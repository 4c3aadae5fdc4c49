import type { PreviewMergeResult } from '@agenthost/protocol';

const MAX_NAMED = 50;

/** A message to the agent that asks for a commit message. It is an ordinary message: the answer is in the conversation. */
export const COMMIT_MESSAGE_REQUEST =
  'Suggest a commit message for the changes that are not committed yet. Look at the diff, and answer with the message only: ' +
  'a first line of at most 72 characters, and if it helps, an empty line and the reasons. Do not commit anything.';

/**
 * A message to the agent that asks it to resolve the conflicts of a merge, made of what `previewMerge` answers. Names of files are
 * quoted: they may have any character in them.
 *
 * @example
 * ```ts
 * const merge = await host.work.previewMerge(session.uri);
 * if (merge.conflicts.count > 0) await session.send(conflictRequest(merge));
 * ```
 */
export function conflictRequest({
  branch,
  into,
  conflicts,
}: Pick<PreviewMergeResult, 'branch' | 'into' | 'conflicts'>): string {
  const named = conflicts.paths.slice(0, MAX_NAMED);
  const more = conflicts.count - named.length;
  return [
    `The branch ${branch} can't be merged into ${into}: both have changed the same places of ${conflicts.count === 1 ? 'this file' : 'these files'}:`,
    '',
    ...named.map((path) => `- ${JSON.stringify(path)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
    '',
    `Merge ${into} into ${branch} here, resolve the conflicts so that both changes keep their meaning, check the result, and commit the merge. Do not change ${into} itself.`,
  ].join('\n');
}
