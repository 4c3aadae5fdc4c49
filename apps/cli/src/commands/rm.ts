import { titleOf } from '@agenthost/client/internal';
import { defineCommand, HOST_OPTIONS } from '../command.js';
import { EXIT, usageError } from '../commandError.js';
import { isSure } from '../isSure.js';
import { findSession, idOf } from '../sessionName.js';
import { withHost } from '../withHost.js';

export const command = defineCommand({
  name: 'rm',
  summary: 'delete sessions with all their files',
  usage: 'SESSION… [flags]',
  options: {
    ...HOST_OPTIONS,
    yes: { type: 'boolean', short: 'y', help: 'do not ask' },
    'discard-worktree': { type: 'boolean', help: 'also remove work that only its worktree or branch has' },
  },
  notes: `The worktree of a session is removed with it. Files that no commit has keep the worktree, and commits of no other
branch keep the branch, unless --discard-worktree says otherwise.`,
  completes: 'session',
  examples: ['agenthost rm 3f2a', 'agenthost rm --yes 3f2a 91c0'],
  run: (values, names) => {
    if (names.length === 0) throw usageError('A session is missing.', 'Name one or more as agenthost ls does.');
    const canAsk = process.stdin.isTTY && process.stderr.isTTY;
    if (!values.yes && !canAsk) {
      throw usageError('This is not a terminal, so no one can be asked.', 'Give --yes to delete without a question.');
    }
    return withHost(values, async (host) => {
      const found = [];
      for (const name of names) found.push(await findSession(host, name));
      for (const uri of new Set(found)) {
        const session = await host.openSession(uri, { turns: 1 });
        const title = titleOf(session.confirmed.value.summary);
        session.close();
        if (values.yes || (await isSure(`Delete “${title}” (${idOf(uri)}) for good? [y/N] `))) {
          await host.disposeSession(uri, values['discard-worktree'] ? { worktree: 'discard' } : {});
        }
      }
      return EXIT.ok;
    });
  },
});
