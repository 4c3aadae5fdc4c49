import { AgentHostProvider } from '@agenthost/sessions';
import { providerContract } from '@agenthost/sessions/contract';
import { describe, it, vi } from 'vitest';
import { startTestHost } from '../support/testHost.js';

vi.spyOn(console, 'error').mockImplementation(() => {});

describe.each([undefined, 'dev box'])('the agent host provider of the host %s', (name) => {
  const cases = providerContract(async () => {
    const test = await startTestHost();
    const host = await test.connect();
    const provider = new AgentHostProvider(host, name === undefined ? {} : { name });
    return {
      provider,
      workspaceUri: `file://${test.stateDir}`,
      modelId: 'mock-large',
      dispose: async () => {
        provider.dispose();
        await test.dispose();
      },
    };
  });
  it.each(cases)('$name', ({ run }) => run());
});
