import { afterAll, beforeAll, expect, it } from 'vitest';
import { cleanupsOfTests } from '../support/cleanups.js';
import { spawnHost, startTestHost, type TestHost } from '../support/testHost.js';
import { until } from '../support/until.js';
import { Editor, type EditorOptions } from './editor.js';

/** `AGENTHOST_ACP_KILLS=100` is the long form. */
const KILLS = Number(process.env['AGENTHOST_ACP_KILLS'] ?? 12);
const cleanups = cleanupsOfTests();

let test: TestHost;
beforeAll(async () => {
  test = await startTestHost();
});
afterAll(() => test.dispose());

it(`loses no turn in ${KILLS} kills of the editor's process`, async () => {
  const sdk = await test.connect();
  for (let kill = 0; kill < KILLS; kill++) {
    const editor = await Editor.start(test, { args: ['--agent', 'mock'] });
    const id = await editor.open(test.stateDir);
    editor.prompt(id, `stream ${2_000 + kill * 500}`).catch(() => {});
    // Before the first word of the answer, after it, and in the middle of it.
    if (kill % 3 === 0) {
      const session = await sdk.openSession(id);
      await until(session.confirmed, ({ activeTurn, turns }) => activeTurn !== undefined || turns.length > 0);
      session.dispose();
    } else await editor.until(() => editor.said('agent_message_chunk').length > (kill % 3) * 5_000 - 4_999);
    await editor.kill();
    const session = await sdk.openSession(id);
    const { turns } = await until(session.confirmed, ({ activeTurn }) => activeTurn === undefined);
    expect(turns.map(({ state, userMessage }) => [state, userMessage.text])).toEqual([
      ['complete', `stream ${2_000 + kill * 500}`],
    ]);
    const again = await Editor.start(test, { args: ['--agent', 'mock'] });
    await again.agent.request('session/load', { sessionId: id, cwd: test.stateDir, mcpServers: [] });
    const text = turns[0]?.responseParts.map((part) => (part.kind === 'markdown' ? part.content : '')).join('');
    expect(again.said('agent_message_chunk')).toBe(text);
    await again.kill();
    session.dispose();
  }
}, 300_000);

it('delivers what an editor wrote just before it ended', async () => {
  const sdk = await test.connect();
  for (let kill = 0; kill < Math.min(KILLS, 10); kill++) {
    const editor = await Editor.start(test, { args: ['--agent', 'mock'] });
    const id = await editor.open(test.stateDir);
    const params = { sessionId: id, prompt: [{ type: 'text', text: 'hello' }] };
    editor.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: 99, method: 'session/prompt', params })}\n`);
    expect(await editor.end()).toBe(0);
    const session = await sdk.openSession(id);
    const { turns } = await until(session.confirmed, (state) => state.turns.length === 1);
    expect(turns[0]).toMatchObject({ state: 'complete', userMessage: { text: 'hello' } });
    session.dispose();
  }
}, 120_000);

it('goes on when the host is killed and started again', async () => {
  const stateDir = await cleanups.folder();
  const first = await spawnHost(stateDir);
  cleanups.push(() => first.kill('SIGKILL'));
  const editor = await Editor.start(first, { args: ['--agent', 'mock'] });
  cleanups.push(() => editor.kill());
  const id = await editor.open(stateDir);
  await editor.prompt(id, 'hello');
  await first.kill('SIGKILL');
  const second = await spawnHost(stateDir, ['--state-dir', stateDir, '--port', first.url.port]);
  cleanups.push(() => second.kill('SIGKILL'));
  expect(await editor.prompt(id, 'hello')).toEqual({ stopReason: 'end_turn' });
  expect(editor.said('agent_message_chunk')).toBe('Hello, world!'.repeat(2));
}, 60_000);

it('starts a host in the background, once for several editors at once', async () => {
  const stateDir = await cleanups.folder();
  const env = { AGENTHOST_HOME: stateDir, HOME: stateDir };
  const nowhere = { url: undefined, token: undefined } as const;
  const args = ['--state-dir', stateDir, '--agent', 'shell'];
  const permission: EditorOptions['permission'] = async ({ options }) => ({
    outcome: { outcome: 'selected', optionId: options[0]?.optionId ?? '' },
  });
  const [one, two] = await Promise.all([
    Editor.start(nowhere, { args, env, permission }),
    Editor.start(nowhere, { args, env }),
  ]);
  const { findRunningHost } = await import('@agenthost/host/maintenance');
  const { pid, url, token } = (await findRunningHost(stateDir)) ?? {};
  cleanups.push(async () => {
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  });
  const id = await one.open(stateDir);
  await one.prompt(id, 'echo seen');
  await two.agent.request('session/load', { sessionId: id, cwd: stateDir, mcpServers: [] });
  expect(two.said('user_message_chunk')).toBe('echo seen');
  await Promise.all([one.kill(), two.kill()]);
  const { connect } = await import('@agenthost/client');
  const sdk = await connect({ url: new URL(url ?? ''), token: token ?? '' });
  expect((await sdk.listSessions()).items.map(({ resource }) => resource)).toEqual([id]);
  sdk.close();
}, 60_000);
