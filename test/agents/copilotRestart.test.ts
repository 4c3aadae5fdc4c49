import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SessionHandle } from '@agenthost/client';
import { parseSessionUri } from '@agenthost/protocol';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { processesIn } from '../../packages/host/test/agents/support/processes.js';
import { text, toolCall } from '../support/modelServer/modelReply.js';
import { ModelServer } from '../support/modelServer/modelServer.js';
import { type RestartableHost, startRestartableHost } from '../support/restartableHost.js';
import { textOf } from '../support/say.js';
import { scriptedCopilot } from './support/copilotConfiguration.js';
import { confirmation, PATIENCE_MS, turnEnded } from './support/copilotHost.js';
import { AGENTS_FOLDER, installAgent } from './support/installAgents.js';

let model: ModelServer;
let host: RestartableHost;
let cwd: string;

beforeAll(() => installAgent('copilot'));
beforeEach(async () => {
  model = await ModelServer.start();
  host = await startRestartableHost();
  // As `agenthost agents add copilot` leaves it.
  await mkdir(join(host.stateDir, 'agents'), { recursive: true });
  await symlink(join(AGENTS_FOLDER, 'copilot'), join(host.stateDir, 'agents/copilot'));
  await writeFile(join(host.stateDir, 'agents/copilot.json'), JSON.stringify(scriptedCopilot(model)));
  cwd = join(host.stateDir, 'project');
  await mkdir(cwd);
});
afterEach(async () => {
  await host.dispose();
  await model.dispose();
});

const folderOf = ({ uri }: SessionHandle) =>
  join(host.stateDir, 'session-state', parseSessionUri(uri)?.sessionId ?? '', 'copilot');
const memoryOf = (session: SessionHandle) =>
  readFile(join(folderOf(session), 'agenthost.json'), 'utf8').catch(() => '');
const noneLeft = () => vi.waitFor(async () => expect(await processesIn(cwd)).toEqual([]), PATIENCE_MS);

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'ends with a host that gets %s while it waits, and asks again',
  async (signal) => {
    const command = 'echo done after all';
    model
      .script('do it', toolCall('bash', { command, description: 'a test' }))
      .script('go on', toolCall('bash', { command, description: 'a test' }), ({ items }) =>
        text(`Knew: ${items.filter(({ role }) => role === 'user').at(-1)?.text}`),
      );
    const client = await host.connect();
    const session = await client.createSession({ provider: 'copilot', workingDirectory: pathToFileURL(cwd).href });
    await session.ready();
    await session.send('do it');
    await confirmation(session);
    expect((await processesIn(cwd)).length).toBeGreaterThan(0);
    // Written right after the question is shown: a kill in between loses only the recap.
    await expect.poll(() => memoryOf(session), { timeout: PATIENCE_MS }).toContain('askedFor');
    await host.end(signal);
    await noneLeft();
    await host.start();
    expect((await turnEnded(session)).turns[0]).toMatchObject({ state: 'error', error: { errorType: 'interrupted' } });
    await session.send('go on');
    await (await confirmation(session)).approve();
    const second = (await turnEnded(session, 2)).turns[1];
    expect(second).toMatchObject({ state: 'complete', toolCalls: [{ status: 'completed', toolInput: command }] });
    expect(textOf(second)).toContain('You were waiting for permission: echo done after all');
    expect(textOf(second)).toContain('do it');
    await host.end('SIGTERM');
    await noneLeft();
  },
);

it('starts a new conversation, and says so, when it was killed before it had stored the earlier one', async () => {
  model
    .script('do it', toolCall('bash', { command: 'echo done', description: 'a test' }))
    .script('go on', ({ items }) => text(`Knew: ${items.filter(({ role }) => role === 'user').at(-1)?.text}`));
  const client = await host.connect();
  const session = await client.createSession({ provider: 'copilot', workingDirectory: pathToFileURL(cwd).href });
  await session.ready();
  await session.send('do it');
  await confirmation(session);
  await expect.poll(() => memoryOf(session), { timeout: PATIENCE_MS }).toContain('do it');
  await host.end('SIGKILL');
  await noneLeft();
  await rm(join(folderOf(session), 'events.jsonl'), { force: true });
  await host.start();
  await turnEnded(session);
  await session.send('go on');
  const second = (await turnEnded(session, 2)).turns[1];
  expect(second).toMatchObject({ state: 'complete' });
  expect(JSON.stringify(second?.responseParts)).toContain('Copilot starts a new conversation');
  expect(textOf(second)).toContain('The message you were working on was: "do it"');
});
