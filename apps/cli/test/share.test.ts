import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawClient } from '../../../test/support/rawClient.js';
import { runCli, startTestHost, type TestHost } from '../../../test/support/testHost.js';

describe('agenthost share', () => {
  let host: TestHost;
  let session: string;
  beforeEach(async () => {
    host = await startTestHost({}, { publicUrl: new URL('https://agents.example.org') });
    const owner = await host.connect();
    const made = await owner.createSession({ provider: 'mock' });
    await made.ready();
    await made.rename('Fix the login');
    session = made.uri;
  });
  afterEach(() => host.dispose());

  const run = (...words: readonly string[]) => runCli(words, { AGENTHOST_HOME: host.stateDir });
  const tokenOf = (link: string) => link.split('#share=')[1] ?? '';

  it('prints a link that reads the session for seven days, which token ls lists and token rm revokes', async () => {
    const { code, stdout } = await run('share', 'last', '--json');
    expect(code).toBe(0);
    const made = JSON.parse(stdout) as { link: string; endsAt: string; name: string; session: string };
    expect(made).toMatchObject({ session, name: 'Link to Fix the login' });
    expect(made.link).toMatch(/^https:\/\/agents\.example\.org\/#share=/);
    expect(Math.round((Date.parse(made.endsAt) - Date.now()) / 86_400_000)).toBe(7);
    const reader = await RawClient.open({ url: host.url, token: tokenOf(made.link) });
    await reader.request('initialize', { protocolVersion: 2, clientId: 'reader' });
    expect((await reader.stateOf(session)).summary.title).toBe('Fix the login');

    const list = async () => (await run('token', 'ls')).stdout;
    await expect.poll(list, { timeout: 10_000 }).toContain('Link to Fix the login  viewer    used ');
    expect(await list()).toContain(`read-only link to ${session}, until ${made.endsAt}`);
    const { stdout: rotated } = await run('token', 'rotate', 'Link to Fix the login', '--json');
    expect(JSON.parse(rotated)).toMatchObject({ link: expect.stringContaining('#share=') });
    expect(await reader.closed).toMatchObject({ code: 4401 });
    expect(await run('token', 'rm', 'Link to Fix the login')).toMatchObject({ code: 0 });
    expect(await reader.closed).toMatchObject({ code: 4401 });
    expect(await list()).not.toContain('Link to');
  });

  it('takes a time, draws a code, and says how to revoke it', async () => {
    const { code, stdout } = await run('share', session, '--for', '1h', '--qr');
    expect(code).toBe(0);
    expect(stdout).toMatch(/[▀▄█]{10}/);
    expect(stdout).toContain('agenthost token rm "Link to Fix the login"');
    const [device] = (await host.host.deviceTokens.list()).filter(({ shared }) => shared !== undefined);
    expect(Math.round(((device?.shared?.endsAt ?? 0) - Date.now()) / 60_000)).toBe(60);
  });

  it.each(['0m', '31d', '5w', '7', '1y', '-1d', ''])('refuses --for %j', async (time) => {
    expect(await run('share', 'last', `--for=${time}`)).toMatchObject({ code: 2, stdout: '' });
  });

  it('is for owners', async () => {
    const token = await host.host.deviceTokens.add('driver', 'driver');
    await expect.poll(() => host.connect({ token }).then(({ role }) => role, String)).toBe('driver');
    const { code, stderr } = await run('share', 'last', '--token', token);
    expect(code).not.toBe(0);
    expect(stderr).toContain('(role driver)');
  });
});
