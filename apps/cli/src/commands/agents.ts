import { type AgentsOptions, agents } from '../agents.js';
import { defineCommand, JSON_OPTION } from '../command.js';
import { usageError } from '../commandError.js';

export const command = defineCommand({
  name: 'agents',
  summary: 'list the agents of this machine, install and remove them',
  usage: `[flags]              list them: where each was found, or why it can't be used and what to do
       agenthost agents add NAME… [flags]    install agents into the state folder, from npm
       agenthost agents rm NAME… [flags]     remove agents that were installed so`,
  options: {
    'state-dir': {
      type: 'string',
      value: 'FOLDER',
      help: 'the state folder (default $AGENTHOST_HOME, $XDG_STATE_HOME/agenthost or ~/.agenthost)',
    },
    ...JSON_OPTION,
  },
  notes: `
A running host on the state folder does the work, so that its clients see it at once; without one the command does it.
Your own agents, and changes to these, go into agents.json in the state folder.`,
  examples: ['agenthost agents', 'agenthost agents add claude', 'agenthost agents rm claude --json'],
  completes: ['add', 'rm'],
  run: (values, positionals) =>
    agents({ ...parseAction(positionals), stateDir: values['state-dir'], json: values.json ?? false }),
});

function parseAction([action = 'list', ...names]: readonly string[]): Pick<AgentsOptions, 'action' | 'names'> {
  if (action !== 'list' && action !== 'add' && action !== 'rm') {
    throw usageError(
      `There is no ${JSON.stringify(action)} for agents.`,
      'Give add or rm and a name, or nothing to list them.',
    );
  }
  if (action === 'list' && names.length > 0) throw usageError('The list takes no names.', 'Leave them out.');
  if (action !== 'list' && names.length === 0) {
    throw usageError(`agenthost agents ${action} needs a name.`, 'agenthost agents lists them.');
  }
  return { action, names };
}
