import { rm } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { TokenFile } from '../../../packages/host/src/server/access/tokenFile.js';
import { RawClient } from '../../support/rawClient.js';
import { type HostProcess, runCli, spawnHost, temporaryFolder } from '../../support/testHost.js';

const TOKEN = 'given-by-the-environment-0123456789';

describe('agenthost token, while a host runs with a token from the environment', () => {
  let stateDir: string;
  let host: HostProcess;
  beforeEach(async () => {
    stateDir = await temporaryFolder();
    host = await spawnHost(stateDir, ['--state-dir', stateDir], { AGENTHOST_TOKEN: TOKEN });
  });
  afterEach(async () => {
    await host.kill('SIGKILL');
    await rm(stateDir, { recursive: true, force: true });
  });

  const token = (...args: string[]) => runCli(['token', ...args, '--state-dir', stateDir]);

  it('rotate changes nothing, says that the host keeps its token, and fails', async () => {
    const rotated = await token('rotate');
    expect(rotated).toMatchObject({ code: 1, stdout: '' });
    expect(rotated.stderr).toContain('keeps the token');
    expect(rotated.stderr).toContain('$AGENTHOST_TOKEN');
    expect(await new TokenFile(stateDir).read()).toBeUndefined();
    await (await RawClient.open({ url: host.url, token: TOKEN })).end();
  });

  it('show says that the token is not in the state folder, even if an earlier host left one', async () => {
    await new TokenFile(stateDir).rotate();
    const shown = await token('show');
    expect(shown).toMatchObject({ code: 6, stdout: '' });
    expect(shown.stderr).toContain('$AGENTHOST_TOKEN');
  });

  it('add and rm work as usual', async () => {
    const added = await token('add', '--name', 'phone', '--role', 'viewer', '--json');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    const phone = await RawClient.open({ url: host.url, token: (JSON.parse(added.stdout) as { token: string }).token });
    expect(await token('rm', 'phone')).toMatchObject({ code: 0, stderr: '' });
    expect((await phone.closed).code).toBe(4401);
  });

  it('rotate works again after the host has ended, killed or not', async () => {
    await host.kill('SIGKILL');
    expect(await token('rotate')).toMatchObject({ code: 0 });
  });
});

it('token rm says that a token that is also $AGENTHOST_TOKEN stays valid', async () => {
  const stateDir = await temporaryFolder();
  const given = await new DeviceTokens(stateDir).add('phone', 'viewer');
  const host = await spawnHost(stateDir, ['--state-dir', stateDir], { AGENTHOST_TOKEN: given });
  try {
    const removed = await runCli(['token', 'rm', 'phone', '--state-dir', stateDir], { AGENTHOST_TOKEN: given });
    expect(removed).toMatchObject({ code: 1 });
    expect(removed.stderr).toContain('still opens the host');
  } finally {
    await host.kill('SIGKILL');
    await rm(stateDir, { recursive: true, force: true });
  }
});
