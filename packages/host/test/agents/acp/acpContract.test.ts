import { beforeAll, describe, it, vi } from 'vitest';
import { agentContract } from '../../../contract/agentContract.js';
import { processesIn } from '../support/processes.js';
import { openOptions } from '../support/sessions.js';
import { stubAgent } from './support.js';

beforeAll(() => {
  // One case has a listener that throws; the warnings about it are no news.
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  return () => spy.mockRestore();
});

describe.each([
  ['resumes', {}],
  ['loads, has old choices', { STUB_RESUME: 'load', STUB_CHOICES: 'old' }],
])('the agent contract: an ACP agent that %s', (_, env) => {
  const cases = agentContract({
    create: () => stubAgent(env),
    openOptions,
    processes: processesIn,
    timeoutMs: 20_000,
    prompts: {
      text: 'hello',
      reasoning: 'think',
      tool: { prompt: 'tool echo hello' },
      endless: 'endless',
      error: 'error',
      crash: 'crash',
      resume: { tell: 'I am Ada', recall: 'recall', answer: 'I am Ada' },
    },
  });
  for (const { name, run } of cases) it(name, run);
});
