import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { EventRecorder } from '../../packages/host/contract/eventRecorder.js';
import { AcpAgent } from '../../packages/host/src/agents/acp/acpAgent.js';
import type { Agent, AgentSession, OpenSessionOptions } from '../../packages/host/src/agents/agent.js';
import { CopilotAgent } from '../../packages/host/src/agents/copilot/copilotAgent.js';
import { memorySessionFs } from '../../packages/host/test/agents/support/memorySessionFs.js';
import { text } from '../support/modelServer/modelReply.js';
import { ModelServer } from '../support/modelServer/modelServer.js';
import { ACP_CASES, specOf } from './support/acpCases.js';
import { agentEnv, agentFolders } from './support/agentCase.js';
import { recordCapability, type TableAgent } from './support/capabilities.js';
import { scriptedCopilot } from './support/copilotConfiguration.js';
import { AGENTS_FOLDER, installAgent } from './support/installAgents.js';

const TIMEOUT_MS = 60_000;
const COPILOT_PLAN = 'https://agentclientprotocol.com/protocol/session-modes#plan';

/** A setting of a real agent, a value for it, and how requests to the model show that the agent has it. */
const CASES: readonly (readonly [provider: TableAgent, setting: string, value: string, shown: RegExp])[] = [
  ['claude', 'mode', 'plan', /plan mode is active/i],
  ['claude', 'effort', 'low', /"effort":"low"/],
  ['codex', 'mode', 'read-only', /sandbox_mode` is `read-only/],
  ['codex', 'collaboration_mode', 'plan', /# Plan Mode/],
  ['gemini', 'mode', 'plan', /Active Approval Mode: Plan/],
  ['opencode', 'mode', 'plan', /plan mode/i],
  ['opencode', 'effort', 'high', /"reasoning_effort":"high"/],
  ['copilot-acp', 'mode', COPILOT_PLAN, /plan mode/i],
  ['copilot', 'mode', 'plan', /plan mode/i],
  ['copilot', 'effort', 'high', /"reasoning_effort":"high"/],
];

describe('a setting of a real agent', () => {
  let model: ModelServer;
  beforeEach(async () => {
    model = await ModelServer.start();
    model.script('say hello', text('Hello from the model.'));
  });
  afterEach(() => model.dispose());

  async function agentOf(provider: string): Promise<{ agent: Agent; options: OpenSessionOptions }> {
    await installAgent(provider);
    const { home, cwd } = await agentFolders();
    const acp = ACP_CASES.find((one) => one.provider === provider);
    const agent = acp
      ? new AcpAgent({
          spec: specOf(acp),
          stateDir: dirname(AGENTS_FOLDER),
          hostEnv: {},
          startTimeoutMs: TIMEOUT_MS,
        })
      : new CopilotAgent({ agentsFolder: AGENTS_FOLDER, configuration: scriptedCopilot(model) });
    onTestFinished(() => agent.dispose());
    const options: OpenSessionOptions = {
      sessionId: 's1',
      cwd,
      sessionFs: memorySessionFs(),
      customizations: [],
      config: {},
      env: { ...agentEnv(home), ...(await acp?.prepare(home, model.url)) },
      signal: new AbortController().signal,
    };
    return { agent, options };
  }

  /** What the agent asks the model in a turn. */
  async function asked(session: AgentSession): Promise<string> {
    const before = model.requests.length;
    const recorder = new EventRecorder(session, TIMEOUT_MS);
    await session.send({ text: 'say hello' });
    expect((await recorder.end()).type).toBe('idle');
    const requests = model.requests.slice(before).filter(({ tools }) => tools.length > 0);
    return JSON.stringify(requests.at(-1)?.body);
  }

  const valueIn = ({ settings = [] }: AgentSession, id: string) => settings.find((one) => one.id === id)?.value;

  it.each(CASES)('of %s: %s is set to %s between two turns, and again after a restart', async (...row) => {
    const [provider, setting, value, shown] = row;
    const { agent, options } = await agentOf(provider);
    const session = await agent.openSession(options);
    expect(await asked(session)).not.toMatch(shown);
    await session.setSetting?.(setting, value);
    expect(valueIn(session, setting)).toBe(value);
    expect(await asked(session)).toMatch(shown);
    const { nativeSessionId: resume = '' } = session;
    await session.dispose();
    const again = await agent.openSession({ ...options, resume, settings: { [setting]: value } });
    expect(valueIn(again, setting)).toBe(value);
    expect(await asked(again)).toMatch(shown);
    if (setting === 'mode') recordCapability(provider, 'mode', 'yes');
  });
});
