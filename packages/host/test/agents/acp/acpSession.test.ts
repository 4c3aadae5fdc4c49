import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { memorySessionFs } from '../support/memorySessionFs.js';
import { openSession, temporaryFolder } from '../support/sessions.js';
import { stubAgent, stubSpec } from './support.js';

async function run(prompt: string, env: Record<string, string> = {}, change: Parameters<typeof openSession>[1] = {}) {
  const opened = await openSession(await stubAgent(env), change);
  await opened.session.send({ text: prompt });
  await opened.recorder.end();
  return opened;
}

describe('tool calls of an ACP agent', () => {
  it('shows a command as a terminal, with its live output and exit code', async () => {
    const { session, recorder } = await openSession(await stubAgent());
    await session.send({ text: 'tool echo out; echo err >&2; exit 3' });
    await recorder.until('the question', () => recorder.of('toolStart').length >= 3);
    const starts = recorder.of('toolStart').map(({ toolCall }) => toolCall);
    expect(new Set(starts.map(({ toolCallId }) => toolCallId)).size).toBe(1);
    expect(starts.at(-1)).toEqual({
      toolCallId: starts[0]?.toolCallId,
      toolName: 'execute',
      displayName: 'Terminal',
      invocationMessage: 'Running `echo out; echo err >&2; exit 3`',
      toolKind: 'terminal',
      language: 'shellscript',
      toolInput: 'echo out; echo err >&2; exit 3',
      status: 'pendingConfirmation',
      confirmation: {
        title: 'Terminal: allow this?',
        options: [
          { id: 'yes', label: 'Allow once', kind: 'approve' },
          { id: 'no', label: 'Deny', kind: 'deny' },
          {
            id: 'forever',
            label: 'Always allow',
            kind: 'approve',
            explicit: true,
            covers: expect.stringContaining("can't be revoked here"),
          },
        ],
      },
    });
    session.answer(starts[0]?.toolCallId ?? '', { approved: true });
    await recorder.end();
    expect(recorder.output().split('\n').sort()).toEqual(['', 'err', 'out']);
    expect(recorder.of('toolComplete').map(({ result }) => result)).toEqual([
      { success: false, pastTenseMessage: 'Ran `echo out; echo err >&2; exit 3` (exit 3)', exitCode: 3 },
    ]);
    expect(recorder.text()).toBe('Done (yes).');
  });

  it.each([
    [{ approved: true }, 'yes'],
    [{ approved: true, optionId: 'forever' }, 'forever'],
    [{ approved: true, optionId: 'unknown' }, 'yes'],
    [{ approved: true, optionId: 'no' }, 'no'],
    [{ approved: false, optionId: 'forever' }, 'no'],
    [{ approved: true, editedToolInput: 'rm -rf /' }, 'no'],
    [{ approved: true, editedToolInput: 'true' }, 'yes'],
  ])('maps the answer %j to the option %s', async (decision, option) => {
    const { session, recorder } = await openSession(await stubAgent());
    // The question comes before anything was said of the call.
    await session.send({ text: 'unannounced true' });
    const { toolCall } = await recorder.nth('toolStart');
    session.answer(toolCall.toolCallId, decision);
    await recorder.end();
    expect(recorder.text()).toContain(`(${option})`);
    expect(recorder.of('toolComplete')).toHaveLength(option === 'no' ? 0 : 1);
    const kept = recorder.of('approval').map(({ approval }) => approval);
    expect(kept).toEqual(
      option === 'forever' ? [{ id: expect.any(String), covers: expect.stringMatching(/^Always allow, after: /) }] : [],
    );
  });

  it('asks a second time about a call by a separate request', async () => {
    const { session, recorder } = await openSession(await stubAgent());
    await session.send({ text: 'ask-twice' });
    const { toolCall } = await recorder.nth('toolStart');
    expect(toolCall).toMatchObject({ displayName: 'Two Questions', invocationMessage: 'Two questions' });
    session.answer(toolCall.toolCallId, { approved: true });
    const { request } = await recorder.nth('permissionRequest');
    expect(request).toMatchObject({
      toolCallId: toolCall.toolCallId,
      message: expect.stringMatching(/^And outside of the folder\?\n/),
    });
    session.answer(request.requestId, { approved: false });
    session.answer(request.requestId, { approved: true });
    await recorder.end();
    expect(recorder.text()).toBe('yes, no');
  });

  it('shows an edit as a diff, and reports all changes of the session, also after a resume', async () => {
    const [agent, cwd, sessionFs] = [await stubAgent(), await temporaryFolder(), memorySessionFs()];
    const uri = pathToFileURL(join(cwd, 'a.txt')).href;
    const edit = async (resume?: string) => {
      const opened = await openSession(agent, { cwd, sessionFs, ...(resume !== undefined && { resume }) });
      await opened.session.send({ text: 'write a.txt' });
      await opened.recorder.until('the question', () =>
        opened.recorder.of('toolStart').some(({ toolCall }) => toolCall.status === 'pendingConfirmation'),
      );
      const call = opened.recorder.of('toolStart').at(-1)?.toolCall;
      opened.session.answer(call?.toolCallId ?? '', { approved: true });
      await opened.recorder.end();
      await opened.session.dispose();
      return { ...opened, call };
    };
    const first = await edit();
    expect(first.call).toMatchObject({
      displayName: 'Edit File',
      invocationMessage: 'Editing `a.txt`',
      language: 'diff',
      toolInput: 'a.txt\n@@ -0,0 +1,1 @@\n+a line\n',
    });
    const diff = '@@ -0,0 +1,1 @@\n+a line\n';
    const whole = { before: null, after: 'a line\n' };
    const content = [{ type: 'fileEdit', uri, insertions: 1, deletions: 0, diff, whole }];
    expect(first.recorder.of('toolComplete').map(({ result }) => result)).toEqual([
      { success: true, pastTenseMessage: 'Edited `a.txt` (+1 −0)', toolOutput: 'Wrote it.', content },
    ]);
    expect(first.recorder.of('changes').at(-1)?.changes).toEqual([{ uri, insertions: 1, deletions: 0 }]);
    const second = await edit(first.session.nativeSessionId);
    expect(second.recorder.of('changes').at(-1)?.changes).toEqual([{ uri, insertions: 2, deletions: 0 }]);
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('a line\na line\n');
  });

  it('runs commands for the agent on request, with their output', async () => {
    const { recorder, cwd } = await run('terminal echo $PWD; exit 4');
    expect(recorder.output()).toBe(`${cwd}\n`);
    expect(recorder.text()).toBe(`It said ${JSON.stringify(`${cwd}\n`)} and ended with 4.`);
    expect(recorder.of('toolComplete').map(({ result }) => result)).toMatchObject([{ success: false, exitCode: 4 }]);
  });
});

describe('an ACP session', () => {
  it('reports plans, titles, modes, notices and usage', async () => {
    const plan = '- [x] is completed\n- [ ] is in_progress (in progress)\n- [ ] is pending\n';
    expect((await run('plan')).recorder.of('plan')).toEqual([{ type: 'plan', markdown: plan }]);
    expect((await run('title A name')).recorder.of('title')).toEqual([{ type: 'title', title: 'A name' }]);
    const notices = async (prompt: string) => (await run(prompt)).recorder.of('notice').map(({ text }) => text);
    expect(await notices('mode')).toEqual(['Mode: Free']);
    expect(await notices('notice')).toEqual(['Careful\n\nVery.']);
    expect((await run('hello')).recorder.of('usage')).toEqual([
      { type: 'usage', usage: { inputTokens: 10, outputTokens: 5, model: 'small' } },
    ]);
  });

  it.each([{}, { STUB_LATE_HISTORY: '1' }])('does not repeat the history that a load sends (%j)', async (env) => {
    const agent = await stubAgent({ STUB_RESUME: 'load', ...env });
    const first = await openSession(agent);
    await first.session.send({ text: 'hello' });
    await first.recorder.end();
    await first.session.dispose();
    const resume = first.session.nativeSessionId ?? '';
    const { session, recorder } = await openSession(agent, { resume });
    await session.send({ text: 'recall-slowly' });
    await recorder.end();
    expect(recorder.text()).toBe('hello | recall-slowly');
    expect(session.nativeSessionId).toBe(resume);
  });

  it.each(['resume', 'load', 'none'])(
    'starts a new conversation, and says so, when it can not resume (%s)',
    async (way) => {
      const { session, recorder } = await run('recall', { STUB_RESUME: way }, { resume: 'gone' });
      expect(recorder.text()).toBe('recall');
      expect(recorder.of('notice').map(({ text }) => text)).toEqual([
        expect.stringContaining('starts a new conversation'),
      ]);
      expect(session.nativeSessionId).not.toBe('gone');
    },
  );

  it('restarts its agent when it ended between two turns', async () => {
    const { session, recorder } = await openSession(await stubAgent());
    await session.send({ text: 'pid' });
    await recorder.end();
    const pid = Number(recorder.text());
    expect(isAlive(pid)).toBe(true);
    await session.send({ text: 'die' });
    await recorder.end(2);
    await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
    await session.send({ text: 'recall' });
    await recorder.end(3);
    expect(recorder.text()).toContain('die');
    expect(recorder.of('error')).toEqual([]);
  });

  it('does not repeat the history when its agent ended between two turns', async () => {
    const { session, recorder } = await openSession(await stubAgent({ STUB_RESUME: 'load' }));
    await session.send({ text: 'pid' });
    await recorder.end();
    const pid = Number(recorder.text());
    await session.send({ text: 'die' });
    await recorder.end(2);
    await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
    await session.send({ text: 'recall' });
    await recorder.end(3);
    expect(recorder.text()).toBe(`${pid}dying laterpid | die | recall`);
  });

  it('keeps the summary of a compaction once', async () => {
    const { recorder } = await run('compact # How it began\n\nWe met.');
    const events = recorder.events.filter(({ type }) => type !== 'usage' && type !== 'idle');
    expect(events).toEqual([
      { type: 'activity', activity: 'Summarizing the conversation' },
      { type: 'activity' },
      {
        type: 'notice',
        severity: 'info',
        text: 'Stub has summarized the conversation so far to make room. The summary is kept as a checkpoint of this session.',
      },
      { type: 'checkpoint', title: 'How it began', markdown: '# How it began\n\nWe met.\n' },
    ]);
  });

  it('reports a compaction without a summary', async () => {
    const { recorder } = await run('compact');
    expect(recorder.of('checkpoint')).toEqual([]);
    expect(recorder.of('notice').map(({ text }) => text)).toEqual([
      'Stub has summarized the conversation so far to make room. It does not show the summary.',
    ]);
  });

  it('accepts only the summary when a compaction ends between two turns', async () => {
    const { recorder } = await run('compact-later We met.');
    await recorder.nth('title');
    const end = recorder.events.findIndex(({ type }) => type === 'idle');
    expect(recorder.events.slice(end + 1)).toEqual([
      { type: 'checkpoint', title: 'Summary of the conversation', markdown: 'We met.\n' },
      { type: 'title', title: 'compacted' },
    ]);
  });

  it('reads invalid compaction updates within limits', async () => {
    const { recorder } = await run('compact-oddly');
    expect(recorder.of('checkpoint').map(({ title, markdown }) => [title, markdown.length])).toEqual([
      ['Told late', 12],
      ['Summary of the conversation', 200_001],
    ]);
    expect(recorder.of('notice').map(({ text }) => text)).toEqual([
      'Stub could not summarize the conversation so far: no model',
      'Stub has summarized the conversation so far to make room. It does not show the summary.',
      'Stub has summarized the conversation so far to make room. The summary is kept as a checkpoint of this session.',
      'Stub has summarized the conversation so far to make room. The summary is kept as a checkpoint of this session.',
    ]);
  });

  it('reads at most the first thousand blocks of a call', async () => {
    const blocks = Array.from({ length: 3_000 }, () => ({ type: 'text', text: 'x' }));
    const { recorder } = await run(`tool-blocks ${JSON.stringify(blocks)}`);
    expect(recorder.of('toolComplete')[0]?.result.toolOutput).toBe(Array.from({ length: 1_000 }, () => 'x').join('\n'));
  });

  it('begins an agent turn for a question after the end of a turn', async () => {
    const { session, recorder } = await run('ask-late');
    await recorder.nth('ownTurn');
    const { toolCall } = await recorder.nth('toolStart');
    session.answer(toolCall.toolCallId, { approved: true });
    expect(await recorder.nth('title')).toEqual({ type: 'title', title: 'answered: yes' });
  });

  it('begins an agent turn for text after the end of a turn', async () => {
    const { recorder } = await run('hello', { STUB_LATE: '1' });
    await recorder.nth('title');
    expect((await recorder.end(2)).type).toBe('idle');
    const kinds = recorder.events.map(({ type }) => type).filter((type) => ['text', 'idle', 'ownTurn'].includes(type));
    expect(kinds.slice(-4)).toEqual(['idle', 'ownTurn', 'text', 'idle']);
  });

  it.each([{}, { STUB_CHOICES: 'old' }])('chooses models and modes (%j)', async (env) => {
    const models: number[] = [];
    const agent = await stubAgent(env, { onModelsChanged: () => models.push(1) });
    expect(await agent.listModels()).toEqual([]);
    const { session, recorder } = await openSession(agent, { model: 'large', config: { mode: 'free' } });
    await session.send({ text: 'model' });
    await recorder.end(1);
    await session.setModel?.('small');
    await session.send({ text: 'model' });
    await recorder.end(2);
    expect(recorder.text()).toBe('large freesmall free');
    await expect.poll(() => models).toEqual([1]);
    expect(await agent.listModels()).toEqual([
      { id: 'small', provider: 'stub', name: 'Small' },
      { id: 'large', provider: 'stub', name: 'Large' },
    ]);
    await expect(openSession(agent, { model: 'huge' })).rejects.toThrow('no model "huge". There are: small, large.');
    await expect(openSession(agent, { config: { mode: 'wild' } })).rejects.toThrow('no mode "wild"');
  });

  it('sends attachments in a form that the agent accepts', async () => {
    const cwd = await temporaryFolder();
    const file = join(cwd, 'a.txt');
    await writeFile(file, 'x');
    const uri = pathToFileURL(file).href;
    const range = { start: { line: 1, character: 0 }, end: { line: 3, character: 2 } };
    const attachments = [
      { kind: 'file', label: 'a.txt', uri },
      { kind: 'selection', label: 'a.txt', uri, data: 'chosen', range },
      { kind: 'image', label: 'dot', data: 'aGk=', mimeType: 'image/png' },
    ] as const;
    const send = async (env: Record<string, string>) => {
      const { session, recorder } = await openSession(await stubAgent(env), { cwd });
      await session.send({ text: 'blocks', attachments });
      await recorder.end();
      return { blocks: JSON.parse(recorder.text()), notices: recorder.of('notice').map(({ text }) => text) };
    };
    const link = { type: 'resource_link', name: 'a.txt', uri };
    expect(await send({})).toEqual({
      notices: [],
      blocks: [
        { type: 'text', text: 'blocks' },
        link,
        { type: 'resource', resource: { uri: `${uri}#L2-4`, text: 'chosen', mimeType: 'text/plain' } },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      ],
    });
    expect(await send({ STUB_PLAIN: '1' })).toEqual({
      notices: ['This agent does not take images: dot was left out.'],
      blocks: [{ type: 'text', text: 'blocks' }, link, { type: 'text', text: `a.txt (${uri}#L2-4):\n\nchosen` }],
    });
  });

  it('has exactly the given environment', async () => {
    const stateDir = await temporaryFolder();
    const agent = await stubAgent(
      {},
      {
        stateDir,
        spec: { ...stubSpec({ OWN: 'mine' }), passEnv: ['STUB_KEY', 'NOT_THERE'] },
        hostEnv: {
          PATH: process.env['PATH'],
          STUB_KEY: 'for the stub',
          AGENTHOST_TOKEN: 'secret',
          OPENAI_API_KEY: 'secret',
        },
      },
    );
    const { session, recorder } = await openSession(agent, { env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' } });
    await session.send({ text: 'env' });
    await recorder.end();
    const { AGENTHOST_AGENT_OF: of, AGENTHOST_AGENT_PROCESS: id, ...seen } = JSON.parse(recorder.text());
    expect(seen).toEqual({ PATH: '/usr/bin:/bin', HOME: '/nonexistent', OWN: 'mine', STUB_KEY: 'for the stub' });
    expect([of, id]).toEqual([
      expect.stringMatching(/^[\da-f]{32}\.[\da-f]{8}$/),
      expect.stringMatching(/^[\da-f-]{36}$/),
    ]);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
