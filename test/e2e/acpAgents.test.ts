import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connect, type Host, type Session } from '@agenthost/client';
import { AcpAgents } from '@agenthost/host';
import type { AgentInfo, RootState } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { processesIn } from '../../packages/host/test/agents/support/processes.js';
import { NpmRegistry } from '../support/npmRegistry.js';
import { runCli, spawnHost, startTestHost, temporaryFolder } from '../support/testHost.js';
import { until } from '../support/until.js';

const STUB = join(import.meta.dirname, '../support/stubAcpAgent.ts');
let stateDir: string;

beforeEach(async () => {
  stateDir = await temporaryFolder();
});
afterEach(() => rm(stateDir, { recursive: true, force: true, maxRetries: 5 }));

async function writeAgents(agents: object): Promise<void> {
  await writeFile(join(stateDir, 'agents.json'), JSON.stringify({ agents }));
}

function stub(env: Record<string, string> = {}, changes: object = {}): object {
  return {
    name: 'Stub',
    command: process.execPath,
    args: [STUB],
    env: { STUB_MEMORY: join(stateDir, 'stub-memory'), ...env },
    ...changes,
  };
}

async function sessionOf(client: Host): Promise<Session> {
  const session = await client.createSession({ provider: 'stub' });
  await session.ready();
  return session;
}

/** Sends, and waits for the end of the turn; returns its text. */
async function say(session: Session, text: string): Promise<string> {
  const turns = session.state.value.turns.length;
  await session.send(text);
  const { turns: after } = await until(
    session.state,
    (state) => state.turns.length > turns,
    'the end of the turn',
    30_000,
  );
  return (after.at(-1)?.responseParts ?? []).map((part) => (part.kind === 'markdown' ? part.content : '')).join('');
}

const info = (state: RootState, provider: string): AgentInfo | undefined =>
  state.agents.find((agent) => agent.provider === provider);

describe('agents.json', () => {
  it('reaches all clients without a restart, and running sessions go on', async () => {
    await writeAgents({ stub: stub() });
    const host = await startTestHost({ stateDir, agentSources: [new AcpAgents()] });
    onTestFinished(() => host.dispose());
    const clients = [await host.connect(), await host.connect()];
    const [client] = clients as [Host, Host];
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
    const session = await sessionOf(client);
    expect(await say(session, 'hello')).toBe('You said: hello');
    // What its sessions offer is known from now on.
    for (const each of clients) {
      await until(each.root.state, (state) => info(state, 'stub')?.models.length === 2, 'the models');
    }
    expect(info(client.root.state.value, 'claude')?.icon).toBe('asterisk');
    await writeAgents({
      stub: stub({ NEW: 'yes' }, { name: 'Renamed', icon: 'rocket' }),
      other: { command: 'no-such-program' },
    });
    for (const each of clients) {
      const named = (state: RootState) =>
        info(state, 'stub')?.displayName === 'Renamed' &&
        info(state, 'stub')?.icon === 'rocket' &&
        info(state, 'other') !== undefined;
      const state = await until(
        each.root.state,
        (state) =>
          named(state) &&
          info(state, 'other')?.availability.state === 'unavailable' &&
          !JSON.stringify(info(state, 'other')).includes('not checked'),
        'the new agents',
      );
      expect(info(state, 'other')?.availability).toMatchObject({
        reason: 'The program no-such-program was not found.',
      });
    }
    expect(await say(session, 'recall')).toBe('hello | recall');
    expect(await say(await sessionOf(client), 'env')).toContain('"NEW":"yes"');
    // What is wrong changes nothing.
    await writeFile(join(stateDir, 'agents.json'), '{ "agents": ');
    await writeAgents({});
    for (const each of clients)
      await until(each.root.state, (state) => info(state, 'stub') === undefined, 'the removal');
  });
});

describe('what an agent takes after a slash', () => {
  it('is in the state of its session, within limits, and still there after a restart', async () => {
    await writeAgents({ stub: stub({ STUB_COMMANDS: '/review re-do two\nlines review' }) });
    const start = () => startTestHost({ stateDir, agentSources: [new AcpAgents()] });
    const first = await start();
    const session = await sessionOf(await first.connect());
    const commands = ['review', 're-do'].map((name) => ({
      name,
      description: `Does ${name}`.replace('review', '/review'),
      inputHint: 'anything',
    }));
    expect(session.confirmed.value.commands).toEqual(commands);
    // It may change in a turn; and more than anybody reads is cut.
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

it('goes on with its agent after a restart of the host, in the middle of a turn too', async () => {
  await writeAgents({ stub: stub() });
  const first = await spawnHost(stateDir);
  onTestFinished(async () => void (await first.kill('SIGKILL')));
  const before = await connect({ url: first.url, token: first.token });
  const session = await sessionOf(before);
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

describe('installing', () => {
  const TINY = { name: 'tiny-acp', version: '1.0.0' };

  async function registryWithStub(): Promise<NpmRegistry> {
    const registry = await NpmRegistry.start({
      ...TINY,
      bin: { 'tiny-acp': 'tiny.js' },
      files: { 'tiny.js': `import(${JSON.stringify(STUB)});\n` },
    });
    onTestFinished(() => registry.dispose());
    return registry;
  }

  const tiny = { command: 'tiny-acp', npm: { package: TINY.name, version: TINY.version } };

  it('is told to every client, from the beginning to the end, and the agent works', async () => {
    const registry = await registryWithStub();
    await writeAgents({ stub: tiny, broken: { ...tiny, npm: { package: 'not-there', version: '1.0.0' } } });
    const env = { PATH: process.env['PATH'], HOME: stateDir, npm_config_registry: registry.url };
    const host = await startTestHost({ stateDir, env, agentSources: [new AcpAgents({ catalogue: [] })] });
    onTestFinished(() => host.dispose());
    const [client, other] = [await host.connect(), await host.connect()];
    const seen: string[] = [];
    other.onNotification((event) => {
      if (event.type === 'notify/progress') seen.push(`${event.token}: ${event.message}`);
    });
    expect(info(other.root.state.value, 'stub')?.availability).toMatchObject({ state: 'unavailable', installable: {} });
    const installing = until(
      other.root.state,
      (state) => info(state, 'stub')?.availability.state === 'installing',
      'the start',
      30_000,
    );
    await client.installAgent('stub');
    await installing;
    await until(
      other.root.state,
      (state) => info(state, 'stub')?.availability.state === 'available',
      'the end',
      60_000,
    );
    expect(seen[0]).toBe('installAgent/stub: Fetching tiny-acp@1.0.0');
    expect(seen.at(-1)).toBe('installAgent/stub: Installed tiny-acp@1.0.0');
    expect(await say(await sessionOf(client), 'hello')).toBe('You said: hello');

    await client.removeAgent('stub');
    await until(other.root.state, (state) => info(state, 'stub')?.availability.state === 'unavailable', 'the removal');
    expect(await readdir(join(stateDir, 'agents'))).toEqual(['stub.models.json']);

    await client.installAgent('broken');
    const failed = (state: RootState) => JSON.stringify(info(state, 'broken')).includes('could not be installed');
    await until(other.root.state, failed, 'the failure', 60_000);

    // Removing stops an installation that runs.
    registry.onTarball = () => new Promise(() => {});
    await client.installAgent('stub');
    await expect.poll(() => registry.requests.at(-1), { timeout: 30_000 }).toContain('.tgz');
    await client.removeAgent('stub');
    expect(info(client.root.state.value, 'stub')?.availability.state).toBe('unavailable');
    expect((await readdir(join(stateDir, 'agents'))).filter((name) => name.includes('stub'))).toEqual([
      'stub.models.json',
    ]);

    await expect(client.installAgent('shell')).rejects.toThrow("part of the host: it can't be installed or removed");
    await expect(client.installAgent('nobody')).rejects.toThrow('no agent for provider nobody');
  });

  it('works from the command, with and without a host that runs', async () => {
    const registry = await registryWithStub();
    await writeAgents({ stub: tiny });
    const env = { npm_config_registry: registry.url, HOME: stateDir };
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCli(['agents', ...args, '--state-dir', stateDir], env);
      return { code, stdout, stderr };
    };
    const stubLine = ({ stdout }: { stdout: string }) => stdout.split('\n').find((line) => line.startsWith('stub '));
    expect(stubLine(await run())).toContain('not available: It is not installed, and tiny-acp is not on PATH.');
    for (const way of ['without a host', 'with one']) {
      const host = way === 'with one' ? await spawnHost(stateDir, ['--state-dir', stateDir], env) : undefined;
      const added = await run('add', 'stub');
      expect({ way, ...added }).toMatchObject({ code: 0, stderr: expect.stringContaining('Installed tiny-acp@1.0.0') });
      expect(stubLine(added)).toContain('available 1.0.0, ');
      const listed = (await run('--json')).stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { provider: string });
      expect(listed.find(({ provider }) => provider === 'stub')).toMatchObject({
        availability: { state: 'available', version: '1.0.0' },
        from: 'installed',
        path: join(stateDir, 'agents/stub/node_modules/tiny-acp/tiny.js'),
      });
      expect(await run('rm', 'stub')).toMatchObject({ code: 0 });
      await host?.kill('SIGTERM');
    }
    expect(await run('rm', 'stub')).toMatchObject({ code: 1, stderr: expect.stringContaining('is not installed in') });
    expect(await run('add', 'nope')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no agent "nope".'),
    });
    expect(await run('add')).toMatchObject({ code: 2 });
    expect(await run('add', 'shell')).toMatchObject({ code: 1 });
    await writeFile(join(stateDir, 'agents.json'), '{"agents":{"x":{}}}');
    expect(await run()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('agents.json:1: agents.x: expected a "command"'),
    });
    expect((await runCli(['agents', '--help'])).stdout).toContain('agenthost agents add claude');
  });
});

describe('processes of an agent', () => {
  async function startTurn(env: Record<string, string>) {
    await writeAgents({ stub: stub(env) });
    const host = await spawnHost(stateDir);
    onTestFinished(async () => void (await host.kill('SIGKILL')));
    const client = await connect({ url: host.url, token: host.token });
    onTestFinished(() => client.close());
    const session = await sessionOf(client);
    const pid = Number(await say(session, 'pid'));
    const orphan = Number(await say(session, 'orphan'));
    await session.send('endless');
    await until(session.state, (state) => (state.activeTurn?.responseParts.length ?? 0) > 0, 'the turn');
    expect([alive(pid), alive(orphan)]).toEqual([true, true]);
    return { host, pids: [pid, orphan] };
  }

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('end with the host by %s', async (signal) => {
    const { host, pids } = await startTurn({ STUB_IGNORE_EOF: '1' });
    await host.kill(signal);
    expect(pids.map(alive)).toEqual([false, false]);
  });

  it("end soon after a host that is killed, also those that don't care for the end of their input", {
    timeout: 120_000,
  }, async () => {
    const { host, pids } = await startTurn({ STUB_IGNORE_EOF: '1' });
    const children = await childrenOf(host.pid);
    await host.kill('SIGKILL');
    await expect.poll(() => [...pids, ...children].filter(alive), { timeout: 30_000 }).toEqual([]);
  });

  it('end at the next start, where nobody was left to see to it', { timeout: 120_000 }, async () => {
    const { host, pids } = await startTurn({ STUB_IGNORE_EOF: '1' });
    for (const pid of await childrenOf(host.pid)) if (!pids.includes(pid)) process.kill(pid, 'SIGKILL');
    await host.kill('SIGKILL');
    expect(pids.map(alive)).toEqual([true, true]);
    const next = await spawnHost(stateDir);
    onTestFinished(async () => void (await next.kill('SIGKILL')));
    expect(pids.map(alive)).toEqual([false, false]);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)(
    'of a shell end with the host by %s',
    { timeout: 120_000 },
    async (signal) => {
      const host = await spawnHost(stateDir);
      onTestFinished(async () => void (await host.kill('SIGKILL')));
      const client = await connect({ url: host.url, token: host.token });
      onTestFinished(() => client.close());
      const cwd = join(stateDir, 'project');
      await mkdir(cwd);
      const session = await client.createSession({ provider: 'shell', workingDirectory: pathToFileURL(cwd).href });
      await session.ready();
      const deaf = `trap '' HUP INT TERM`;
      await session.send(`${deaf}; setsid sleep 600 & (${deaf}; echo re''ady; sleep 600)`);
      const [asked] = await until(session.pendingConfirmations, (list) => list.length > 0, 'the question', 30_000);
      await asked?.approve();
      const said = () => JSON.stringify(session.confirmed.value.activeTurn?.toolCalls ?? {});
      await until(session.confirmed, () => said().includes('ready'), 'the command', 30_000);
      const children = await childrenOf(host.pid);
      expect((await processesIn(cwd)).length).toBeGreaterThan(1);
      await host.kill(signal);
      if (signal !== 'SIGKILL') expect(await processesIn(cwd)).toEqual([]);
      await expect.poll(() => processesIn(cwd), { timeout: 30_000 }).toEqual([]);
      await expect.poll(() => children.filter(alive), { timeout: 30_000 }).toEqual([]);
    },
  );
});

async function childrenOf(pid: number): Promise<number[]> {
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return listed.trim().split(' ').filter(Boolean).map(Number);
}

it('tells an agent nothing of the host', async () => {
  await writeAgents({ stub: stub() });
  const secrets = {
    AGENTHOST_TOKEN: 'a-token-that-is-long-enough-for-us',
    OPENAI_API_KEY: 'sk-secret',
    DB_PASSWORD: 'secret',
  };
  const host = await spawnHost(stateDir, ['--state-dir', stateDir], secrets);
  onTestFinished(async () => void (await host.kill('SIGKILL')));
  const client = await connect({ url: host.url, token: host.token });
  onTestFinished(() => client.close());
  const seen = await say(await sessionOf(client), 'env');
  expect(Object.keys(JSON.parse(seen) as object).sort()).toEqual(
    ['AGENTHOST_AGENT_OF', 'AGENTHOST_AGENT_PROCESS', 'HOME', 'LANG', 'PATH', 'STUB_MEMORY'].sort(),
  );
  for (const secret of Object.values(secrets)) expect(seen).not.toContain(secret);
});

/** One that has ended and that nobody has collected yet (a zombie) is not. */
function alive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

describe('the folder of an ACP agent', () => {
  it('is trusted before the agent is started where it has settings, and its servers and instructions reach it', async () => {
    const memory = join(stateDir, 'stub-memory');
    const project = join(stateDir, 'project');
    await mkdir(join(project, '.claude'), { recursive: true });
    await writeFile(join(project, '.claude/settings.json'), '{ "hooks": {} }');
    await writeFile(join(project, '.mcp.json'), '{ "mcpServers": { "files": { "command": "files-server" } } }');
    await writeFile(join(project, 'AGENTS.md'), 'Be brief.');
    await writeAgents({ stub: stub() });
    const host = await startTestHost({ stateDir, defaultDirectory: project, agentSources: [new AcpAgents()] });
    onTestFinished(() => host.dispose());
    const session = await sessionOf(await host.connect());
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
