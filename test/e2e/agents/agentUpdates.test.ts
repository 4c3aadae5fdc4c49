import { rm } from 'node:fs/promises';
import { AcpAgents } from '@agenthost/host';
import type { RootState } from '@agenthost/protocol';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { NpmRegistry } from '../../support/agents/npmRegistry.js';
import { agentInfo, STUB, stubSession, writeAgents } from '../../support/agents/stubAgent.js';
import { HeardLog } from '../../support/heardLog.js';
import { say } from '../../support/say.js';
import { runCli, startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

let stateDir: string;
const log = new HeardLog();

beforeEach(async () => {
  stateDir = await temporaryFolder();
  await writeAgents(stateDir, {
    stub: { name: 'Stub', command: 'tiny-acp', npm: { package: 'tiny-acp', version: '1.0.0' } },
  });
});
afterEach(() => rm(stateDir, { recursive: true, force: true, maxRetries: 5 }));

async function registryWith(version: string): Promise<NpmRegistry> {
  const files = { 'tiny.js': `import(${JSON.stringify(STUB)});\n` };
  const registry = await NpmRegistry.start({ name: 'tiny-acp', version, bin: { 'tiny-acp': 'tiny.js' }, files });
  onTestFinished(() => registry.dispose());
  return registry;
}

async function start(registry: NpmRegistry, more: Record<string, string> = {}): Promise<TestHost> {
  const env = { PATH: process.env['PATH'], HOME: stateDir, npm_config_registry: registry.url, ...more };
  const host = await startTestHost({ stateDir, env, log, agentSources: [new AcpAgents({ catalogue: [] })] });
  onTestFinished(() => host.dispose());
  return host;
}

const stub = (state: RootState) => agentInfo(state, 'stub')?.availability;

it('names a newer version of an installed agent, once a day, and installs it', { timeout: 120_000 }, async () => {
  const first = await registryWith('1.0.0');
  const env = { npm_config_registry: first.url, HOME: stateDir };
  expect((await runCli(['agents', 'add', 'stub', '--state-dir', stateDir], env)).code).toBe(0);

  // Turned off, and without a network: nothing is said.
  const second = await registryWith('1.10.0');
  const off = await start(second, { AGENTHOST_NO_UPDATE_CHECK: '1' });
  expect(stub((await off.connect()).root.state.value)).toEqual({ state: 'available', version: '1.0.0' });
  await off.dispose();
  expect(second.requests).toEqual([]);

  const host = await start(second);
  const client = await host.connect();
  const newer = (state: RootState) => JSON.stringify(stub(state)).includes('newerVersion');
  await until(client.root.state, newer, 'the newer version', 60_000);
  expect(stub(client.root.state.value)).toEqual({ state: 'available', version: '1.0.0', newerVersion: '1.10.0' });
  const session = await stubSession(client);
  expect(await say(session, 'before')).toBe('You said: before');
  const command = (...args: string[]) => runCli(['agents', ...args, '--state-dir', stateDir], { HOME: stateDir });
  expect((await command()).stdout).toContain('Version 1.10.0 is there: agenthost agents update stub.');
  expect(await command('update', 'stub')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('tiny-acp@1.10.0'),
  });
  const isNew = (state: RootState) => JSON.stringify(stub(state)) === '{"state":"available","version":"1.10.0"}';
  await until(client.root.state, isNew, 'the update', 60_000);
  expect(await say(session, 'after')).toBe('You said: after');
  await expect(client.updateAgent('stub')).rejects.toThrow('No newer version of stub is known');
  await host.dispose();

  // Known for a day.
  const third = await registryWith('2.0.0');
  const again = await start(third);
  await again.connect();
  await again.dispose();
  expect(third.requests).toEqual([]);
  expect(log.messages).toEqual([]);
});
