import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk';
import type { HostClient } from '@agenthost/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../support/testHost.js';
import { until } from '../support/until.js';
import { Editor } from './editor.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type Answer = (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>;
const LATER: Answer = () => new Promise(() => {});
const choosing =
  (kind: string): Answer =>
  async ({ options }) => ({
    outcome: { outcome: 'selected', optionId: options.find((option) => option.kind === kind)?.optionId ?? '' },
  });

describe('agenthost acp, driven by the official client library', () => {
  let test: TestHost;
  let other: HostClient;
  let editor: Editor;
  let answer: Answer = LATER;

  beforeAll(async () => {
    test = await startTestHost();
    other = await test.connect({ clientInfo: { name: 'Bob' } });
    editor = await Editor.start(test, {
      args: ['--agent', 'mock'],
      permission: (request) => answer(request),
      form: async () => ({ action: 'accept', content: { answer: 'green' } }),
      capabilities: { elicitation: { form: {} }, _meta: { terminal_output: true } },
    });
  });
  beforeEach(() => {
    editor.updates.length = 0;
    editor.permissions.length = 0;
    answer = LATER;
  });
  afterAll(async () => {
    await editor?.kill();
    await test?.dispose();
  });

  it('says what it can do', () => {
    expect(editor.initialized).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'agenthost' },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [],
    });
  });

  it('makes a session that no list has before its first message, and that everybody sees after it', async () => {
    const id = await editor.open(test.stateDir);
    expect((await other.listSessions()).items.map(({ resource }) => resource)).not.toContain(id);
    expect(await editor.prompt(id, 'hello')).toEqual({ stopReason: 'end_turn' });
    expect(editor.said('agent_message_chunk')).toBe('Hello, world!');
    expect(editor.said('user_message_chunk')).toBe('');
    const session = await other.openSession(id);
    expect(session.confirmed.value.turns.map(({ userMessage }) => userMessage.text)).toEqual(['hello']);
    const { sessions } = await editor.agent.request('session/list', { cwd: test.stateDir });
    expect(sessions).toContainEqual(expect.objectContaining({ sessionId: id, cwd: test.stateDir }));
    session.dispose();
  });

  it('shows what others send, and what they send into a running turn', async () => {
    const id = await editor.open(test.stateDir);
    const session = await other.openSession(id);
    await session.send('steer');
    await until(session.confirmed, ({ activeTurn }) => (activeTurn?.responseParts.length ?? 0) > 0);
    await session.steer('to the left');
    await editor.until(() => editor.said('agent_message_chunk').endsWith('Steered: to the left'));
    expect(editor.said('user_message_chunk')).toBe('steerto the left');
    session.dispose();
  });

  it('asks in the editor before it runs something, and shows a terminal', async () => {
    answer = choosing('allow_once');
    const id = await editor.open(test.stateDir);
    expect(await editor.prompt(id, 'confirm-tool')).toEqual({ stopReason: 'end_turn' });
    const [{ toolCall, options } = { toolCall: undefined, options: [] }] = editor.permissions;
    expect(toolCall).toMatchObject({ title: 'Run?', kind: 'execute' });
    expect(JSON.stringify(toolCall?.content)).toContain('make');
    expect(options.map(({ kind }) => kind)).toEqual(['allow_once', 'reject_once']);
    const [call] = editor.of('tool_call');
    expect(call).toMatchObject({ status: 'pending', content: [{ type: 'terminal', terminalId: call?.toolCallId }] });
    const updates = editor.of('tool_call_update');
    // A short command may be over before the editor is told that it runs.
    expect(updates.flatMap(({ status }) => (status && status !== 'in_progress' ? [status] : []))).toEqual([
      'completed',
    ]);
    expect(updates.map(({ _meta }) => _meta)).toContainEqual({
      terminal_output: { terminal_id: call?.toolCallId, data: '$ make\n' },
    });
    expect(updates.at(-1)?._meta).toMatchObject({ terminal_exit: { exit_code: 0 } });
    expect(editor.said('agent_message_chunk')).toBe('Done.');
  });

  it('takes its question back when somebody else has answered, and says who', async () => {
    const id = await editor.open(test.stateDir);
    const before = editor.cancelled;
    const turn = editor.prompt(id, 'confirm-tool');
    await editor.until(() => editor.permissions.length === 1);
    const session = await other.openSession(id);
    await session.pendingConfirmations.value[0]?.approve();
    await expect(turn).resolves.toEqual({ stopReason: 'end_turn' });
    await editor.until(() => editor.cancelled === before + 1);
    await editor.until(() => editor.said('agent_message_chunk').includes('Bob answered: Run?'));
    session.dispose();
  });

  it('gives both sides of an edit whole, and its place', async () => {
    answer = choosing('allow_once');
    await writeFile(join(test.stateDir, 'note.txt'), 'one\ntwo\n');
    const id = await editor.open(test.stateDir);
    await editor.prompt(id, 'write-file note.txt');
    const path = join(test.stateDir, 'note.txt');
    expect(editor.of('tool_call_update').at(-1)).toMatchObject({
      status: 'completed',
      kind: 'edit',
      locations: [{ path }],
      content: [{ type: 'diff', path, oldText: 'one\ntwo\n', newText: await readFile(path, 'utf8') }],
    });
  });

  it('passes images on, in both directions', async () => {
    const id = await editor.open(test.stateDir);
    const image = { type: 'image' as const, data: PIXEL, mimeType: 'image/png' };
    await editor.agent.request('session/prompt', {
      sessionId: id,
      prompt: [
        { type: 'text', text: 'attachments' },
        image,
        { type: 'resource', resource: { uri: 'file:///a/b.txt', text: 'B' } },
      ],
    });
    expect(editor.said('agent_message_chunk')).toMatch(new RegExp(`^Image: ${PIXEL.length} [0-9a-f]{64}\nb.txt: 1 `));
    await editor.prompt(id, 'image');
    expect(editor.of('agent_message_chunk').map(({ content }) => content.type)).toContain('image');
  });

  it('tells of plans, commands, titles and settings, and changes settings', async () => {
    const id = await editor.open(test.stateDir);
    await editor.prompt(id, 'plan');
    await editor.until(() => editor.of('plan').length > 0);
    expect(
      editor
        .of('plan')
        .at(-1)
        ?.entries.map(({ content, status }) => [content, status]),
    ).toEqual([
      ['Look', 'pending'],
      ['Leap', 'pending'],
    ]);
    await editor.prompt(id, 'commands');
    expect(editor.of('available_commands_update').at(-1)?.availableCommands[0]).toEqual({
      name: 'review',
      description: 'Looks over the changes.',
      input: { hint: 'a branch' },
    });
    await editor.prompt(id, 'title A \u202etitle');
    expect(editor.of('session_info_update').at(-1)?.title).toBe('A ⟨U+202E⟩title');
    await editor.prompt(id, 'settings');
    const options = editor.of('config_option_update').at(-1)?.configOptions ?? [];
    expect(options.map(({ id: option, category }) => [option, category])).toEqual(
      expect.arrayContaining([
        ['mode', 'mode'],
        ['effort', 'thought_level'],
      ]),
    );
    await editor.agent.request('session/set_mode', { sessionId: id, modeId: 'plan' });
    await editor.until(() => editor.of('current_mode_update').at(-1)?.currentModeId === 'plan');
    const effort = (value: string) =>
      editor.agent.request('session/set_config_option', { sessionId: id, configId: 'effort', value });
    const { configOptions } = await effort('high');
    expect(configOptions.find(({ id: option }) => option === 'effort')).toMatchObject({ currentValue: 'high' });
    await expect(effort('max')).rejects.toThrow('The mock agent was told to refuse this.');
  });

  it('asks for a text in a form of the editor', async () => {
    const id = await editor.open(test.stateDir);
    await editor.prompt(id, 'question');
    expect(editor.forms.at(-1)).toMatchObject({
      mode: 'form',
      sessionId: id,
      message: expect.stringContaining('Which colour?'),
    });
    expect(editor.said('agent_message_chunk')).toContain('You answered: green');
  });

  it('stops a turn, and takes a waiting message back', async () => {
    const id = await editor.open(test.stateDir);
    const first = editor.prompt(id, 'slow');
    await editor.until(() => editor.said('agent_message_chunk') !== '');
    const second = editor.prompt(id, 'never');
    const session = await other.openSession(id);
    await until(session.confirmed, ({ queuedMessages }) => queuedMessages?.length === 1);
    await editor.agent.notify('session/cancel', { sessionId: id });
    await expect(Promise.all([first, second])).resolves.toEqual([
      { stopReason: 'cancelled' },
      { stopReason: 'cancelled' },
    ]);
    await until(session.confirmed, ({ turns, queuedMessages }) => turns.length === 1 && !queuedMessages?.length);
    session.dispose();
  });

  it('says why a turn failed, and what is wrong with a request', async () => {
    const id = await editor.open(test.stateDir);
    await expect(editor.prompt(id, 'error')).rejects.toThrow('The mock agent was told to fail.');
    await expect(editor.prompt('mock:/nowhere', 'hello')).rejects.toMatchObject({ code: -32002 });
    await expect(
      editor.agent.request('session/load', { sessionId: 'mock:/nowhere', cwd: '/', mcpServers: [] }),
    ).rejects.toThrow('no session mock:/nowhere');
    await expect(editor.agent.request('session/set_mode', { sessionId: id, modeId: 'x' })).rejects.toThrow('no modes');
  });

  it('replays a conversation, and goes on with the turn that runs', async () => {
    const id = await editor.open(test.stateDir);
    await editor.prompt(id, 'use-tool');
    const slow = editor.prompt(id, 'slow');
    await editor.until(() => editor.said('agent_message_chunk').includes('1 2 '));
    await editor.agent.request('session/close', { sessionId: id });
    await expect(slow).rejects.toThrow();
    editor.updates.length = 0;
    await editor.agent.request('session/load', { sessionId: id, cwd: test.stateDir, mcpServers: [] });
    await editor.until(() => /1 2 (\d+ )+/.test(editor.said('agent_message_chunk')));
    expect(editor.said('user_message_chunk')).toBe('use-toolslow');
    expect(editor.of('tool_call')[0]).toMatchObject({ title: 'Listing files', status: 'completed' });
    await editor.agent.notify('session/cancel', { sessionId: id });
    const session = await other.openSession(id);
    await until(session.confirmed, ({ activeTurn }) => activeTurn === undefined);
    editor.updates.length = 0;
    await editor.agent.request('session/resume', { sessionId: id, cwd: test.stateDir, mcpServers: [] });
    await editor.prompt(id, 'hello');
    // The last word of the cancelled turn may reach the editor after the other client. Nothing is replayed.
    expect(editor.said('agent_message_chunk')).toMatch(/^(?:\d+ )?Hello, world!$/);
    expect(editor.of('tool_call')).toEqual([]);
    session.dispose();
  });

  it('goes on without the editor, and ends with it', async () => {
    const second = await Editor.start(test, { args: ['--agent', 'mock'] });
    const id = await second.open(test.stateDir);
    second.prompt(id, 'slow').catch(() => {});
    await second.until(() => second.said('agent_message_chunk') !== '');
    expect(await second.end()).toBe(0);
    const session = await other.openSession(id);
    expect(session.confirmed.value.activeTurn?.userMessage.text).toBe('slow');
    await session.cancel();
    session.dispose();
  });
});
