import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestHost, type TestHost } from '../../../test/support/testHost.js';

const CLI = join(import.meta.dirname, '../dist/main.js');

describe('agenthost token pair', () => {
  let host: TestHost;
  const ends: (() => void)[] = [];
  beforeEach(async () => {
    host = await startTestHost({}, { publicUrl: new URL('https://agents.example.org') });
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) end();
    await host.dispose();
  });

  function pair(...flags: readonly string[]) {
    const env = { PATH: process.env['PATH'] ?? '', HOME: host.stateDir, AGENTHOST_HOME: host.stateDir };
    const child = spawn(process.execPath, [CLI, 'token', 'pair', ...flags], { stdio: ['ignore', 'pipe', 'pipe'], env });
    ends.push(() => child.kill('SIGKILL'));
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stderr }));
    return { child, ended, line: async () => String((await lines.next()).value) };
  }

  it('prints a link, and ends when a device has used it', async () => {
    const { line, ended } = pair('--json', '--role', 'viewer');
    const { link, role, words } = JSON.parse(await line()) as Record<string, string>;
    expect([link, role]).toEqual([expect.stringMatching(/^https:\/\/agents\.example\.org\/#pair=/), 'viewer']);
    const headers = { authorization: `Pair ${link?.split('#pair=')[1]}`, 'agenthost-device': 'tablet' };
    const offer = await fetch(new URL('/pair', host.url), { headers });
    expect(await offer.json()).toMatchObject({ role, words });
    expect((await fetch(new URL('/pair', host.url), { method: 'POST', headers })).status).toBe(200);
    expect(JSON.parse(await line())).toEqual({ connected: 'tablet', role: 'viewer' });
    expect((await ended).code).toBe(0);
  });

  it('with --qr draws the link, for an approver unless told otherwise; its end is the end of the code', async () => {
    const { child, line, ended } = pair('--qr');
    const shown: string[] = [];
    for (let text = ''; !text.includes('#pair='); shown.push(text)) text = await line();
    expect(shown.filter((text) => /[▀▄█]{2}/.test(text)).length).toBeGreaterThan(12);
    expect(shown.at(-3)).toContain('as approver');
    const code = shown.at(-1)?.split('#pair=')[1];
    await line();
    expect(await line()).toMatch(/^The device must show: [a-z]+ [a-z]+ \d\d [a-z]+$/);
    child.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, stderr: expect.stringContaining('No device was connected.') });
    const headers = { authorization: `Pair ${code}`, 'agenthost-device': 'tablet' };
    expect((await fetch(new URL('/pair', host.url), { headers })).status).toBe(401);
  });

  it('says so when no host runs', async () => {
    await host.host.close();
    const { ended } = pair();
    expect(await ended).toMatchObject({ code: 4 });
  });
});
