import { once } from 'node:events';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { connect } from '@agenthost/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HostProcess, runCli, spawnHost, temporaryFolder } from '../../support/testHost.js';

const TOKEN = 'a-token-that-is-long-enough-for-us';

describe('agenthost serve', () => {
  let folder: string;
  const running: HostProcess[] = [];

  beforeAll(async () => {
    folder = await temporaryFolder();
    await writeFile(join(folder, 'file'), 'not a folder');
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((host) => host.kill('SIGKILL')));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function spawned(...of: Parameters<typeof spawnHost>): Promise<HostProcess> {
    const host = await spawnHost(...of);
    running.push(host);
    return host;
  }

  /** One line of what, one of what to do, and nothing else. */
  async function failure(args: readonly string[], env?: Record<string, string>) {
    const { code, stdout, stderr } = await runCli(['serve', ...args], env);
    const [what, whatToDo, ...rest] = stderr.split('\n');
    expect({ stdout, rest }).toEqual({ stdout: '', rest: [''] });
    return { code, what, whatToDo };
  }

  const inFolder = (name: string) => ['--state-dir', join(folder, name), '--port', '0'];
  const chooseAnother = 'Choose another with --state-dir or $AGENTHOST_HOME.';

  describe('says why it can not start, what to do, and exits with 3', () => {
    it('when the port is in use', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      expect(await failure(['--state-dir', join(folder, 'a'), '--port', `${port}`])).toEqual({
        code: 3,
        what: `Port ${port} on 127.0.0.1 is in use.`,
        whatToDo:
          'Is agenthost running already? If not, choose another port with --port, or any free one with --port 0.',
      });
      other.close();
    });

    it('when the address does not belong to this machine', async () => {
      expect(await failure([...inFolder('a'), '--host', '192.0.2.1', '--insecure-no-tls'])).toEqual({
        code: 3,
        what: '192.0.2.1 is not an address of this machine.',
        whatToDo: 'Leave --host out to listen on 127.0.0.1.',
      });
    });

    it.each([
      ['is a file', 'file', 'there is a file of that name (EEXIST)'],
      ['is below a file', 'file/below', 'a part of its path is a file, not a folder (ENOTDIR)'],
    ])('when the state folder %s', async (_what, name, reason) => {
      expect(await failure(inFolder(name))).toEqual({
        code: 3,
        what: `The state folder ${join(folder, name)} can't be used: ${reason}.`,
        whatToDo: chooseAnother,
      });
    });

    it('when the state folder can not be created', async () => {
      const { code, what, whatToDo } = await failure(['--state-dir', '/proc/agenthost']);
      expect({ code, whatToDo }).toEqual({ code: 3, whatToDo: chooseAnother });
      expect(what).toMatch(/^The state folder \/proc\/agenthost can't be used: .*\.$/);
    });

    it('when another host uses the state folder: it says which', async () => {
      const stateDir = join(folder, 'taken');
      const host = await spawned(stateDir);
      const { code, what, whatToDo } = await failure(inFolder('taken'));
      expect({ code, whatToDo }).toEqual({ code: 3, whatToDo: chooseAnother });
      expect(what).toContain(
        `The state folder ${stateDir} can't be used: another host runs here: process ${host.pid},`,
      );
      expect(what).toContain(host.url.href);
      const client = await connect({ url: host.url, token: host.token });
      await client.ping();
      client.close();
    });

    it('when the state folder is of a newer version', async () => {
      await mkdir(join(folder, 'newer'), { mode: 0o700 });
      await writeFile(join(folder, 'newer', 'version'), '99\n');
      const { code, what, whatToDo } = await failure(inFolder('newer'));
      expect({ code, whatToDo }).toEqual({ code: 3, whatToDo: chooseAnother });
      expect(what).toContain('newer agenthost');
    });

    it('when the token is weak', async () => {
      for (const token of ['short', `${'x'.repeat(30)} with spaces`]) {
        expect(await failure(inFolder('a'), { AGENTHOST_TOKEN: token })).toEqual({
          code: 3,
          what: 'The token in $AGENTHOST_TOKEN is too weak: it needs at least 22 characters out of A–Z, a–z, 0–9 and -._~.',
          whatToDo: 'Remove it to have one made, or make one with: openssl rand -hex 32',
        });
      }
    });

    it.each(['file', 'none'])('when the certificate can not be used: %s', async (name) => {
      const path = join(folder, name);
      const { code, what } = await failure([...inFolder('a'), '--tls-cert', path, '--tls-key', path]);
      expect(code).toBe(3);
      expect(what).toContain(path);
    });
  });

  describe('exits with 2 for invalid usage', () => {
    it.each([
      [['--no-such-flag'], "Unknown option '--no-such-flag'."],
      [['stray'], "Unexpected argument 'stray'."],
      [['--port', 'http'], '--port http is not a port.'],
      [['--port', '65536'], '--port 65536 is not a port.'],
      [['--drain', '5'], '--drain is for hosts that share a database.'],
      [['--link-url', 'https://a.example.org'], '--link-url is for hosts that share a database.'],
      [['--database', 'postgres://x', '--drain', 'soon'], '--drain soon is not a time.'],
      [['--database', 'postgres://x', '--drain', '90000'], '--drain 90000 is not a time.'],
      [['--database', 'postgres://x', '--link-url', 'a:1'], '--link-url a:1 is not an http or https address.'],
      [['--durability', 'maybe'], '--durability maybe is not a level.'],
      [['--agents', 'nobody'], 'There is no agent "nobody".'],
      [['--public-url', 'here'], '--public-url here is not an http or https address.'],
      [['--allow-origin', 'https://x.org/path'], '--allow-origin https://x.org/path is not an origin.'],
      [['--tls-cert', '/x'], 'TLS needs both a certificate and a key.'],
      [
        ['--host', '0.0.0.0'],
        '0.0.0.0 can be reached from other machines, and without TLS anybody on the way could read the token.',
      ],
    ])('%j', async (args, what) => {
      expect(await failure([...args, '--state-dir', join(folder, 'never')])).toMatchObject({ code: 2, what });
      expect(await readdir(folder)).not.toContain('never');
    });

    it('an unknown command', async () => {
      expect(await runCli(['dance'])).toEqual({
        code: 2,
        stdout: '',
        stderr: 'There is no command "dance".\nSee agenthost --help for what there is.\n',
      });
    });
  });

  it('prints its help', async () => {
    expect(await runCli(['--help'])).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('serve') });
    expect(await runCli(['serve', '--help'])).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('--insecure-no-tls'),
    });
    expect(await runCli(['--version'])).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^\d+\./) });
  });

  it('--json prints the address in its first line, and all files are private', async () => {
    const stateDir = join(folder, 'fresh');
    const host = await spawned(stateDir);
    expect(JSON.parse(host.firstLine)).toEqual({
      event: 'listening',
      url: host.url.origin,
      link: `${host.url.origin}/#token=${host.token}`,
      pid: host.process.pid,
      instanceId: expect.any(String),
      stateDir,
    });
    expect(host.token).toMatch(/^[\w-]{43}$/);
    const mode = async (...path: string[]) => ((await stat(join(stateDir, ...path))).mode & 0o777).toString(8);
    expect([await mode(), await mode('token')]).toEqual(['700', '600']);
    for (const name of await readdir(stateDir)) expect([name, (await mode(name)).slice(1)]).toEqual([name, '00']);
    expect(await host.kill('SIGINT')).toEqual({ code: 0, signal: null });
    expect(await readdir(stateDir)).not.toContain('host.lock');
  });

  it('uses $AGENTHOST_HOME and $AGENTHOST_TOKEN', async () => {
    const stateDir = join(folder, 'home');
    const host = await spawned(folder, [], { AGENTHOST_HOME: stateDir, AGENTHOST_TOKEN: TOKEN });
    expect(JSON.parse(host.firstLine)).toMatchObject({ stateDir, link: `${host.url.origin}/#token=${TOKEN}` });
    const client = await connect({ url: host.url, token: TOKEN });
    await client.ping();
    client.close();
    expect(await readdir(stateDir)).not.toContain('token');
  });

  it('listens on another loopback address on request', async () => {
    const stateDir = join(folder, 'other');
    const host = await spawned(stateDir, ['--state-dir', stateDir, '--host', '127.0.0.2']);
    expect(host.url.hostname).toBe('127.0.0.2');
  });
});
