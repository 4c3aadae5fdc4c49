import { afterEach, beforeAll, beforeEach, describe, it, vi } from 'vitest';
import { agentContract } from '../../packages/host/contract/agentContract.js';
import type { OpenSessionOptions } from '../../packages/host/src/agents/agent.js';
import { CopilotAgent } from '../../packages/host/src/agents/copilot/copilotAgent.js';
import { LocalSessionFs } from '../../packages/host/src/storage/fs/localSessionFs.js';
import { memorySessionFs } from '../../packages/host/test/agents/support/memorySessionFs.js';
import { processesIn } from '../../packages/host/test/agents/support/processes.js';
import { failure, reasoning, slow, text, toolCall } from '../support/modelServer/modelReply.js';
import { ModelServer } from '../support/modelServer/modelServer.js';
import { agentEnv, agentFolders } from './support/agentCase.js';
import { recordContractCase } from './support/capabilities.js';
import { scriptedCopilot } from './support/copilotConfiguration.js';
import { AGENTS_FOLDER, installAgent } from './support/installAgents.js';

let model: ModelServer;

beforeAll(async () => {
  // One case has a listener that throws; the warnings about it are no news.
  vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  await installAgent('copilot');
});
beforeEach(async () => {
  model = await ModelServer.start();
  model
    .script('say hello', text('Hello from the model.'))
    .script('think first', reasoning('Let me think.', 'Thought.'))
    .script('run a command', toolCall('bash', { command: 'echo it ran', description: 'a test' }))
    .script('go on for ever', slow())
    .script('fail please', failure(400, 'scripted to fail'))
    .script('the number is 4711', text('I will remember.'))
    .script('which number', ({ items }) =>
      text(`It was ${/number is (\d+)/.exec(items.map((i) => i.text).join(' '))?.[1]}.`),
    )
    .script('ask me something', toolCall('ask_user', { question: 'Which one?', choices: ['this', 'that'] }));
});
afterEach(() => model.dispose());

function agent(): CopilotAgent {
  return new CopilotAgent({ agentsFolder: AGENTS_FOLDER, configuration: scriptedCopilot(model) });
}

const sessionFileSystems = {
  'files in memory': async () => memorySessionFs(),
  'files on disk': async (state: string, cwd: string) =>
    LocalSessionFs.open({ stateRoot: state, sessionId: 's1', initialCwd: cwd }),
};

describe.each(Object.entries(sessionFileSystems))('the agent contract: Copilot with %s', (_, openSessionFs) => {
  const openOptions = async (): Promise<OpenSessionOptions> => {
    const { home, cwd, state } = await agentFolders();
    return {
      sessionId: 's1',
      cwd,
      sessionFs: await openSessionFs(state, cwd),
      customizations: [],
      config: {},
      env: agentEnv(home),
      signal: new AbortController().signal,
    };
  };
  const cases = agentContract({
    create: async () => agent(),
    openOptions,
    processes: processesIn,
    timeoutMs: 60_000,
    prompts: {
      text: 'say hello',
      reasoning: 'think first',
      tool: { prompt: 'run a command' },
      permission: 'ask me something',
      endless: 'go on for ever',
      error: 'fail please',
      resume: { tell: 'the number is 4711', recall: 'which number', answer: '4711' },
    },
  });
  for (const { name, run } of cases) {
    it(name, async () => {
      await run();
      recordContractCase('copilot', name);
    });
  }
});
