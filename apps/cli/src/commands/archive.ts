import { defineCommand, HOST_OPTIONS } from '../command.js';
import { EXIT, usageError } from '../commandError.js';
import { findSession } from '../sessionName.js';
import { withHost } from '../withHost.js';

export const command = defineCommand({
  name: 'archive',
  summary: 'archive or unarchive sessions',
  usage: 'SESSION… [flags]',
  options: { ...HOST_OPTIONS, undo: { type: 'boolean', help: 'unarchive them instead' } },
  completes: 'session',
  examples: ['agenthost archive 3f2a 91c0', 'agenthost archive --undo 3f2a'],
  run: (values, names) => {
    if (names.length === 0) throw usageError('A session is missing.', 'Name one or more as agenthost ls does.');
    return withHost(values, async (host) => {
      const found = [];
      for (const name of names) found.push(await findSession(host, name));
      for (const uri of new Set(found)) {
        const session = await host.openSession(uri, { turns: 1 });
        await session.archive(!values.undo);
        session.close();
      }
      return EXIT.ok;
    });
  },
});
