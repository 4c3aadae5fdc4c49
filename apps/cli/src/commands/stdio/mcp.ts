import { defineCommand, HOST_OPTIONS } from '../../command.js';
import { usageError } from '../../commandError.js';

export const command = defineCommand({
  name: 'mcp',
  summary: 'be an MCP server: other agents start and supervise sessions of the host',
  usage: '[flags]',
  options: {
    ...HOST_OPTIONS,
    'no-start': { type: 'boolean', help: 'tools fail while no host runs here, instead of starting one' },
  },
  notes: `An agent starts it (Claude Code, Codex, VS Code): docs/mcp.md says how. Standard input and output carry the Model Context
Protocol and nothing else. The host serves the same tools over HTTP, at /mcp.`,
  examples: ['agenthost mcp', 'agenthost mcp --url https://dev-box:4747'],
  run: async (values, [stray]) => {
    if (stray !== undefined) {
      throw usageError(`Unexpected argument '${stray}'.`, 'See agenthost mcp --help for what it takes.');
    }
    const { serveMcp } = await import('../../mcp/serveMcp.js');
    return serveMcp({ address: values, startsHost: !values['no-start'] });
  },
});
