import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/agents/agent.js';
import { MockAgent } from '../../../src/agents/mock/mockAgent.js';
import { openOptions, openSession, temporaryFolder } from '../support/sessions.js';

async function run(prompt: string, change = {}) {
  const opened = await openSession(new MockAgent(), change);
  await opened.session.send({ text: prompt });
  return opened;
}

const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

describe('MockAgent', () => {
  it.each([
    ['hello', 'Hello, world!'],
    ['reasoning', 'The answer is 42.'],
    ['use-tool', 'I will look. There are two files.'],
    ['model', 'The model is mock-small.'],
    ['resumed?', 'No, this is new.'],
    ['what is this?', 'You said: what is this?'],
    ['constructor', 'You said: constructor'],
    ['__proto__ x', 'You said: __proto__ x'],
    ['', 'You said: '],
  ])('answers %j with %j', async (prompt, answer) => {
    const { recorder } = await run(prompt);
    expect([(await recorder.end()).type, recorder.text()]).toEqual(['idle', answer]);
  });

  it('reports what other prompts promise', async () => {
    for (const [prompt, type] of [
      ['reasoning', 'reasoning'],
      ['usage', 'usage'],
      ['plan', 'plan'],
      ['plan # Mine', 'plan'],
      ['no-plan', 'plan'],
      ['checkpoint Half way', 'checkpoint'],
      ['artifact a/b.txt', 'artifact'],
      ['research note.md', 'artifact'],
      ['title New name', 'title'],
      ['commands', 'commands'],
      ['activity', 'notice'],
    ] as const) {
      const { recorder } = await run(prompt);
      await recorder.end();
      expect(types(recorder.events)).toContain(type);
    }
  });

  it.each([
    ['error', 'MockError'],
    ['crash', 'AgentDied'],
  ])('%s is one error event, and the next turn works', async (prompt, errorType) => {
    const { session, recorder } = await run(prompt);
    await recorder.end();
    expect(types(recorder.events)).toEqual(['text', 'error']);
    expect(recorder.of('error')[0]?.error.errorType).toBe(errorType);
    await session.send({ text: 'hello' });
    expect((await recorder.end(2)).type).toBe('idle');
  });

  it('streams deltas of 20 bytes, and can be aborted', async () => {
    const { recorder } = await run('stream 1000');
    await recorder.end();
    expect(recorder.of('text').map(({ text }) => Buffer.byteLength(text))).toEqual(Array(1000).fill(20));

    const endless = await run('stream 100000000');
    await endless.recorder.nth('text', 100);
    await endless.session.abort();
    expect((await endless.recorder.end()).type).toBe('idle');
  });

  it('floods without a pause', async () => {
    const { recorder } = await run('flood 5000');
    await recorder.nth('text');
    expect(recorder.of('text')).toHaveLength(5000);
    await recorder.end();
  });

  it('prints as many bytes as asked', async () => {
    const { recorder } = await run('big-output 10001');
    await recorder.end();
    expect([recorder.output().length, recorder.of('toolUpdate').length]).toEqual([10_001, 3]);
  });

  it.each([
    [{ approved: true }, 'Done.', '$ make\n'],
    [{ approved: true, editedToolInput: 'make all' }, 'Done.', '$ make all\n'],
    [{ approved: false, reason: 'not now' }, 'Not run: not now.', ''],
  ])('confirm-tool answered with %j', async (decision, text, output) => {
    const { session, recorder } = await run('confirm-tool');
    const { toolCall } = await recorder.nth('toolStart');
    session.answer(toolCall.toolCallId, decision);
    await recorder.end();
    expect([toolCall.status, recorder.text(), recorder.output()]).toEqual(['pendingConfirmation', text, output]);
  });

  it.each([
    ['permission', { approved: true, optionId: 'allow' }, 'Permission granted (allow).'],
    ['permission', { approved: false }, 'Permission denied.'],
    ['question', { approved: true, optionId: 'blue' }, 'You answered: blue'],
    ['question', { approved: true, text: 'green' }, 'You answered: green'],
    ['question', { approved: false }, 'You did not answer.'],
  ])('%s answered with %j', async (prompt, decision, text) => {
    const { session, recorder } = await run(prompt);
    const { request } = await recorder.nth('permissionRequest');
    session.answer(request.requestId, decision);
    await recorder.end();
    expect(recorder.text()).toBe(text);
  });

  it('accepts a steering message only when it waits for one', async () => {
    const { session, recorder } = await run('steer');
    await recorder.nth('text');
    await session.steer?.({ text: 'left' });
    await expect(session.steer?.({ text: 'right' })).rejects.toThrow('no steering');
    await recorder.end();
    expect(recorder.text()).toBe('Waiting to be steered. Steered: left');
  });

  it('is slow until it is cancelled', async () => {
    const { session, recorder } = await run('slow');
    await recorder.nth('text', 3);
    await session.abort();
    await recorder.end();
    expect(recorder.text()).toMatch(/^1 2 3 /);
  });

  it('hangs through an abort, until it is disposed', async () => {
    const { session, recorder } = await run('hang');
    await session.abort();
    await new Promise((resolve) => setImmediate(resolve));
    await session.dispose();
    expect(recorder.events).toEqual([]);
  });

  it('uses the model from the next turn on', async () => {
    const { session, recorder } = await openSession(new MockAgent(), { model: 'mock-large' });
    await session.send({ text: 'model' });
    await recorder.end();
    await session.setModel?.('mock-small');
    await expect(session.setModel?.('gpt')).rejects.toThrow('no model');
    await session.send({ text: 'model' });
    await recorder.end(2);
    expect(recorder.text()).toBe('The model is mock-large.The model is mock-small.');
  });

  it('says whether it was resumed', async () => {
    const { session, recorder } = await run('resumed?', { resume: 'mock-s1' });
    await recorder.end();
    expect([session.nativeSessionId, recorder.text()]).toEqual(['mock-s1', 'Yes, from mock-s1.']);
  });

  it('fails to be created on request', async () => {
    const agent = new MockAgent();
    const open = async (config: Record<string, unknown>, signal = new AbortController().signal) =>
      agent.openSession(await openOptions({ config, signal }));
    await expect(open({ failCreation: true })).rejects.toThrow('told to fail');
    await expect(open({ failCreation: 'no licence' })).rejects.toThrow('no licence');
    await expect(open({ creationDelayMs: 60_000 }, AbortSignal.timeout(5))).rejects.toThrow();
    const slow = open({ creationDelayMs: 60_000 });
    await agent.dispose();
    await expect(slow).rejects.toThrow();
  });
});

describe('write-file', () => {
  it('writes the approved text, and reports the edit', async () => {
    const { session, recorder, cwd } = await run('write-file a.txt');
    await writeFile(join(cwd, 'a.txt'), 'one\ntwo');
    const { toolCall } = await recorder.nth('toolStart');
    session.answer(toolCall.toolCallId, { approved: true, editedToolInput: 'new\n' });
    await recorder.end();
    const edit = { uri: pathToFileURL(join(cwd, 'a.txt')).href, insertions: 1, deletions: 2 };
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('new\n');
    expect(recorder.of('toolComplete')[0]?.result.content).toEqual([
      {
        type: 'fileEdit',
        ...edit,
        diff: '@@ -1,2 +1,1 @@\n-one\n-two\n+new\n',
        whole: { before: 'one\ntwo', after: 'new\n' },
      },
    ]);
    expect(recorder.of('changes')).toEqual([{ type: 'changes', changes: [edit] }]);
  });

  it('writes nothing when it is denied', async () => {
    const { session, recorder, cwd } = await run('write-file a.txt');
    session.answer((await recorder.nth('toolStart')).toolCall.toolCallId, { approved: false });
    await recorder.end();
    await expect(readFile(join(cwd, 'a.txt'))).rejects.toThrow('ENOENT');
  });

  it.each(['../a.txt', '/tmp/agenthost-outside.txt', 'out/a.txt', 'link.txt', '.', 'missing/a.txt', ''])(
    'refuses %j',
    async (path) => {
      const outside = await temporaryFolder();
      const cwd = await temporaryFolder();
      await mkdir(join(cwd, 'in'));
      await symlink(outside, join(cwd, 'out'));
      await symlink(join(outside, 'target.txt'), join(cwd, 'link.txt'));
      const { session, recorder } = await run(`write-file ${path}`, { cwd });
      session.answer((await recorder.nth('toolStart')).toolCall.toolCallId, { approved: true });
      expect((await recorder.end()).type).toBe('idle');
      expect(recorder.of('toolComplete')[0]?.result.success).toBe(false);
      await expect(readFile(join(outside, 'target.txt'))).rejects.toThrow('ENOENT');
      await expect(readFile(join(outside, 'a.txt'))).rejects.toThrow('ENOENT');
    },
  );
});
