import type { PendingPermission, SessionHandle } from '@agenthost/client';
import { describe, expect, it } from 'vitest';
import { text, toolCall } from '../support/modelServer/modelReply.js';
import { until } from '../support/until.js';
import { recordCapability } from './support/capabilities.js';
import { PATIENCE_MS, turnEnded } from './support/copilotHost.js';
import { said, startReportsHost } from './support/reportsHost.js';

const OPTIONS = [
  { label: 'Redirect', description: 'Works everywhere' },
  { label: 'Embedded form', description: 'Fewer steps' },
];
const FLOW = { question: 'Which payment flow should stay?', header: 'Flow' };
const WHERE = { question: 'Where does it run?', header: 'Region' };
const REGIONS = [
  { label: 'Europe', description: 'Nearest' },
  { label: 'Asia', description: 'Cheapest' },
];

async function asked(session: SessionHandle): Promise<PendingPermission> {
  const [question] = await until(session.pendingPermissions, (open) => open.length > 0, 'the form', PATIENCE_MS);
  if (!question?.request.form) throw new Error('the question has no form');
  return question;
}

describe('a form of a real agent', () => {
  it('of Claude is answered from a second client', { timeout: 240_000 }, async () => {
    const { model, open, connect } = await startReportsHost('claude');
    const questions = [
      { ...FLOW, multiSelect: false, options: OPTIONS },
      { ...WHERE, multiSelect: true, options: REGIONS },
    ];
    model.script('ask me', toolCall('AskUserQuestion', { questions }), text('Thanks.'));
    const session = await open();
    const other = await (await connect({ clientInfo: { name: 'Mira' } })).openSession(session.uri);
    await session.send('ask me');
    const question = await asked(other);
    const fields = question.request.form?.fields ?? [];
    expect(fields.map(({ kind, label, optional }) => [kind, label, optional])).toEqual([
      ['choice', 'Flow', true],
      ['text', 'Other', true],
      ['choices', 'Region', true],
      ['text', 'Other', true],
    ]);
    await question.fill({ [fields[0]?.id ?? '']: 'Embedded form', [fields[2]?.id ?? '']: ['Europe', 'Asia'] });
    const { turns } = await turnEnded(session, 1);
    expect(turns[0]?.state).toBe('complete');
    expect(turns[0]?.answeredPermissions?.[0]).toMatchObject({
      form: 'answered',
      text: 'Embedded form, Europe, Asia',
      by: { name: 'Mira' },
    });
    const told = JSON.stringify(model.requests.map(({ body }) => body));
    expect(told).toMatch(/payment flow should stay\?\W+Embedded form/);
    expect(told).toContain('Europe, Asia');
    recordCapability('claude', 'questionForm', 'yes');
  });

  it('of Claude that is skipped: the model is told to decide', { timeout: 240_000 }, async () => {
    const { model, open } = await startReportsHost('claude');
    const questions = [{ ...FLOW, multiSelect: false, options: OPTIONS }];
    model
      .script('ask me', toolCall('AskUserQuestion', { questions }), text('Then I decide.'))
      .script('The user skipped your question', text('I did.'));
    const session = await open();
    await session.send('ask me');
    const question = await asked(session);
    expect(question.request.title).toBe(FLOW.question);
    // One choice and an own text: a client without forms can answer it too.
    expect(question.request.options?.map(({ id }) => id).slice(0, 2)).toEqual(['Redirect', 'Embedded form']);
    expect(question.request.allowText).toBe(true);
    await question.skip();
    const { turns } = await turnEnded(session, 1);
    expect(turns[0]?.state).toBe('complete');
    expect(JSON.stringify(model.requests.map(({ body }) => body))).toContain('you decide');
  });

  it('of Codex is answered from a second client', { timeout: 240_000 }, async () => {
    const { model, open, connect } = await startReportsHost('codex');
    const questions = [
      { id: 'flow', ...FLOW, options: OPTIONS },
      { id: 'region', ...WHERE, options: REGIONS },
    ];
    model.script('ask me', toolCall('request_user_input', { questions }), text('Thanks.'));
    const session = await open();
    // It asks in its plan mode only.
    await session.chooseSetting('collaboration_mode', 'plan');
    const other = await (await connect({ clientInfo: { name: 'Mira' } })).openSession(session.uri);
    await session.send('ask me');
    const question = await asked(other);
    expect(question.request.form?.fields[0]).toMatchObject({ kind: 'choice', id: 'flow', label: FLOW.question });
    await question.fill({ flow: 'Redirect', region: 'Asia' });
    const { turns } = await turnEnded(session, 1);
    expect(turns[0]?.state).toBe('complete');
    expect(turns[0]?.answeredPermissions?.[0]).toMatchObject({ text: 'Redirect, Asia', by: { name: 'Mira' } });
    const told = JSON.stringify(model.requests.map(({ body }) => body));
    expect(told).toMatch(/answers\W+Redirect/);
    expect(told).toMatch(/answers\W+Asia/);
    recordCapability('codex', 'questionForm', 'yes', 'in its plan mode');
  });

  it.each([
    ['copilot', []],
    ['claude', [toolCall('ToolSearch', { query: 'select:mcp__forms__deploy', max_results: 5 })]],
  ] as const)('of an MCP server of %s is answered', { timeout: 240_000 }, async (provider, find) => {
    const { model, open } = await startReportsHost(provider);
    const deploy = ({ tools }: { readonly tools: readonly string[] }) =>
      toolCall(tools.find((name) => name.endsWith('deploy')) ?? 'mcp__forms__deploy', {});
    model.script('deploy it', ...find, deploy, text('Done.')).script('Tool loaded', deploy, text('Done.'));
    const session = await open();
    const watching = session.pendingConfirmations.subscribe((open) => {
      for (const one of open) one.approve().catch(() => {});
    });
    await session.send('deploy it');
    const question = await asked(session);
    watching.dispose();
    expect(question.request.title).toBe('Before it is deployed');
    expect(question.request.form?.fields.map(({ kind, label }) => [kind, label])).toEqual([
      ['choice', 'Which flow?'],
      ['number', 'Retries'],
    ]);
    await question.fill({ flow: 'embedded', retries: 3 });
    await turnEnded(session, 1);
    const told = JSON.stringify(model.requests.map(({ body }) => body));
    expect(told).toMatch(/accept/);
    expect(told).toMatch(/flow\W+embedded/);
    expect(told).toMatch(/retries\W+3/);
    if (provider === 'copilot') recordCapability(provider, 'questionForm', 'yes', 'of MCP servers');
  });

  // They offer no elicitation to MCP servers.
  it.each(['gemini', 'opencode'] as const)(
    'of an MCP server of %s is not asked',
    { timeout: 240_000 },
    async (provider) => {
      const { model, open } = await startReportsHost(provider);
      const deploy = ({ tools }: { readonly tools: readonly string[] }) =>
        toolCall(tools.find((name) => name.endsWith('deploy')) ?? 'deploy', {});
      model.script('deploy it', deploy, text('Done.'));
      const turn = await said(await open(), 'deploy it');
      expect(turn.toolCalls).toMatchObject([{ result: { toolOutput: expect.stringContaining('got undefined') } }]);
      expect(turn.answeredPermissions ?? []).toEqual([]);
      const tools = model.requests.flatMap((request) => request.tools);
      expect(tools.filter((name) => ['ask_user', 'question', 'AskUserQuestion'].includes(name))).toEqual([]);
      recordCapability(provider, 'questionForm', 'no');
    },
  );

  it('of Copilot CLI is not asked: it has no such tool over ACP', { timeout: 240_000 }, async () => {
    const { model, open } = await startReportsHost('copilot-acp');
    model.script('say hello', text('Hello.'));
    await said(await open(), 'say hello');
    const tools = model.requests.flatMap((request) => request.tools);
    expect(tools).toContain('bash');
    expect(tools).not.toContain('ask_user');
    recordCapability('copilot-acp', 'questionForm', 'no');
  });
});
