import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AcpAgents } from '@agenthost/host';
import type { RootState } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findProcesses } from '../../../packages/host/src/processes/processList.js';
import { isRunning } from '../../../packages/host/src/processes/processStat.js';
import { NpmRegistry } from '../../support/agents/npmRegistry.js';
import { agentInfo, STUB, writeAgents } from '../../support/agents/stubAgent.js';
import { CLI, runCli, spawnHost, startTestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const SLOW = { timeout: 120_000 };
/** An install script that never ends, and has started a program of its own. */
const HANG = `
const { spawn } = require('node:child_process');
const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
require('node:fs').writeFileSync(require('node:path').join(process.env.HOME, 'pids'), process.pid + ' ' + child.pid);
setInterval(() => {}, 1000);
`;

let stateDir: string;
let registry: NpmRegistry;

beforeEach(async () => {
  stateDir = await temporaryFolder();
  const npm = { package: 'tiny-acp', version: '1.0.0', scripts: ['tiny-acp'] };
  await writeAgents(stateDir, { stub: { name: 'Stub', command: 'tiny-acp', npm } });
  registry = await NpmRegistry.start({
    name: 'tiny-acp',
    version: '1.0.0',
    bin: { 'tiny-acp': 'tiny.js' },
    files: { 'tiny.js': `import(${JSON.stringify(STUB)});\n`, 'hang.js': HANG },
    scripts: { postinstall: 'node hang.js' },
  });
  onTestFinished(() => registry.dispose());
});
afterEach(() => rm(stateDir, { recursive: true, force: true, maxRetries: 5 }));

const env = () => ({ PATH: process.env['PATH'] ?? '', HOME: stateDir, npm_config_registry: registry.url });
const left = () => readdir(join(stateDir, 'agents'));
const processes = () => findProcesses({ marker: `npm_config_registry=${registry.url}` });

/** Those of the install script and of what it started. */
async function scriptPids(): Promise<number[]> {
  const read = () => readFile(join(stateDir, 'pids'), 'utf8').catch(() => '');
  await expect.poll(read, { timeout: 30_000 }).toMatch(/^\d+ \d+$/);
  return (await read()).split(' ').map(Number);
}

const stub = (state: RootState) => agentInfo(state, 'stub')?.availability.state;

describe('an installation that is cancelled', () => {
  async function start() {
    const host = await startTestHost({ stateDir, env: env(), agentSources: [new AcpAgents({ catalogue: [] })] });
    onTestFinished(() => host.dispose());
    const [client, other] = [await host.connect(), await host.connect()];
    const heard: string[] = [];
    other.onNotification((event) => {
      if (event.type === 'notify/progress') heard.push(event.message);
    });
    return { client, other, heard };
  }

  it('ends with npm and all that npm started, leaves nothing, and everybody is told', SLOW, async () => {
    const { client, other, heard } = await start();
    await client.installAgent('stub');
    const pids = await scriptPids();
    expect(pids.map(isRunning)).toEqual([true, true]);
    expect(stub(other.root.state.value)).toBe('installing');
    await Promise.all([client.cancelInstall('stub'), other.cancelInstall('stub')]);
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(await processes()).toEqual([]);
    expect(await left()).toEqual([]);
    await until(other.root.state, (state) => stub(state) === 'unavailable', 'the end');
    expect(heard.at(-1)).toBe('Cancelled');
    expect(JSON.stringify(other.root.state.value)).not.toContain('could not be installed');
    // None runs any more: nothing happens.
    await client.cancelInstall('stub');
    await expect(client.cancelInstall('shell')).rejects.toThrow("part of the host: it can't be installed or removed");
  });

  it('ends at whatever moment it is cancelled, and can be begun again', SLOW, async () => {
    const { client } = await start();
    for (const ms of [0, 0, 1, 5, 20, 100, 400]) {
      await client.installAgent('stub');
      await new Promise((resolve) => setTimeout(resolve, ms));
      await client.cancelInstall('stub');
      expect([ms, await processes(), await left()]).toEqual([ms, [], []]);
    }
    await rm(join(stateDir, 'pids'), { force: true });
    await client.installAgent('stub');
    expect((await scriptPids()).map(isRunning)).toEqual([true, true]);
    await client.removeAgent('stub');
    expect(await processes()).toEqual([]);
  });
});

describe('Ctrl+C while agenthost agents add runs', () => {
  async function interrupted(): Promise<{ code: number | null; said: string; pids: readonly number[] }> {
    const child: ChildProcess = spawn(process.execPath, [CLI, 'agents', 'add', 'stub', '--state-dir', stateDir], {
      env: env(),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 100_000,
    });
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += String(chunk);
    });
    const pids = await scriptPids();
    child.kill('SIGINT');
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, said, pids };
  }

  it('cancels it at the running host', SLOW, async () => {
    const host = await spawnHost(stateDir, ['--state-dir', stateDir], env());
    const { code, said, pids } = await interrupted();
    expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('Cancelled.') });
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(await left()).toEqual([]);
    const { stdout } = await runCli(['agents', '--state-dir', stateDir], env());
    expect(stdout).toMatch(/stub .*not available/);
    await host.kill('SIGTERM');
  });

  it('ends it without a host, and keeps only what was fetched', SLOW, async () => {
    const { code, said, pids } = await interrupted();
    expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('Run the same command again') });
    expect(pids.map(isRunning)).toEqual([false, false]);
    expect(await processes()).toEqual([]);
    expect(await left()).toEqual(['.stub.cache']);
  });
});
