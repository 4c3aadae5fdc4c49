import { type AuditEntry, MAX_AUDIT_LIMIT } from '@agenthost/protocol';
import { dateOf } from '@agenthost/protocol/internal';
import { defineCommand, HOST_OPTIONS, JSON_OPTION } from '../command.js';
import { EXIT } from '../commandError.js';
import { findSession } from '../sessionName.js';
import { safeLine } from '../text/safeText.js';
import { withHost } from '../withHost.js';
import { parseCount } from './ls.js';

const DEFAULT_LIMIT = 50;

const options = {
  ...HOST_OPTIONS,
  ...JSON_OPTION,
  session: { type: 'string', short: 's', value: 'SESSION', help: 'only what was done to this session' },
  limit: { type: 'string', short: 'n', value: 'COUNT', help: `maximum number of rows (default ${DEFAULT_LIMIT})` },
} as const;

export const command = defineCommand({
  name: 'audit',
  summary: 'list who did what, when, from which device',
  usage: '[flags]',
  options,
  notes: `The newest first: connections and refused ones, answers to agents' questions, deleted sessions, merges and pushes, changes of
tokens, devices, agents and their keys. Only an owner may read it. With --json each line is one entry.`,
  examples: ['agenthost audit', 'agenthost audit --limit 500 --json'],
  run: async (values) => {
    const limit = parseCount(values.limit, DEFAULT_LIMIT);
    return withHost(values, async (host) => {
      const session = values.session === undefined ? undefined : await findSession(host, values.session);
      let left = limit;
      let before: string | undefined;
      do {
        const page = await host.devices.fetchAudit({
          limit: Math.min(left, MAX_AUDIT_LIMIT),
          ...(session && { session }),
          ...(before !== undefined && { before }),
        });
        for (const entry of page.items)
          process.stdout.write(`${values.json ? JSON.stringify(entry) : auditLine(entry)}\n`);
        left -= page.items.length;
        before = page.nextCursor;
      } while (before !== undefined && left > 0);
      return EXIT.ok;
    });
  },
});

/** Time, what happened, and from where, in one line. */
function auditLine({ at, by, text, from, count, session }: AuditEntry): string {
  const who = by ? `${by.name} ` : '';
  const where = [by?.device, by?.role, from].filter(Boolean).join(', ');
  const times = count !== undefined && count > 1 ? ` (${count} times)` : '';
  const line = `${dateOf(at).toISOString()}  ${who}${text}${times}${where ? `  [${where}]` : ''}${session ? `  ${session}` : ''}`;
  return safeLine(line);
}
