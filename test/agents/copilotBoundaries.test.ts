import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CopilotAgent } from '@agenthost/host';
import { beforeAll, expect, it } from 'vitest';
import { processesIn } from '../../packages/host/test/agents/support/processes.js';
import { slow, text, toolCall } from '../support/modelServer/modelReply.js';
import { until } from '../support/until.js';
import { agentEnv, agentFolders } from './support/agentCase.js';
import { recordCapability } from './support/capabilities.js';
import { confirmation, PATIENCE_MS, startCopilotHost, turnEnded } from './support/copilotHost.js';
import { AGENTS_FOLDER, installAgent } from './support/installAgents.js';

beforeAll(() => installAgent('copilot'));

it('has none of the secrets of the host in its environment', async () => {
  const secrets = { AGENTHOST_TOKEN: 'the-token-of-the-host', GITHUB_TOKEN: 'a-token-of-the-user', AWS_SECRET: 'x1y2' };
  const host = await startCopilotHost(undefined, secrets);
  host.model.script('env', toolCall('bash', { command: 'env; cat /proc/$PPID/environ', description: 'look' }));
  const session = await (await host.connect()).createSession({ provider: 'copilot' });
  await session.ready();
  await session.send('env');
  await (await confirmation(session)).approve();
  const [call] = (await turnEnded(session)).turns[0]?.toolCalls ?? [];
  const output = call?.status === 'completed' ? (call.result.toolOutput ?? '') : '';
  expect(output).toContain(`HOME=${host.home}`);
  for (const secret of Object.values(secrets)) expect(output).not.toContain(secret);
});

it('runs nothing that an untrusted project configures', async () => {
  const host = await startCopilotHost();
  const marks = ['hook', 'mcp', 'vscode'].map((name) => join(host.cwd, `ran-${name}`));
  const [hook = '', mcp = '', vscode = ''] = marks;
  const file = async (path: string, content: object) => {
    await mkdir(join(host.cwd, path, '..'), { recursive: true });
    await writeFile(join(host.cwd, path), JSON.stringify(content));
  };
  const run = [{ type: 'command', bash: `touch ${hook}` }];
  await file('.github/hooks/hooks.json', { version: 1, hooks: { sessionStart: run, userPromptSubmitted: run } });
  await file('.mcp.json', { mcpServers: { x: { type: 'local', command: 'touch', args: [mcp], tools: ['*'] } } });
  await file('.vscode/mcp.json', { servers: { x: { type: 'stdio', command: 'touch', args: [vscode] } } });
  const session = await (await host.connect()).createSession({ provider: 'copilot' });
  await session.ready();
  await session.send('hello');
  const [asked] = await until(session.pendingPermissions, (open) => open.length > 0, 'the question', PATIENCE_MS);
  await asked?.answer({ approved: false });
  expect((await turnEnded(session)).turns[0]?.state).toBe('complete');
  expect(marks.filter((path) => existsSync(path))).toEqual([]);
});

it('is idle after a cancelled turn whose command continues in the background', async () => {
  const host = await startCopilotHost();
  const command = { command: 'sleep 300', description: 'wait', mode: 'async' };
  host.model.script('background', toolCall('bash', command), text('It runs.'));
  const session = await (await host.connect()).createSession({ provider: 'copilot' });
  await session.ready();
  await session.send('background');
  await (await confirmation(session)).approve();
  const said = 'It runs.';
  await until(
    session.confirmed,
    ({ activeTurn }) => JSON.stringify(activeTurn?.responseParts ?? '').includes(said),
    'the answer',
    PATIENCE_MS,
  );
  expect(session.confirmed.value.activeTurn).toBeDefined();
  await session.cancel();
  await session.send('hello');
  expect((await turnEnded(session, 2)).turns.map(({ state }) => state)).toEqual(['cancelled', 'complete']);
});

it('ends its own turn when it floods, with a reason, without affecting other sessions', async () => {
  const host = await startCopilotHost();
  const command = `head -c 100000000 /dev/zero | tr '\\0' x`;
  host.model
    .script('write on', slow({ piece: 'x'.repeat(65_536), pieces: 1_600, everyMs: 1 }))
    .script('print on', toolCall('bash', { command, description: 'print' }), text('Printed.'))
    .script('hello', text('Hello.'));
  const client = await host.connect();
  const [writing, printing, calm] = await Promise.all(
    [1, 2, 3].map(async () => {
      const session = await client.createSession({ provider: 'copilot' });
      await session.ready();
      return session;
    }),
  );
  if (!writing || !printing || !calm) throw new Error('no sessions');
  await printing.send('print on');
  await (await confirmation(printing)).approve();
  await writing.send('write on');
  await calm.send('hello');
  expect((await turnEnded(calm)).turns[0]?.state).toBe('complete');
  expect((await turnEnded(writing)).turns[0]).toMatchObject({ state: 'error', error: { errorType: 'answerTooLong' } });
  // Copilot itself cuts what a tool of its own prints.
  const [printed] = (await turnEnded(printing)).turns;
  expect(printed).toMatchObject({ state: 'complete', toolCalls: [{ status: 'completed' }] });
  expect(JSON.stringify(printed).length).toBeLessThan(200_000);
  await writing.send('hello');
  expect((await turnEnded(writing, 2)).turns[1]?.state).toBe('complete');
});

it('writes its plan where all clients can read it', async () => {
  const host = await startCopilotHost();
  const session = await (await host.connect()).createSession({ provider: 'copilot' });
  await session.ready();
  const id = session.uri.slice('copilot:/'.length);
  const state = join(host.stateDir, 'session-state', id);
  const plan = join(state, 'copilot/plan.md');
  // Not by Copilot's own tool: with a session file system that one fails for this one file (see ADR 0073).
  host.model
    .script('begin', toolCall('bash', { command: `echo '# Draft' > ${plan}`, description: 'begin' }))
    .script('plan', toolCall('edit', { path: plan, old_str: '# Draft', new_str: '# The plan' }));
  await session.send('begin');
  await (await confirmation(session)).approve();
  await turnEnded(session);
  await session.send('plan');
  await turnEnded(session, 2);
  await host.host.close();
  expect(await readFile(join(state, 'plan.md'), 'utf8')).toBe('# The plan\n');
  expect(session.confirmed.value.summary.changes).toBeUndefined();
});

it('reports a missing login, and leaves no process behind', async () => {
  const { home } = await agentFolders();
  const hostEnv = { ...agentEnv(home), COPILOT_OFFLINE: 'true', TMPDIR: home };
  const agent = new CopilotAgent({ agentsFolder: AGENTS_FOLDER, configuration: {}, hostEnv });
  expect(await agent.availability()).toMatchObject({ state: 'available' });
  expect(await agent.login.facts()).toMatchObject({ state: 'needed' });
  recordCapability('copilot', 'logIn', 'yes');
  await agent.dispose();
  expect(await processesIn(home)).toEqual([]);
});
