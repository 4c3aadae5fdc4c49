import { CommandFailedError, type HostClient } from '@agenthost/client';
import { titleOf } from '@agenthost/client/internal';
import type { DisposeSessionParams, URI } from '@agenthost/protocol';
import type { ErrorData } from '@agenthost/protocol/internal';
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
    'keep-worktree': { type: 'boolean', help: 'keep work that only its worktree or branch has, without a question' },
    everywhere: { type: 'boolean', help: "also delete the conversation in the agent's own store" },
    'discard-worktree': { type: 'boolean', help: 'also remove work that only its worktree or branch has' },
  },
  notes: `The worktree of a session is removed with it, and so is its branch. When it has files that no commit has, or commits of no
other branch, you are asked what becomes of them; with --yes they are kept.

With --everywhere the agent deletes its own copy too, so that no terminal continues the conversation. A session whose agent can't
is kept, and the command says why. Only owners may do this.`,
  completes: 'session',
  examples: ['agenthost rm 3f2a', 'agenthost rm --yes 3f2a 91c0', 'agenthost rm --everywhere 3f2a'],
  run: (values, names) => {
    if (names.length === 0) throw usageError('A session is missing.', 'Name one or more as agenthost ls does.');
    const canAsk = process.stdin.isTTY && process.stderr.isTTY;
    if (!values.yes && !canAsk) {
      throw usageError('This is not a terminal, so no one can be asked.', 'Give --yes to delete without a question.');
    }
    if (values['keep-worktree'] && values['discard-worktree']) {
      throw usageError('--keep-worktree and --discard-worktree are opposites.', 'Give one of them.');
    }
    const fate = values['discard-worktree'] ? 'discard' : values['keep-worktree'] ? 'keep' : 'ask';
    return withHost(values, async (host) => {
      const found = [];
      for (const name of names) found.push(await findSession(host, name));
      for (const uri of new Set(found)) {
        const session = await host.openSession(uri, { turns: 1 });
        const title = titleOf(session.confirmed.value.summary);
        session.close();
        if (values.yes || (await isSure(`Delete “${title}” (${idOf(uri)}) for good? [y/N] `))) {
          const agentCopy = values.everywhere ? 'delete' : 'keep';
          await remove(host, uri, { worktree: fate, agentCopy }, values.yes === true);
        }
      }
      return EXIT.ok;
    });
  },
});

/** Asks what becomes of work that only the session's worktree has. Without a question it is kept. */
async function remove(
  host: HostClient,
  uri: URI,
  how: Omit<DisposeSessionParams, 'session'>,
  isQuiet: boolean,
): Promise<void> {
  try {
    await host.disposeSession(uri, how);
  } catch (error) {
    const work = unmergedWork(error);
    if (work === undefined) throw error;
    process.stderr.write(`${idOf(uri)}: ${work}.${isQuiet ? ' That is kept.' : ''}\n`);
    const isDiscarded = !isQuiet && (await isSure('Discard that work for good? [y/N: it is kept] '));
    await host.disposeSession(uri, { ...how, worktree: isDiscarded ? 'discard' : 'keep' });
  }
}

function unmergedWork(error: unknown): string | undefined {
  if (!(error instanceof CommandFailedError)) return undefined;
  return (error.data as ErrorData | undefined)?.code === 'unmergedWork' ? error.reason : undefined;
}
