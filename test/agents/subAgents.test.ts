import type { ToolCallState } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { text, toolCall, toolCalls } from '../support/modelServer/modelReply.js';
import type { ModelRequest } from '../support/modelServer/modelRequest.js';
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

describe('a sub-agent of a real agent', () => {
  it('of Codex: its calls stand among those of the agent, and are asked about', { timeout: 240_000 }, async () => {
    const { model, open } = await startReportsHost('codex');
    const named = (end: string, input: object) => (request: ModelRequest) =>
      toolCall(request.tools.find((name) => name.endsWith(end)) ?? end, {
        ...input,
        ...(end === 'wait_agent' && {
          targets: [/agent_id\W+([0-9a-f-]{36})/.exec(JSON.stringify(request.body))?.[1]],
        }),
      });
    const command = 'mkdir from-sub';
    const bash = ACP_CASES.find(({ provider }) => provider === 'codex')?.shell(command);
    if (!bash) throw new Error('there is no case for Codex');
    model
      .script(
        'start a helper',
        named('spawn_agent', { message: 'look around now' }),
        named('wait_agent', { timeout_ms: 30_000 }),
        text('All done.'),
      )
      .script('look around now', toolCalls(bash), text('Looked.'));
    const turn = await said(await open(), 'start a helper');
    const made = turn.toolCalls.find(({ toolInput }) => toolInput?.includes(command));
    expect(made?.confirmed).toMatchObject({ how: 'user' });
    expect(turn.toolCalls.filter(({ parentToolCallId }) => parentToolCallId !== undefined)).toEqual([]);
    recordCapability('codex', 'subAgents', 'no');
  });

  it('of Gemini CLI does not run: its own policy denies them over ACP', { timeout: 240_000 }, async () => {
    const { model, open } = await startReportsHost('gemini');
    const input = { agent_name: 'generalist', prompt: 'look around now' };
    model.script('start a helper', toolCall('invoke_agent', input), text('All done.'));
    const turn = await said(await open(), 'start a helper');
    expect(turn.toolCalls).toMatchObject([{ result: { success: false } }]);
    expect(JSON.stringify(turn.toolCalls)).toContain('denied by policy');
    recordCapability('gemini', 'subAgents', 'no', 'it denies them over ACP');
  });

  it('of opencode does not run: the host turns them off', { timeout: 240_000 }, async () => {
    const { model, open } = await startReportsHost('opencode');
    model.script('say hello', text('Hello.'));
    await said(await open(), 'say hello');
    expect(model.requests.flatMap(({ tools }) => tools)).toContain('bash');
    expect(model.requests.flatMap(({ tools }) => tools)).not.toContain('task');
    recordCapability('opencode', 'subAgents', 'no', 'turned off by the host, because it drops their questions');
  });
});
