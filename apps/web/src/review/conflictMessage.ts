import type { PreviewMergeResult } from '@agenthost/protocol';

/** What the agent is asked when a merge would not go through. */
export function conflictMessage({ branch, into, conflicts }: PreviewMergeResult): string {
  const rest = conflicts.count - conflicts.paths.length;
  const files = [
    ...conflicts.paths.map((path) => `- ${JSON.stringify(path)}`),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
  ];
  return [
    `Merging ${branch} into ${into} has conflicts in these files:`,
    files.join('\n'),
    `Merge ${into} into ${branch}, resolve the conflicts, and commit.`,
  ].join('\n\n');
}
