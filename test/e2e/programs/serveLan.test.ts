import { type ChildProcess, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rm, stat } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lanAddresses } from '../../../apps/cli/src/lan/lanAddresses.js';
import { LanNamespace } from '../../support/lanNamespace.js';
import { Terminal } from '../../support/terminal.js';
import { runCli, temporaryFolder } from '../../support/testHost.js';

const CLI = join(import.meta.dirname, '../../../apps/cli/dist/main.js');
const ADDRESS = '192.168.77.5';
const hasLan = lanAddresses(networkInterfaces()).length > 0;

describe('serve --lan', () => {
  it.each([
    ['--tls-cert', 'x.pem'],
    ['--tls-key', 'x.pem'],
    ['--public-url', 'https://x.example.org'],
    ['--insecure-no-tls'],
    ['--database', 'postgres://x/y'],
  ])('refuses %s, which would contradict it', async (...flags) => {
    // A folder of a machine with and without such a network.
    const refused = await runCli(['serve', '--lan', '--port', '0', ...flags]);
    expect([flags, refused.code]).toEqual([flags, flags[0] === '--database' && !hasLan ? 3 : 2]);
  });

  it.runIf(!hasLan)('refuses a machine without an address on a local network, in one sentence', async () => {
    const refused = await runCli(['serve', '--lan', '--port', '0']);
    expect(refused).toMatchObject({ code: 3, stdout: '' });
    expect(refused.stderr).toBe(
      'This machine has no address on a local network (10.x, 172.16.x to 172.31.x or 192.168.x).\n' +
        'Connect it to your network, or use one of the other ways of docs/remote.md.\n',
    );
  });
});

const lan = await LanNamespace.open(ADDRESS);
afterAll(() => lan?.dispose());

// 2026-11-18: needs a network namespace with an interface of its own (Linux, unshare and ip); a container may forbid it.
describe.skipIf(lan === undefined)('serve --lan, on a local network', () => {
  let stateDir: string;
  let host: ChildProcess;
  let listening: {
    url: string;
    link: string;
    fingerprint: string;
    authorityFile: string;
    pairing: { link: string; role: string; words: string };
  };
  const env = () => ({ HOME: stateDir, AGENTHOST_HOME: join(stateDir, 'state') });
  const inside = async (words: string[]) => {
    if (!lan) throw new Error('there is no network');
    return lan.run(words, env());
  };
  /** As a browser on that network. */
  const visit = async (address: string, options: object, code = 'console.log(response.statusCode)') => {
    const script = `require('node:https').get(${JSON.stringify(address)}, ${JSON.stringify(options)}, (response) => { ${code}; process.exit() }).on('error', (error) => console.log(error.code))`;
    return (await inside([process.execPath, '-e', script])).stdout.trim();
  };

  beforeAll(async () => {
    stateDir = await temporaryFolder();
    const [program, args] = lan?.wrap(process.execPath, CLI, 'serve', '--lan', '--json', '--port', '0') ?? ['', []];
    host = spawn(program, args, { env: { PATH: process.env['PATH'], ...env() }, stdio: ['ignore', 'pipe', 'inherit'] });
    if (!host.stdout) throw new Error('no output');
    const [line] = (await once(createInterface({ input: host.stdout }), 'line')) as [string];
    listening = JSON.parse(line) as typeof listening;
  });
  afterAll(async () => {
    const ended = once(host, 'exit');
    host.kill('SIGTERM');
    await ended;
    await rm(stateDir, { recursive: true, force: true });
  });

  it('listens on that address only, with the certificate that it names', async () => {
    const url = new URL(listening.url);
    expect([url.protocol, url.hostname]).toEqual(['https:', ADDRESS]);
    const ca = await readFile(listening.authorityFile, 'utf8');
    expect(await visit(listening.url, { ca })).toBe('200');
    const shown = await visit(
      listening.url,
      { ca },
      'console.log(response.socket.getPeerX509Certificate().fingerprint256)',
    );
    expect(shown).toBe(listening.fingerprint);
    // Who does not trust the authority is warned, and nothing answers elsewhere.
    expect(await visit(listening.url, {})).toMatch(/SELF_SIGNED|UNABLE_TO/);
    expect(await visit(`https://127.0.0.1:${url.port}`, { ca })).toBe('ECONNREFUSED');
    expect(
      await visit(listening.url, { ca, rejectUnauthorized: false, headers: { host: `evil.example.org:${url.port}` } }),
    ).toBe('403');
    expect(await visit(listening.url, { ca, headers: { origin: 'https://evil.example.org' } })).toBe('403');
    expect(new X509Certificate(ca).ca).toBe(true);
    expect((await stat(join(stateDir, 'state/lan/ca.key'))).mode & 0o777).toBe(0o600);
  });

  it('is trusted by the commands of this machine, and by no other command', async () => {
    const { stdout } = await inside([
      process.execPath,
      CLI,
      'send',
      '--new',
      '--agent',
      'shell',
      '--approve',
      'all',
      'echo over the lan',
    ]);
    expect(stdout).toContain('over the lan');
    const { link } = listening;
    const other = { HOME: stateDir, AGENTHOST_HOME: join(stateDir, 'other') };
    const failed = await lan
      ?.run([process.execPath, CLI, 'ls', '--url', link], other)
      .catch((error: { stderr: string }) => error);
    expect(failed?.stderr).toContain('is not trusted here');
  });

  it('prints a code that lets one phone in, once, as an approver; agenthost pair makes another', async () => {
    const { link, role, words } = listening.pairing;
    expect(new URL(link).hostname).toBe(ADDRESS);
    expect(link).not.toContain(new URL(listening.link).hash.slice('#token='.length));
    const ca = await readFile(listening.authorityFile, 'utf8');
    const redeem = async (address: string, method: 'GET' | 'POST') => {
      const headers = { authorization: `Pair ${address.split('#pair=')[1]}`, 'agenthost-device': 'phone' };
      const script = `const request = require('node:https').request(${JSON.stringify(new URL('/pair', listening.url).href)}, ${JSON.stringify({ ca, method, headers })}, async (response) => {
        let text = ''; for await (const piece of response) text += piece;
        console.log(JSON.stringify({ status: response.statusCode, ...JSON.parse(text) })); });
        request.on('error', (error) => console.log(JSON.stringify({ status: error.code }))); request.end();`;
      const { stdout } = await inside([process.execPath, '-e', script]);
      return JSON.parse(stdout) as { status: number; role?: string; words?: string; token?: string; device?: object };
    };
    expect(await redeem(link, 'GET')).toMatchObject({ status: 200, role: 'approver', words });
    const paired = await redeem(link, 'POST');
    expect([paired.status, role]).toEqual([200, 'approver']);
    expect(await redeem(link, 'POST')).toMatchObject({ status: 410, error: 'used' });
    const command = [
      process.execPath,
      CLI,
      'new',
      '--agent',
      'shell',
      '--url',
      listening.url,
      '--token',
      paired.token ?? '',
    ];
    const refused = await inside(command).catch((error: { stderr: string }) => error);
    expect((refused as { stderr: string }).stderr).toContain('(role approver)');

    const [program, args] = lan?.wrap(process.execPath, CLI, 'pair', '--json', '--role', 'viewer') ?? ['', []];
    const pair = spawn(program, args, {
      env: { PATH: process.env['PATH'], ...env() },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: pair.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse(String((await lines.next()).value)) as { link: string };
    expect(await redeem((await next()).link, 'POST')).toMatchObject({ status: 200, device: { role: 'viewer' } });
    expect(await next()).toMatchObject({ role: 'viewer', connected: 'phone' });
  });

  it('prints the link, the code and what the phone says, on a terminal', async () => {
    const [program, args] = lan?.wrap(
      process.execPath,
      CLI,
      'serve',
      '--lan',
      '--port',
      '0',
      '--state-dir',
      join(stateDir, 'second'),
    ) ?? ['', []];
    const terminal = Terminal.program(program, args, { columns: 140, rows: 60, env: env() });
    try {
      await terminal.until(
        'Scan the code',
        '#pair=',
        'It works once',
        `https://${ADDRESS}:`,
        /[▀▄█]{10}/,
        /([0-9A-F]{2}:){31}[0-9A-F]{2}/,
        'Ctrl+C stops it.',
      );
      terminal.type('\u0003');
      expect(await terminal.exited).toBe(0);
    } finally {
      await terminal.dispose();
    }
  });
});
