import { spawn } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AhpTestClient } from '../support/ahpClient.js';
import { ahpSession, ahpTurn } from '../support/ahpHost.js';
import { type HostProcess, runCli, spawnHost, temporaryFolder } from '../support/testHost.js';

/** Each of them starts several processes. */
const PATIENCE_MS = 120_000;

let stateDir: string;
const hosts: HostProcess[] = [];
beforeAll(async () => {
  stateDir = await temporaryFolder();
});
afterAll(async () => {
  for (const host of hosts) await host.kill('SIGKILL');
  await rm(stateDir, { recursive: true, force: true });
});

async function serve(args: readonly string[], env = {}): Promise<HostProcess> {
  const host = await spawnHost(stateDir, ['--state-dir', stateDir, '--agents', 'mock', ...args], env);
  hosts.push(host);
  return host;
}

const addressOf = (host: HostProcess) => JSON.parse(host.firstLine).ahp;

it(
  'is off by default: none of its code is loaded, none of its paths is served',
  async () => {
    const list = join(stateDir, 'modules.txt');
    const hook = `import { registerHooks } from 'node:module'; import { appendFileSync } from 'node:fs';
    registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context); } });`;
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(hook)}`;
    const loaded = async (args: readonly string[]) => {
      await rm(list, { force: true });
      const host = await serve(args, { NODE_OPTIONS });
      const urls = (await readFile(list, 'utf8')).split('\n');
      return { host, urls: urls.filter((url) => /packages\/ahp\/|ahpRoute/.test(url)) };
    };
    const off = await loaded([]);
    expect(off.urls).toEqual([]);
    expect(off.host.firstLine).not.toContain('ahp');
    await off.host.kill('SIGKILL');
    const on = await loaded(['--ahp']);
    expect(on.urls.length).toBeGreaterThan(10);
    await on.host.kill('SIGKILL');
  },
  PATIENCE_MS,
);

it(
  'prints the address for clients, with a stable token that can be revoked',
  async () => {
    const first = await serve(['--ahp']);
    const { url, path, token } = addressOf(first);
    expect(url).toBe(`ws://127.0.0.1:${first.url.port}/ahp?tkn=${token}`);
    expect(path).toBe('/ahp');
    expect(token).not.toBe(first.token);
    expect((await stat(join(stateDir, 'ahp-token'))).mode & 0o777).toBe(0o600);
    await first.kill('SIGKILL');

    const second = await serve(['--ahp', '--debug']);
    let log = '';
    second.process.stderr?.on('data', (chunk) => {
      log += String(chunk);
    });
    expect(addressOf(second).token).toBe(token);
    const listed = await runCli(['token', 'ls', '--state-dir', stateDir]);
    expect(listed.stdout).toMatch(/VS Code\s+driver/);

    // At the root too: a server of VS Code can be told no path.
    const client = await AhpTestClient.open(`ws://127.0.0.1:${second.url.port}?tkn=${token}`);
    await client.initialize('code', ['0.9.0']);
    const { chat } = await ahpSession(client);
    await client.act(chat, ahpTurn('hello'));
    await client.action('chat/turnComplete');
    await runCli(['token', 'rm', 'VS Code', '--state-dir', stateDir]);
    expect(await client.closed).toMatchObject({ code: 4401 });
    await second.kill('SIGTERM');
    expect(log).not.toContain(token);
    expect(log).toContain('tokens were revoked: VS Code');

    const third = await serve(['--ahp', '--ahp-role', 'viewer']);
    expect(addressOf(third).token).not.toBe(token);
    expect((await runCli(['token', 'ls', '--state-dir', stateDir])).stdout).toMatch(/VS Code\s+viewer/);
    const viewer = await AhpTestClient.open(addressOf(third).url);
    await viewer.initialize('watcher', ['0.9.0']);
    expect(await viewer.refusal('createSession', { channel: 'mock:/not-for-me' })).toMatchObject({ code: -32009 });
    await viewer.end();
    await third.kill('SIGTERM');
  },
  PATIENCE_MS,
);

it(
  'prints it as text too, and refuses an unknown role',
  async () => {
    const cli = join(import.meta.dirname, '../../apps/cli/dist/main.js');
    const child = spawn(
      process.execPath,
      [cli, 'serve', '--ahp', '--agents', 'shell', '--port', '0', '--state-dir', stateDir],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { PATH: process.env['PATH'] ?? '', HOME: stateDir },
      },
    );
    let text = '';
    await new Promise<void>((resolve, reject) => {
      child.on('exit', () => reject(new Error(`the host ended: ${text}`)));
      child.stdout.on('data', (chunk) => {
        text += String(chunk);
        if (text.includes('Ctrl+C stops it.')) resolve();
      });
    });
    const ended = new Promise((resolve) => child.on('exit', resolve));
    child.kill('SIGKILL');
    await ended;
    expect(text).toMatch(/ws:\/\/127\.0\.0\.1:\d+\/ahp\?tkn=\S+/);
    expect(text).toMatch(/--agent-host-bridge-port \d+ --agent-host-bridge-connection-token \S+/);
    const wrong = await runCli(['serve', '--ahp', '--ahp-role', 'king', '--state-dir', stateDir]);
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--ahp-role king is not a role') });
  },
  PATIENCE_MS,
);
