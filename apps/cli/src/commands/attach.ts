import { defineCommand, HOST_OPTIONS } from '../command.js';
import { CommandError, EXIT } from '../commandError.js';
import { hostAddress } from '../hostAddress.js';

export const command = defineCommand({
  name: 'attach',
  summary: 'drive sessions in the terminal',
  usage: '[SESSION] [flags]',
  options: { ...HOST_OPTIONS },
  completes: 'session',
  examples: ['agenthost attach', 'agenthost attach last'],
  run: async (values, [name]) => {
    hostAddress(values);
    void name;
    throw new CommandError(EXIT.failed, 'Not here yet.', '');
  },
});
