import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type HostClient } from '@agenthost/client';
import { AcpAgents } from '@agenthost/host';
import type { RootState } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { agentInfo, stubEntry, stubSession, writeAgents } from '../../support/agents/stubAgent.js';
import { HeardLog } from '../../support/heardLog.js';
import { say } from '../../support/say.js';
import { spawnHost, startTestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

let stateDir: string;

beforeEach(async () => {
  stateDir = await temporaryFolder();
});
afterEach(() => rm(stateDir, { recursive: true, force: true, maxRetries: 5 }));

describe('agents.json', () => {
  it('reaches all clients without a restart, and running sessions continue', async () => {
    await writeAgents(stateDir, { stub: stubEntry(stateDir) });
    const log = new HeardLog();
    const host = await startTestHost({ stateDir, log, agentSources: [new AcpAgents()] });
    onTestFinished(() => host.dispose());
    const clients = [await host.connect(), await host.connect()];
    const [client] = clients as [HostClient, HostClient];
    expect(client.root.state.value.agents.map(({ provider }) => provider)).toEqual([
      'mock',
      'shell',
      'claude',
      'codex',
      'gemini',
      'opencode',
      'copilot-acp',
      'stub',
    ]);
    const session = await stubSession(client);
    expect(await say(session, 'hello')).toBe('You said: hello');
    // What its sessions offer is known from now on.
    for (const each of clients) {
      await until(each.root.state, (state) => agentInfo(state, 'stub')?.models.length === 2, 'the models');
    }
    expect(agentInfo(client.root.state.value, 'claude')?.icon).toBe('asterisk');
    await writeAgents(stateDir, {
      stub: stubEntry(stateDir, { NEW: 'yes' }, { name: 'Renamed', icon: 'rocket' }),
      other: { command: 'no-such-program' },
    });
    for (const each of clients) {
      const named = (state: RootState) =>
        agentInfo(state, 'stub')?.displayName === 'Renamed' &&
        agentInfo(state, 'stub')?.icon === 'rocket' &&
        agentInfo(state, 'other') !== undefined;
      const state = await until(
        each.root.state,
        (state) =>
          named(state) &&
          agentInfo(state, 'other')?.availability.state === 'unavailable' &&
          !JSON.stringify(agentInfo(state, 'other')).includes('not checked'),
        'the new agents',
      );
      expect(agentInfo(state, 'other')?.availability).toMatchObject({
        reason: 'The program no-such-program was not found.',
      });
    }
    expect(await say(session, 'recall')).toBe('hello | recall');
    expect(await say(await stubSession(client), 'env')).toContain('"NEW":"yes"');
    // What is wrong changes nothing, from when it was read to when it is right again.
    let withoutStub = 0;
    client.root.state.subscribe((state) => {
      if (!agentInfo(state, 'stub')) withoutStub++;
    });
    await writeFile(join(stateDir, 'agents.json'), '{ "agents": ');
    await log.heard(/the agents of your own are not read/);
    await writeAgents(stateDir, { stub: stubEntry(stateDir, {}, { name: 'Right again' }) });
    const isRight = (state: RootState) => agentInfo(state, 'stub')?.displayName === 'Right again';
    for (const each of clients) await until(each.root.state, isRight, 'the agent');
    expect(withoutStub).toBe(0);
    await writeAgents(stateDir, {});
    for (const each of clients)
      await until(each.root.state, (state) => agentInfo(state, 'stub') === undefined, 'the removal');
  });
});

describe('slash commands of an agent', () => {
  it('are in the state of its session, within limits, and still there after a restart', async () => {
    await writeAgents(stateDir, { stub: stubEntry(stateDir, { STUB_COMMANDS: '/review re-do two\nlines review' }) });
    const start = () => startTestHost({ stateDir, agentSources: [new AcpAgents()] });
    const first = await start();
    const session = await stubSession(await first.connect());
    const commands = ['review', 're-do'].map((name) => ({
      name,
      description: `Does ${name}`.replace('review', '/review'),
      inputHint: 'anything',
    }));
    expect(session.confirmed.value.commands).toEqual(commands);
    // It may change in a turn; a long list is cut.
    const other = await (await first.connect()).openSession(session.uri);
    await say(session, 'commands many');
    const { commands: many = [] } = await until(other.state, (state) => state.commands?.length === 200, 'the commands');
    expect(many[199]).toEqual({ name: 'c199', description: 'Does c199', inputHint: 'anything' });
    await say(session, 'commands one');
    const one = [{ name: 'one', description: 'Does one', inputHint: 'anything' }];
    await until(other.state, (state) => state.commands?.length === 1, 'the command');
    await first.dispose();
    const second = await start();
    onTestFinished(() => second.dispose());
    const again = await (await second.connect()).openSession(session.uri);
    expect(again.confirmed.value.commands).toEqual(one);
  });
});

it('continues with its agent after a restart of the host, also in the middle of a turn', async () => {
  await writeAgents(stateDir, { stub: stubEntry(stateDir) });
  const first = await spawnHost(stateDir);
  onTestFinished(async () => void (await first.kill('SIGKILL')));
  const before = await connect({ url: first.url, token: first.token });
  const session = await stubSession(before);
  expect(await say(session, 'my name is Ada')).toContain('Ada');
  await session.send('endless');
  await until(session.state, (state) => (state.activeTurn?.responseParts.length ?? 0) > 0, 'the turn');
  before.close();
  await first.kill('SIGKILL');
  const second = await spawnHost(stateDir);
  onTestFinished(async () => void (await second.kill('SIGKILL')));
  const after = await connect({ url: second.url, token: second.token });
  onTestFinished(() => after.close());
  const resumed = await after.openSession(session.uri);
  expect(await say(resumed, 'recall')).toBe('my name is Ada | endless | recall');
});

describe('the folder of an ACP agent', () => {
  it('is trusted before the agent is started if it has settings, and its servers and instructions reach it', async () => {
    const memory = join(stateDir, 'stub-memory');
    const project = join(stateDir, 'project');
    await mkdir(join(project, '.claude'), { recursive: true });
    await writeFile(join(project, '.claude/settings.json'), '{ "hooks": {} }');
    await writeFile(join(project, '.mcp.json'), '{ "mcpServers": { "files": { "command": "files-server" } } }');
    await writeFile(join(project, 'AGENTS.md'), 'Be brief.');
    await writeAgents(stateDir, { stub: stubEntry(stateDir) });
    const host = await startTestHost({ stateDir, defaultDirectory: project, agentSources: [new AcpAgents()] });
    onTestFinished(() => host.dispose());
    const session = await stubSession(await host.connect());
    await session.send('blocks');
    const [asked] = await until(session.pendingPermissions, (open) => open.length > 0, 'the question', 30_000);
    expect(asked?.request.message).toContain('Stub obeys `.claude`');
    expect(asked?.request.message).toContain('The MCP server `files` runs `files-server`');
    await asked?.answer({ approved: false });
    const refused = await until(session.state, ({ turns }) => turns.length === 1, 'the end of the turn', 30_000);
    expect(refused.turns[0]).toMatchObject({
      state: 'error',
      error: { message: expect.stringContaining('not started') },
    });
    // The stub would have written down what was said to it.
    expect(await readdir(memory).catch(() => [])).toEqual([]);
    await session.send('blocks');
    const [again] = await until(session.pendingPermissions, (open) => open.length > 0, 'the question', 30_000);
    await again?.answer({ approved: true });
    const { turns } = await until(session.state, ({ turns }) => turns.length === 2, 'the end of the turn', 30_000);
    expect(JSON.stringify(turns[1]?.responseParts)).toContain('Be brief.');
    expect(JSON.parse(await say(session, 'servers'))).toEqual([
      { name: 'files', command: 'files-server', args: [], env: [] },
    ]);
  });
});
