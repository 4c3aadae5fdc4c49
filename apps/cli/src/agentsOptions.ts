import { parseArgs } from 'node:util';
import { usageError } from './commandError.js';

export const AGENTS_HELP = `agenthost agents: the agents that this machine has, and those it could have

Usage:
  agenthost agents [flags]              list them: where each was found, or why it can't be used and what to do
  agenthost agents add NAME… [flags]    install agents into the state folder, from npm
  agenthost agents rm NAME… [flags]     remove agents that were installed so

  --state-dir FOLDER    the state folder (default $AGENTHOST_HOME, $XDG_STATE_HOME/agenthost or ~/.agenthost)
  --json                print one JSON object a line instead of text
  --debug               show where errors come from

A host that runs on the state folder is asked to do it, so that its clients see it at once; without one the command does it itself.
Agents of your own, and changes to these, go into agents.json in the state folder.

Examples:
  agenthost agents
  agenthost agents add claude
  agenthost agents rm claude --json
`;

export interface AgentsOptions {
  readonly action: 'list' | 'add' | 'rm';
  readonly names: readonly string[];
  readonly stateDir: string | undefined;
  readonly json: boolean;
}

export function parseAgentsOptions(args: string[]): AgentsOptions | 'help' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  const [action = 'list', ...names] = positionals;
  if (action !== 'list' && action !== 'add' && action !== 'rm') {
    throw usageError(
      `There is no ${JSON.stringify(action)} for agents.`,
      'Give add or rm and a name, or nothing to list them.',
    );
  }
  if (action === 'list' && names.length > 0) throw usageError('The list takes no names.', 'Leave them out.');
  if (action !== 'list' && names.length === 0) {
    throw usageError(`agenthost agents ${action} needs a name.`, 'See agenthost agents for those that there are.');
  }
  return { action, names, stateDir: values['state-dir'], json: values.json ?? false };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        'state-dir': { type: 'string' },
        json: { type: 'boolean' },
        debug: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw usageError(`${(error as Error).message.split('. ')[0]}.`, 'See agenthost agents --help for what it takes.');
  }
}
