import { agents } from '../agents.js';
import { defineCommand, JSON_OPTION } from '../command.js';
import { usageError } from '../commandError.js';
import { agentLogin } from '../login/agentLogin.js';

export const command = defineCommand({
  name: 'agents',
  summary: 'list the agents of this machine, install, update and remove them, log in to them',
  usage: `[flags]              list them: where each was found, or why it can't be used and what to do
       agenthost agents add NAME… [flags]    install agents into the state folder, from npm
       agenthost agents rm NAME… [flags]     remove agents that were installed so
       agenthost agents update NAME… [flags] install the newer version that the list names
       agenthost agents login NAME [flags]   run the agent's own log-in, or save a key for it
       agenthost agents logout NAME [flags]  remove the key, and log out with the agent's own program`,
  options: {
    'state-dir': {
      type: 'string',
      value: 'FOLDER',
      help: 'the state folder (default $AGENTHOST_HOME, $XDG_STATE_HOME/agenthost or ~/.agenthost)',
    },
    key: {
      type: 'boolean',
      help: 'login: read a key from the terminal or from standard input, and save it on the host',
    },
    url: { type: 'string', value: 'URL', help: 'login, logout: a host elsewhere; its log-in runs in this terminal' },
    token: { type: 'string', value: 'TOKEN', help: 'login, logout: the token of that host (default $AGENTHOST_TOKEN)' },
    ...JSON_OPTION,
  },
  notes: `
A running host on the state folder does the work, so that its clients see it at once; without one the command does it.
Your own agents, and changes to these, go into agents.json in the state folder.
A key is kept in the state folder, readable only by your user, and given to that agent alone.
Newer versions are looked up once a day by a running host; AGENTHOST_NO_UPDATE_CHECK=1 turns that off.`,
  examples: [
    'agenthost agents',
    'agenthost agents add claude',
    'agenthost agents login claude',
    'agenthost agents login codex --key < key.txt',
    'agenthost agents rm claude --json',
  ],
  completes: ['add', 'rm', 'update', 'login', 'logout'],
  run: (values, positionals) => {
    const { action, names } = parseAction(positionals);
    const json = values.json ?? false;
    const stateDir = values['state-dir'];
    if (action !== 'login' && action !== 'logout') {
      const unfit = (['key', 'url', 'token'] as const).find((name) => values[name] !== undefined);
      if (unfit) throw usageError(`--${unfit} is for agents login and logout.`, 'Leave it out.');
      return agents({ action, names, stateDir, json });
    }
    const [name = ''] = names;
    const { key: withKey = false, url, token } = values;
    return agentLogin({ action, name, withKey, url, token, stateDir, json });
  },
});

const ACTIONS = ['list', 'add', 'rm', 'update', 'login', 'logout'] as const;
type Action = (typeof ACTIONS)[number];

function parseAction([given = 'list', ...names]: readonly string[]): { action: Action; names: readonly string[] } {
  const action = ACTIONS.find((one) => one === given);
  if (!action) {
    throw usageError(
      `There is no ${JSON.stringify(given)} for agents.`,
      'Give add, rm, update, login or logout and a name, or nothing to list them.',
    );
  }
  if (action === 'list' && names.length > 0) throw usageError('The list takes no names.', 'Leave them out.');
  if (action !== 'list' && names.length === 0) {
    throw usageError(`agenthost agents ${action} needs a name.`, 'agenthost agents lists them.');
  }
  if ((action === 'login' || action === 'logout') && names.length > 1) {
    throw usageError(`agenthost agents ${action} takes one name.`, 'Run it once for each agent.');
  }
  return { action, names };
}
