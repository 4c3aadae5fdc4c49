import { pathToFileURL } from 'node:url';
import { type ListSessionsFilter, MAX_LIST_LIMIT, type SessionSummary } from '@agenthost/protocol';
import { defineCommand, HOST_OPTIONS, JSON_OPTION, type Values } from '../command.js';
import { EXIT, usageError } from '../commandError.js';
import { listNative } from '../output/nativeTable.js';
import { sessionLine, sessionTable } from '../output/sessionTable.js';
import { styleFor } from '../text/style.js';
import { withHost } from '../withHost.js';

const STATUSES = { running: 'inProgress', 'needs-input': 'inputNeeded', failed: 'error', idle: 'idle' } as const;
const DEFAULT_LIMIT = 50;
const MAX_ROWS = 100_000;

const options = {
  ...HOST_OPTIONS,
  ...JSON_OPTION,
  all: { type: 'boolean', short: 'a', help: 'also archived sessions' },
  archived: { type: 'boolean', help: 'only archived sessions' },
  status: { type: 'string', value: 'STATUS', help: 'only sessions in this state', choices: Object.keys(STATUSES) },
  agent: { type: 'string', value: 'AGENT', help: 'only sessions of this agent' },
  unread: { type: 'boolean', help: 'only sessions with something new' },
  cwd: { type: 'string', value: 'FOLDER', help: 'only sessions that work in this folder' },
  native: { type: 'boolean', help: 'instead those that were begun in a terminal, which agents keep by themselves' },
  limit: { type: 'string', short: 'n', value: 'COUNT', help: `maximum number of rows (default ${DEFAULT_LIMIT})` },
} as const;

export const command = defineCommand({
  name: 'ls',
  summary: 'list sessions, newest first',
  usage: '[flags]',
  options,
  notes: `States: ◐ running, ? needs input, × failed, ● something new, ○ idle.
In a pipe it prints one session per line with tabs between id, state, agent, time of the last change, title and folder.`,
  examples: ['agenthost ls', 'agenthost ls --status needs-input', 'agenthost ls --all --json | jq .sessions[].title'],
  run: async (values) => {
    const limit = parseCount(values.limit, DEFAULT_LIMIT);
    const filter = filterOf(values);
    return withHost(values, async (host) => {
      if (values.native) return listNative(host, limit, values.json === true);
      const sessions: SessionSummary[] = [];
      let cursor: string | undefined;
      let total = 0;
      do {
        const page = Math.min(limit - sessions.length, MAX_LIST_LIMIT);
        const result = await host.listSessions({ filter, limit: page, ...(cursor !== undefined && { cursor }) });
        sessions.push(...result.items);
        ({ nextCursor: cursor, total } = result);
      } while (cursor !== undefined && sessions.length < limit);
      if (values.json) process.stdout.write(`${JSON.stringify({ sessions, total })}\n`);
      else show(sessions, total, values);
      return EXIT.ok;
    });
  },
});

function show(sessions: readonly SessionSummary[], total: number, values: Values<typeof options>): void {
  const { stdout, stderr } = process;
  if (!stdout.isTTY) {
    stdout.write(sessions.map((session) => `${sessionLine(session)}\n`).join(''));
    return;
  }
  const style = styleFor(stdout);
  const rows = sessionTable(sessions, { columns: stdout.columns || 80, style, now: Date.now() });
  stdout.write(rows.map((row) => `${row}\n`).join(''));
  const isFiltered = Boolean(values.status ?? values.agent ?? values.unread ?? values.cwd ?? values.archived);
  if (sessions.length === 0) {
    stderr.write(
      isFiltered
        ? 'No session matches. Leave the filters out to see all.\n'
        : 'There are no sessions yet. Start your first one with agenthost send --new MESSAGE.\n',
    );
  } else if (total > sessions.length) {
    stderr.write(style.dim(`${sessions.length} of ${total}; more with --limit.\n`));
  }
}

function filterOf(values: Values<typeof options>): ListSessionsFilter {
  const { status, agent, unread, cwd, all, archived } = values;
  return {
    ...(archived ? { isArchived: true } : all ? {} : { isArchived: false }),
    ...(status !== undefined && { status: STATUSES[status as keyof typeof STATUSES] }),
    ...(agent !== undefined && { provider: agent }),
    ...(unread && { isRead: false }),
    ...(cwd !== undefined && { workspace: pathToFileURL(cwd).href }),
  };
}

export function parseCount(text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const count = Number(text);
  if (/^\d{1,6}$/.test(text) && count >= 1 && count <= MAX_ROWS) return count;
  throw usageError(`--limit ${text} is not a number of rows.`, `Give a number from 1 to ${MAX_ROWS}.`);
}
