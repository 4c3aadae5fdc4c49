import type { HostClient } from '@agenthost/client';
import { MAX_LIST_LIMIT, type SessionSummary } from '@agenthost/protocol';
import { defineCommand, HOST_OPTIONS } from '../command.js';
import { EXIT, usageError } from '../commandError.js';
import { isSure } from '../isSure.js';
import { Progress } from '../output/progress.js';
import { sessionLine } from '../output/sessionTable.js';
import { parseTime } from '../text/parseTime.js';
import { withHost } from '../withHost.js';

export const command = defineCommand({
  name: 'prune',
  summary: 'delete archived sessions that have not changed for a long time',
  usage: '--older-than TIME [flags]',
  options: {
    ...HOST_OPTIONS,
    'older-than': { type: 'string', value: 'TIME', help: 'since their last change, e.g. 90d (also h and w)' },
    'dry-run': { type: 'boolean', help: 'list what would be deleted, and delete nothing' },
    yes: { type: 'boolean', short: 'y', help: 'do not ask' },
  },
  notes: `Only archived sessions are deleted, with all their files and for good. One that is changed or brought back meanwhile stays.
The time of archiving does not count: a session that was last changed a year ago and archived today is a year old.`,
  examples: ['agenthost prune --older-than 90d --dry-run', 'agenthost prune --older-than 26w --yes'],
  run: (values) => {
    const before = Date.now() - parseAge(values['older-than']);
    const isAsked = !values.yes && !values['dry-run'];
    if (isAsked && !(process.stdin.isTTY && process.stderr.isTTY)) {
      throw usageError('This is not a terminal, so no one can be asked.', 'Give --yes to delete without a question.');
    }
    return withHost(values, async (host) => {
      const old = await oldSessions(host, before);
      if (values['dry-run']) {
        process.stdout.write(old.map((session) => `${sessionLine(session)}\n`).join(''));
        return EXIT.ok;
      }
      if (old.length === 0) {
        process.stderr.write('No archived session is that old.\n');
        return EXIT.ok;
      }
      const sessions = old.length === 1 ? '1 archived session' : `${old.length} archived sessions`;
      if (isAsked && !(await isSure(`Delete ${sessions} for good? [y/N] `))) return EXIT.ok;
      const progress = new Progress('Deleting sessions:');
      let deleted = 0;
      try {
        for (const [done, { resource }] of old.entries()) {
          progress.update(done, old.length);
          if (await isStillOld(host, resource, before)) {
            await host.disposeSession(resource);
            deleted++;
          }
        }
      } finally {
        progress.end();
        process.stderr.write(`Deleted ${deleted} of ${sessions}.\n`);
      }
      return EXIT.ok;
    });
  },
});

function parseAge(text: string | undefined): number {
  if (text === undefined) throw usageError('--older-than is missing.', 'Give a time, e.g. --older-than 90d.');
  return parseTime('--older-than', text, ['h', 'd', 'w']);
}

async function oldSessions(host: HostClient, before: number): Promise<SessionSummary[]> {
  const old: SessionSummary[] = [];
  let cursor: string | undefined;
  do {
    const filter = { isArchived: true };
    const page = await host.listSessions({ filter, limit: MAX_LIST_LIMIT, ...(cursor !== undefined && { cursor }) });
    old.push(...page.items.filter(({ modifiedAt }) => modifiedAt < before));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return old;
}

/** Asked right before it is deleted: somebody may work with it again. */
async function isStillOld(host: HostClient, uri: string, before: number): Promise<boolean> {
  const session = await host.openSession(uri, { turns: 1 }).catch(() => undefined);
  if (!session) return false;
  const { isArchived, modifiedAt } = session.confirmed.value.summary;
  session.close();
  return isArchived && modifiedAt < before;
}
