import { defineCommand, HOST_OPTIONS } from '../command.js';
import { CommandError, EXIT } from '../commandError.js';
import { findSession } from '../sessionName.js';
import { withHost } from '../withHost.js';

export const command = defineCommand({
  name: 'attach',
  summary: 'drive sessions in the terminal: list, conversation, prompts, queue',
  usage: '[SESSION] [flags]',
  options: { ...HOST_OPTIONS },
  completes: 'session',
  notes: `Shows the same state as every browser and terminal on the session. Tab moves between the list, the question and the
composer; ? shows all keys. Ctrl+C stops the turn, twice leaves; the sessions continue without you.`,
  examples: ['agenthost attach', 'agenthost attach last', 'agenthost attach 3f2a --url https://dev-box:4747'],
  run: (values, [name]) => {
    if (!process.stdin.isTTY || !process.stdout.isTTY) {
      throw new CommandError(
        EXIT.usage,
        'attach needs a terminal.',
        'Without one, use agenthost send, agenthost log --follow and agenthost ls.',
      );
    }
    return withHost(values, async (host) => {
      const uri = name === undefined ? undefined : await findSession(host, name);
      // React's other build checks more and is several times slower.
      process.env['NODE_ENV'] ??= 'production';
      const { runAttach } = await import('../attach/runAttach.js');
      return runAttach(host, uri);
    });
  },
});
