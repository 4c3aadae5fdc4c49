import { agentContract } from '@agenthost/host/contract';
import { beforeAll, describe, it, vi } from 'vitest';
import { WordCountAgent } from '../../examples/parts/wordCountAgent.js';
import { openOptions } from '../../packages/host/test/agents/support/sessions.js';

beforeAll(() => {
  // One case has a listener that throws; the warnings about it are no news.
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  return () => spy.mockRestore();
});

describe('the example of an agent passes the agent contract', () => {
  const cases = agentContract({
    create: async () => new WordCountAgent(),
    openOptions,
    prompts: {
      text: 'hello',
      tool: { prompt: 'count these words', edited: 'one two', prints: '2' },
      endless: 'recite',
    },
  });
  for (const { name, run } of cases) it(name, run);
});
