import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { STUB } from '../../../../../test/support/agents/stubAgent.js';
import { AcpAgent, type AcpAgentOptions } from '../../../src/agents/acp/acpAgent.js';
import type { AcpAgentSpec } from '../../../src/agents/acp/acpAgentSpec.js';
import { temporaryFolder } from '../support/sessions.js';

/** The stub as an agent: Node runs its source. */
export function stubSpec(env: Readonly<Record<string, string>> = {}): AcpAgentSpec {
  return {
    provider: 'stub',
    displayName: 'Stub',
    description: 'A stub of an agent.',
    command: process.execPath,
    args: [STUB],
    env,
    passEnv: [],
    login: 'Set STUB_KEY.',
    models: [],
  };
}

/** An agent that is disposed of with the test, in a state root of its own. */
export async function stubAgent(
  env: Readonly<Record<string, string>> = {},
  options: Partial<AcpAgentOptions> = {},
): Promise<AcpAgent> {
  const stateDir = await temporaryFolder();
  const memory = join(stateDir, 'stub-memory');
  await mkdir(memory);
  const agent = new AcpAgent({
    spec: stubSpec({ STUB_MEMORY: memory, ...env }),
    stateDir,
    hostEnv: { PATH: process.env['PATH'] },
    startTimeoutMs: 20_000,
    ...options,
  });
  onTestFinished(() => agent.dispose());
  return agent;
}
