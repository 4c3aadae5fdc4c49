import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AcpAgents } from '@agenthost/host';
import type { RootState } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { NpmRegistry } from '../../support/agents/npmRegistry.js';
import { agentInfo, STUB, stubSession, writeAgents } from '../../support/agents/stubAgent.js';
import { say } from '../../support/say.js';
import { runCli, spawnHost, startTestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

let stateDir: string;

beforeEach(async () => {
  stateDir = await temporaryFolder();
});
afterEach(() => rm(stateDir, { recursive: true, force: true, maxRetries: 5 }));

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

  it('is reported to every client from beginning to end, and the agent works', async () => {
    const registry = await registryWithStub();
    await writeAgents(stateDir, { stub: tiny, broken: { ...tiny, npm: { package: 'not-there', version: '1.0.0' } } });
    const env = { PATH: process.env['PATH'], HOME: stateDir, npm_config_registry: registry.url };
    const host = await startTestHost({ stateDir, env, agentSources: [new AcpAgents({ catalogue: [] })] });
    onTestFinished(() => host.dispose());
    const [client, other] = [await host.connect(), await host.connect()];
    const seen: string[] = [];
    other.onNotification((event) => {
      if (event.type === 'notify/progress') seen.push(`${event.token}: ${event.message}`);
    });
    expect(agentInfo(other.root.state.value, 'stub')?.availability).toMatchObject({
      state: 'unavailable',
      installable: {},
    });
    const installing = until(
      other.root.state,
      (state) => agentInfo(state, 'stub')?.availability.state === 'installing',
      'the start',
      30_000,
    );
    await client.installAgent('stub');
    await installing;
    await until(
      other.root.state,
      (state) => agentInfo(state, 'stub')?.availability.state === 'available',
      'the end',
      60_000,
    );
    expect(seen[0]).toBe('installAgent/stub: Fetching tiny-acp@1.0.0');
    expect(seen.at(-1)).toBe('installAgent/stub: Installed tiny-acp@1.0.0');
    expect(await say(await stubSession(client), 'hello')).toBe('You said: hello');

    await client.removeAgent('stub');
    await until(
      other.root.state,
      (state) => agentInfo(state, 'stub')?.availability.state === 'unavailable',
      'the removal',
    );
    // The list of models is written in the background.
    await vi.waitFor(async () => expect(await readdir(join(stateDir, 'agents'))).toEqual(['stub.models.json']), 10_000);

    await client.installAgent('broken');
    const failed = (state: RootState) => JSON.stringify(agentInfo(state, 'broken')).includes('could not be installed');
    await until(other.root.state, failed, 'the failure', 60_000);

    // Removing stops an installation that runs.
    registry.onTarball = () => new Promise(() => {});
    await client.installAgent('stub');
    await expect.poll(() => registry.requests.at(-1), { timeout: 30_000 }).toContain('.tgz');
    await client.removeAgent('stub');
    expect(agentInfo(client.root.state.value, 'stub')?.availability.state).toBe('unavailable');
    expect((await readdir(join(stateDir, 'agents'))).filter((name) => name.includes('stub'))).toEqual([
      'stub.models.json',
    ]);

    await expect(client.installAgent('shell')).rejects.toThrow("part of the host: it can't be installed or removed");
    await expect(client.installAgent('nobody')).rejects.toThrow('no agent for provider nobody');
  });

  it('works from the command, with and without a running host', async () => {
    const registry = await registryWithStub();
    await writeAgents(stateDir, { stub: tiny });
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
