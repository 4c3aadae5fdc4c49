import { dirname } from 'node:path';
import { LOGIN_REQUIRED } from '@agenthost/protocol';
import { expect, it, onTestFinished } from 'vitest';
import { EventRecorder } from '../../packages/host/contract/eventRecorder.js';
import { AcpAgent } from '../../packages/host/src/agents/acp/acpAgent.js';
import { memorySessionFs } from '../../packages/host/test/agents/support/memorySessionFs.js';
import { ACP_CASES, type AcpCase, specOf } from './support/acpCases.js';
import { agentEnv, agentFolders } from './support/agentCase.js';
import { recordCapability } from './support/capabilities.js';
import { PATIENCE_MS } from './support/copilotHost.js';
import { AGENTS_FOLDER, installAgent } from './support/installAgents.js';

function agentIn(home: string, agentCase: AcpCase): AcpAgent {
  const agent = new AcpAgent({
    spec: specOf(agentCase),
    stateDir: dirname(AGENTS_FOLDER),
    hostEnv: agentEnv(home),
    startTimeoutMs: PATIENCE_MS,
  });
  onTestFinished(() => agent.dispose());
  return agent;
}

/** What a first message leads to, for somebody who has just installed the agent. */
async function firstTurn(agent: AcpAgent, home: string, cwd: string): Promise<{ errorType?: string; message: string }> {
  try {
    const session = await agent.openSession({
      sessionId: 'first',
      cwd,
      sessionFs: memorySessionFs(),
      customizations: [],
      config: {},
      env: agentEnv(home),
      signal: new AbortController().signal,
    });
    const recorder = new EventRecorder(session, PATIENCE_MS);
    await session.send({ text: 'hello' });
    const end = await recorder.end(1);
    return end.type === 'error' ? end.error : { message: `${end.type}: ${recorder.text()}` };
  } catch (error) {
    return error as Error & { errorType?: string };
  }
}

// opencode has models that need no log-in, at an address of its vendor: its check says "ready".
const CASES = ACP_CASES.filter(({ provider }) => provider !== 'opencode');

it.each(CASES)(
  '$provider: the first turn and a check say that a log-in is missing',
  {
    timeout: 240_000,
  },
  async (agentCase) => {
    await installAgent(agentCase.provider);
    const { home, cwd } = await agentFolders();
    const agent = agentIn(home, agentCase);
    const checked = await agent.login.check(AbortSignal.timeout(PATIENCE_MS));
    const first = await firstTurn(agent, home, cwd);
    expect(first).toMatchObject({ errorType: LOGIN_REQUIRED });
    expect(checked).toBe('needed');
    recordCapability(agentCase.provider, 'logIn', 'yes');
  },
);

it('opencode needs no log-in: it has models without one', { timeout: 240_000 }, async () => {
  const agentCase = ACP_CASES.find(({ provider }) => provider === 'opencode');
  if (!agentCase) throw new Error('there is no case for opencode');
  await installAgent('opencode');
  const { home } = await agentFolders();
  const agent = agentIn(home, agentCase);
  expect(await agent.login.check(AbortSignal.timeout(PATIENCE_MS))).toBe('ready');
  recordCapability('opencode', 'logIn', 'no', 'it has models without one');
});
