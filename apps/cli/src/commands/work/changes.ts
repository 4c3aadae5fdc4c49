import type { HostClient } from '@agenthost/client';
import type { ChangedFile, ChangesSince, ListChangesResult, URI } from '@agenthost/protocol';
import { defineCommand, HOST_OPTIONS, JSON_OPTION } from '../../command.js';
import { EXIT, usageError } from '../../commandError.js';
import { findSession } from '../../sessionName.js';
import { safeLine } from '../../text/safeText.js';
import { type Style, styleFor } from '../../text/style.js';
import { withHost } from '../../withHost.js';

const SINCE: Readonly<Record<string, ChangesSince>> = { 'last-turn': 'lastTurn', session: 'session', base: 'base' };
const WORDS: Readonly<Record<ChangesSince, string>> = {
  lastTurn: 'since before the last turn',
  session: 'in this session',
  base: 'against the base',
};
/** More are counted, and not printed. */
const MAX_LISTED = 10_000;

export const SINCE_OPTION = {
  since: {
    type: 'string',
    value: 'WHEN',
    help: 'session: since before its first turn (default); last-turn; base: since the branch left its base',
    choices: Object.keys(SINCE),
  },
} as const;

export const command = defineCommand({
  name: 'changes',
  summary: 'list the files that a session changed, as git sees them',
  usage: 'SESSION [flags]',
  options: { ...HOST_OPTIONS, ...JSON_OPTION, ...SINCE_OPTION },
  completes: 'session',
  notes: `M is a modified file, A an added one (git need not track it), D a deleted one, R a renamed one. Files that git ignores are not
listed. In a folder without git the host compares with its own snapshots. With --json it prints one object, with all files.`,
  examples: [
    'agenthost changes last',
    'agenthost changes last --since last-turn',
    'agenthost changes 3f2a --since base --json',
  ],
  run: (values, [name, stray]) => {
    if (stray !== undefined) throw usageError('That is too much.', 'Name one session.');
    const since = parseSince(values.since);
    return withHost(values, async (host) => {
      const session = await findSession(host, name);
      const changes = await allChanges(host, session, since);
      if (values.json) process.stdout.write(`${JSON.stringify({ session, since, ...changes })}\n`);
      else process.stdout.write(changesText(changes, since, styleFor(process.stdout)));
      return EXIT.ok;
    });
  },
});

export function parseSince(text = 'session'): ChangesSince {
  const since = Object.hasOwn(SINCE, text) ? SINCE[text] : undefined;
  if (since) return since;
  throw usageError(`--since ${text} is not possible.`, `Give one of ${Object.keys(SINCE).join(', ')}.`);
}

/** All pages of one state. */
export async function allChanges(
  host: HostClient,
  session: URI,
  since: ChangesSince,
): Promise<Omit<ListChangesResult, 'nextCursor'>> {
  const { nextCursor, ...first } = await host.work.listChanges(session, { since, limit: 500 });
  const files: ChangedFile[] = [...first.files];
  let cursor = nextCursor;
  while (cursor !== undefined && files.length < MAX_LISTED) {
    const page = await host.work.listChanges(session, { since, limit: 500, cursor });
    files.push(...page.files);
    cursor = page.nextCursor;
  }
  return { ...first, files };
}

function changesText(changes: Omit<ListChangesResult, 'nextCursor'>, since: ChangesSince, style: Style): string {
  const { files, total, additions, deletions, leftOut, hasSnapshots } = changes;
  const lines = files.map((file) => `${fileLine(file, style)}\n`);
  const missing = total > files.length ? `and ${total - files.length} more files\n` : '';
  const what = total === 1 ? '1 file' : `${total}${changes.isCut ? ' or more' : ''} files`;
  const sum = `${what} ${WORDS[since]}, +${additions} -${deletions}\n`;
  const left = leftOut ? `${leftOut.count} files were left out: too large, or not readable.\n` : '';
  const none =
    hasSnapshots || since === 'base' ? '' : 'There is no snapshot of this session yet: its next turn makes one.\n';
  return [...lines, missing, style.dim(sum), left, none].join('');
}

export function fileLine(file: ChangedFile, style: Style): string {
  const { status, path, oldPath, additions, deletions, kind } = file;
  const name = oldPath === undefined ? safeLine(path) : `${safeLine(oldPath)} → ${safeLine(path)}`;
  const count =
    additions === undefined ? 'binary' : `${style.done(`+${additions}`)} ${style.error(`-${deletions ?? 0}`)}`;
  return `${status} ${name}  ${count}${kind ? ` ${kind}` : ''}`;
}
