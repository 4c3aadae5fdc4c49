import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CreateSessionOptions, HostClient, SessionHandle } from '@agenthost/client';
import { defineCommand, HOST_OPTIONS, JSON_OPTION, type OptionSpec, type Values } from '../command.js';
import { CommandError, EXIT, usageError } from '../commandError.js';
import { withHost } from '../withHost.js';

/** The options of a new session; `send --new` takes the same. */
export const NEW_OPTIONS = {
  agent: { type: 'string', value: 'AGENT', help: 'which agent (default: the only one, else shell)' },
  cwd: { type: 'string', value: 'FOLDER', help: 'the folder to work in (default: this one)' },
  model: { type: 'string', value: 'MODEL', help: "one of the agent's models" },
  title: { type: 'string', value: 'TITLE', help: 'its title (default: the agent chooses one)' },
  worktree: { type: 'boolean', help: 'work in a new git worktree, on a branch of its own' },
  branch: { type: 'string', value: 'BRANCH', help: 'with --worktree: the name of the new branch' },
  base: {
    type: 'string',
    value: 'BASE',
    help: 'with --worktree: the branch or commit to begin at (default: the current one)',
  },
  'take-changes': { type: 'boolean', help: 'with --worktree: take the uncommitted changes of the folder along' },
} as const satisfies Record<string, OptionSpec>;

export const command = defineCommand({
  name: 'new',
  summary: 'create a session and print its URI',
  usage: '[flags]',
  options: { ...HOST_OPTIONS, ...JSON_OPTION, ...NEW_OPTIONS },
  examples: [
    'agenthost new --agent shell',
    'agenthost new --worktree --branch fix/login',
    'agenthost send "$(agenthost new --cwd ~/src/app)" "run the tests"',
  ],
  run: (values) =>
    withHost(values, async (host) => {
      const session = await createSession(host, values);
      const { summary } = session.confirmed.value;
      process.stdout.write(values.json ? `${JSON.stringify(summary)}\n` : `${session.uri}\n`);
      return EXIT.ok;
    }),
});

/** Waits until it is ready; a session whose agent did not start is removed. */
export async function createSession(host: HostClient, values: Values<typeof NEW_OPTIONS>): Promise<SessionHandle> {
  const provider = values.agent ?? defaultAgent(host);
  const session = await host.createSession({
    provider,
    workingDirectory: pathToFileURL(resolve(values.cwd ?? '.')).href,
    ...(values.model !== undefined && { model: values.model }),
    ...isolationOf(values),
  });
  try {
    await session.ready();
    if (values.title !== undefined) await session.rename(values.title);
  } catch (error) {
    await host.disposeSession(session.uri).catch(() => {});
    throw error;
  }
  return session;
}

function isolationOf(values: Values<typeof NEW_OPTIONS>): Pick<CreateSessionOptions, 'config'> {
  const { worktree, branch, base, 'take-changes': takeChanges } = values;
  if (worktree) {
    const wanted = { ...(branch && { branch }), ...(base && { base }), ...(takeChanges && { takeChanges }) };
    return { config: { isolation: { kind: 'worktree', ...wanted } } };
  }
  if (branch === undefined && base === undefined && !takeChanges) return {};
  throw usageError('--branch, --base and --take-changes are for a new worktree.', 'Give --worktree too.');
}

function defaultAgent(host: HostClient): string {
  const { agents } = host.root.state.value;
  const usable = agents.filter(({ availability }) => availability.state === 'available');
  const chosen = usable.length === 1 ? usable[0] : usable.find(({ runsInput }) => runsInput);
  if (chosen) return chosen.provider;
  throw new CommandError(
    EXIT.usage,
    usable.length === 0 ? 'The host has no available agent.' : 'There are several agents.',
    usable.length === 0
      ? 'See why with agenthost doctor.'
      : `Choose one with --agent: ${usable.map(({ provider }) => provider).join(', ')}.`,
  );
}
