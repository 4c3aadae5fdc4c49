import { defineCommand, HOST_OPTIONS } from '../command.js';
import { EXIT, usageError } from '../commandError.js';
import { findSession } from '../sessionName.js';
import { withHost } from '../withHost.js';

export const command = defineCommand({
  name: 'rename',
  summary: 'rename a session',
  usage: 'SESSION TITLE… [flags]',
  options: { ...HOST_OPTIONS },
  completes: 'session',
  examples: ['agenthost rename last Fix the flaky test'],
  run: (values, [name, ...words]) => {
    const title = words.join(' ').trim();
    if (title === '') throw usageError('The title is missing.', 'Give it after the session.');
    return withHost(values, async (host) => {
      const session = await host.openSession(await findSession(host, name), { turns: 1 });
      await session.rename(title);
      return EXIT.ok;
    });
  },
});
