import { defineCommand, HOST_OPTIONS, JSON_OPTION } from '../command.js';
import { EXIT } from '../commandError.js';
import { findSession } from '../sessionName.js';
import { withHost } from '../withHost.js';

export const command = defineCommand({
  name: 'fork',
  summary: 'create a session with the turns of another, and print its URI',
  usage: 'SESSION [flags]',
  options: {
    ...HOST_OPTIONS,
    ...JSON_OPTION,
    to: {
      type: 'string',
      value: 'TURN',
      help: 'the last turn to copy (default: all); agenthost log --json shows ids',
    },
    agent: {
      type: 'string',
      value: 'NAME',
      help: 'hand the conversation over to this agent: it gets the turns as text with the next message',
    },
    title: { type: 'string', value: 'TITLE', help: 'its title' },
  },
  completes: 'session',
  examples: ['agenthost fork last', 'agenthost fork last --agent codex', 'agenthost fork 3f2a --to 6c1b7c9e-…'],
  run: (values, [name]) =>
    withHost(values, async (host) => {
      const source = await findSession(host, name);
      const session = await host.forkSession({
        source,
        ...(values.to !== undefined && { toTurnId: values.to }),
        ...(values.agent !== undefined && { provider: values.agent }),
      });
      if (values.title !== undefined) await session.rename(values.title);
      process.stdout.write(values.json ? `${JSON.stringify(session.confirmed.value.summary)}\n` : `${session.uri}\n`);
      return EXIT.ok;
    }),
});
