import type { HostClient } from '@agenthost/client';
import type { SharedTerminal } from '@agenthost/protocol';
import { defineCommand, HOST_OPTIONS, JSON_OPTION } from '../../command.js';
import { CommandError, EXIT, usageError } from '../../commandError.js';
import { findSession } from '../../sessionName.js';
import { showTerminal } from '../../term/showTerminal.js';
import { safeLine } from '../../text/safeText.js';
import { withHost } from '../../withHost.js';

export const command = defineCommand({
  name: 'term',
  summary: "a shell in a session's folder on the host, shared with everybody on the session",
  usage: 'SESSION [TERMINAL] [flags]',
  options: {
    ...HOST_OPTIONS,
    new: { type: 'boolean', help: 'start another one, also if there is one' },
    list: { type: 'boolean', help: 'list the terminals of the session' },
    json: { ...JSON_OPTION.json, help: 'with --list: print JSON instead of text' },
  },
  completes: 'session',
  notes: `Shows the newest terminal of the session, or TERMINAL by its title, and starts one if there is none. Ctrl+] leaves it; it goes
on without you, until somebody closes it or the host stops. One person types at a time: Ctrl+T takes the keyboard while somebody
else types. Nothing of what is typed or shown is stored. Viewers and approvers can only watch.`,
  examples: ['agenthost term last', 'agenthost term last --new', 'agenthost term last --list --json'],
  run: (values, [name, title, stray]) => {
    if (stray !== undefined) throw usageError('That is too much.', 'Name one session and one terminal.');
    if (values.new && title !== undefined) throw usageError('--new starts another one.', 'Leave TERMINAL out.');
    if (!values.list && (!process.stdin.isTTY || !process.stdout.isTTY)) {
      throw usageError('term needs a terminal.', 'Without one, use agenthost term SESSION --list.');
    }
    return withHost(values, async (host) => {
      const uri = await findSession(host, name);
      if (values.list) return list(host, uri, values.json === true);
      const session = await host.openSession(uri, { turns: 1 });
      const found = values.new ? undefined : await find(await session.terminals.list(), title);
      return showTerminal(session, host.clientId, found);
    });
  },
});

async function find(all: readonly SharedTerminal[], title: string | undefined): Promise<SharedTerminal | undefined> {
  if (title === undefined) return all.findLast(({ exitCode }) => exitCode === undefined);
  const found = all.find((one) => one.title === title);
  if (found) return found;
  const there = all.length > 0 ? `There are: ${all.map((one) => safeLine(one.title)).join(', ')}.` : 'There is none.';
  throw new CommandError(EXIT.notFound, `The session has no terminal ${JSON.stringify(title)}.`, there);
}

async function list(host: HostClient, session: string, isJson: boolean): Promise<number> {
  const terminals = await host.terminalsOf(session).list();
  if (isJson) {
    process.stdout.write(`${JSON.stringify({ session, terminals })}\n`);
    return EXIT.ok;
  }
  for (const one of terminals) process.stdout.write(`${lineOf(one)}\n`);
  if (terminals.length === 0) process.stderr.write('The session has no terminal. agenthost term SESSION starts one.\n');
  return EXIT.ok;
}

function lineOf({ title, columns, rows, keyboard, exitCode }: SharedTerminal): string {
  const who = safeLine(keyboard.by.name ?? keyboard.by.clientId);
  const state = exitCode === undefined ? (keyboard.isTyping ? `${who} is typing` : 'running') : `exit ${exitCode}`;
  return `${safeLine(title)}\t${state}\t${columns} × ${rows}`;
}
