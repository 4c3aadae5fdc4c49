import { CommandFailedError } from '@agenthost/client';
import type { PreviewMergeResult } from '@agenthost/protocol';
import { defineCommand, HOST_OPTIONS, JSON_OPTION } from '../../command.js';
import { CommandError, EXIT, usageError } from '../../commandError.js';
import { findSession } from '../../sessionName.js';
import { safeLine } from '../../text/safeText.js';
import { withHost } from '../../withHost.js';

export const command = defineCommand({
  name: 'merge',
  summary: 'merge the branch of a session into its base',
  usage: 'SESSION [--into BRANCH] [flags]',
  options: {
    ...HOST_OPTIONS,
    ...JSON_OPTION,
    into: { type: 'string', value: 'BRANCH', help: 'another branch than the base of the session' },
    squash: { type: 'boolean', help: 'make one commit of all' },
    message: { type: 'string', short: 'm', value: 'TEXT', help: 'the message of the commit' },
    check: { type: 'boolean', help: 'only say what a merge would do' },
  },
  completes: 'session',
  notes: `Only commits are merged: commit first. Where the other branch is checked out, its files are updated, unless there is work that no
commit has: then nothing is merged. Branches that conflict are not merged either; the exit code is 14, also with --check.`,
  examples: [
    'agenthost merge last --check',
    'agenthost merge last --squash -m "A better parser"',
    'agenthost merge 3f2a --into develop --json',
  ],
  run: (values, [name, stray]) => {
    if (stray !== undefined) throw usageError('That is too much.', 'Name one session.');
    const { into, squash, message, check, json } = values;
    const where = into === undefined ? {} : { into };
    return withHost(values, async (host) => {
      const session = await findSession(host, name);
      if (check) {
        const found = await host.work.previewMerge(session, where);
        process.stdout.write(json ? `${JSON.stringify({ session, ...found })}\n` : previewText(found));
        return found.conflicts.count > 0 ? EXIT.conflict : EXIT.ok;
      }
      try {
        const merged = await host.work.mergeChanges(session, {
          ...where,
          ...(squash && { squash: true as const }),
          ...(message !== undefined && { message }),
        });
        if (json) process.stdout.write(`${JSON.stringify({ session, ...merged })}\n`);
        else {
          const [from, to] = [safeLine(merged.branch), safeLine(merged.into)];
          const what = merged.how === 'squash' ? 'Squashed' : 'Merged';
          const updated = merged.updated === undefined ? '' : `Updated ${safeLine(merged.updated)}\n`;
          process.stdout.write(`${what} ${from} into ${to} as ${merged.commit.slice(0, 7)}\n${updated}`);
        }
        return EXIT.ok;
      } catch (error) {
        throw asConflict(error);
      }
    });
  },
});

function asConflict(error: unknown): unknown {
  const code = error instanceof CommandFailedError ? (error.data as { readonly code?: string } | undefined)?.code : '';
  if (!(error instanceof CommandFailedError) || code !== 'conflict') return error;
  const whatToDo = 'See the files with agenthost merge --check, and ask the agent to resolve them with agenthost send.';
  return new CommandError(EXIT.conflict, safeLine(error.reason), whatToDo, { cause: error });
}

function previewText(found: PreviewMergeResult): string {
  const { branch, into, ahead, behind, conflicts, uncommitted, blocked } = found;
  const more = conflicts.count - conflicts.paths.length;
  const lines = [
    `${safeLine(branch)} has ${counted(ahead, 'commit')} that ${safeLine(into)} lacks, and lacks ${behind} of it`,
    ...(conflicts.count > 0 ? [`${counted(conflicts.count, 'file')} in conflict:`] : ['No conflicts']),
    ...conflicts.paths.map((path) => `  ${safeLine(path)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(uncommitted > 0 ? [`${counted(uncommitted, 'file')} not committed: not merged`] : []),
    ...(blocked
      ? [`${safeLine(blocked.folder)} has ${safeLine(into)} with work that no commit has: commit or stash it`]
      : []),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function counted(count: number, one: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${one}s`;
}
