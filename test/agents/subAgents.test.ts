import type { ToolCallState } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { text, toolCalls } from '../support/modelServer/modelReply.js';
import { ACP_CASES } from './support/acpCases.js';
import { recordCapability } from './support/capabilities.js';
import { said, startReportsHost } from './support/reportsHost.js';

const TASK = { description: 'Explore things', prompt: 'look around now' };
const COPILOT = { ...TASK, name: 'explore', agent_type: 'general-purpose', mode: 'sync' };

/** The tool that starts a sub-agent, and whether the agent says which calls are the sub-agent's. */
const CASES = [
  ['claude', 'Agent', { ...TASK, subagent_type: 'general-purpose', run_in_background: false }, true],
  ['claude', 'Agent', { ...TASK, subagent_type: 'general-purpose', run_in_background: true }, true],
  ['copilot', 'task', COPILOT, true],
  ['copilot-acp', 'task', COPILOT, false],
] as const;

describe('[TOOL10] the calls of a sub-agent of a real agent', () => {
  it.each(CASES)('%s: %s %o: under the call that started it: %s', async (provider, name, input, isNested) => {
    const { model, open } = await startReportsHost(provider);
    const command = 'mkdir from-sub';
    const shell = ACP_CASES.find((one) => one.provider === provider)?.shell(command);
    const bash = shell ?? { name: 'bash', input: { command, description: 'a test' } };
    model
      .script('start a helper', toolCalls({ name, input }), text('All done.'))
      .script('look around now', toolCalls(bash), text('Looked.'));
    const session = await open();
    const titles = new Set<string | undefined>();
    session.pendingConfirmations.subscribe((asked) => {
      for (const { toolCall } of asked) titles.add(toolCall.confirmation.title);
    });
    const turn = await said(session, 'start a helper');
    const calls: readonly ToolCallState[] = turn.toolCalls;
    const started = calls.find(({ toolInput, invocationMessage }) =>
      `${toolInput}${invocationMessage}`.includes('Explore'),
    );
    const made = calls.find(({ toolInput }) => toolInput?.includes(command));
    expect(made).toBeDefined();
    expect(made?.parentToolCallId).toBe(isNested ? started?.toolCallId : undefined);
    expect([...titles].some((title) => title?.includes('asked by: '))).toBe(isNested);
    recordCapability(provider, 'subAgents', isNested ? 'yes' : 'no');
  });
});
