import { defineCommand, HOST_OPTIONS } from '../../command.js';
import { usageError } from '../../commandError.js';

export const command = defineCommand({
  name: 'acp',
  summary: 'be an agent of an editor that speaks ACP: its threads are sessions of the host',
  usage: '[flags]',
  options: {
    ...HOST_OPTIONS,
    agent: { type: 'string', value: 'AGENT', help: 'which agent new threads have (default: the only one)' },
    'no-start': { type: 'boolean', help: 'end with an error if no host runs here, instead of starting one' },
  },
  notes: `An editor starts it (Zed, JetBrains, Neovim, Emacs): docs/acp.md says how. Standard input and output carry the Agent Client
Protocol and nothing else. When the editor ends, its turns go on.`,
  examples: ['agenthost acp', 'agenthost acp --agent claude', 'agenthost acp --url https://dev-box:4747'],
  run: async (values, [stray]) => {
    if (stray !== undefined) {
      throw usageError(`Unexpected argument '${stray}'.`, 'See agenthost acp --help for what it takes.');
    }
    const { serveAcp } = await import('../../acp/serveAcp.js');
    return serveAcp({
      address: values,
      startsHost: !values['no-start'],
      ...(values.agent !== undefined && { provider: values.agent }),
    });
  },
});
