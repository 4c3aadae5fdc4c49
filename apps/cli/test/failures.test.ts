import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, startTestHost, type TestHost, temporaryFolder } from '../../../test/support/testHost.js';

const GONE = 'mock:/11111111-1111-4111-8111-111111111111';

/** Every command that talks to a host, with what it needs; `SESSION` is put in. */
const HOST_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  ls: [],
  new: ['--agent', 'mock'],
  send: ['SESSION', 'hello'],
  log: ['SESSION'],
  search: ['hello'],
  fork: ['SESSION'],
  rename: ['SESSION', 'title'],
  share: ['SESSION'],
  pair: [],
  archive: ['SESSION'],
  rm: ['--yes', 'SESSION'],
  export: ['SESSION'],
  import: ['EXPORT'],
};
const SESSION_COMMANDS = Object.entries(HOST_COMMANDS).filter(([, args]) => args.includes('SESSION'));

describe('a failure is one line with what happened and one with what to do, on standard error, without a stack', () => {
  let host: TestHost;
  let empty: string;
  let exported: string;

  beforeAll(async () => {
    [host, empty] = [await startTestHost(), await temporaryFolder()];
    exported = join(empty, 'export.json');
    const session = { resource: 'mock:/x', provider: 'mock', title: '', createdAt: 1 };
    const header = JSON.stringify({ format: 'agenthost-session', version: 1, session }).slice(0, -1);
    await writeFile(exported, `${header},"turns":[\n]}\n`);
  });
  afterAll(async () => {
    await host.dispose();
    await rm(empty, { recursive: true, force: true });
  });

  const argsOf = (args: readonly string[]) =>
    args.map((arg) => (arg === 'SESSION' ? GONE : arg === 'EXPORT' ? exported : arg));

  async function failure(args: readonly string[], env: Record<string, string>) {
    const { code, stdout, stderr } = await runCli(args, env);
    const [what = '', whatToDo = '', ...rest] = stderr.split('\n');
    expect({ stdout, rest, stderr }).toEqual({ stdout: '', rest: [''], stderr });
    expect(what.length).toBeGreaterThan(10);
    expect(whatToDo).toMatch(/^[A-Z].{9}/);
    expect(stderr).not.toMatch(/^\s+at |node:internal|\.js:\d/m);
    return { code, what, whatToDo };
  }

  it.each(Object.entries(HOST_COMMANDS))('%s without a host', async (name, args) => {
    const { code, what, whatToDo } = await failure([name, ...argsOf(args)], { AGENTHOST_HOME: empty });
    expect({ code, what }).toEqual({ code: 4, what: `No host runs here: none is noted in ${empty}.` });
    expect(whatToDo).toContain('agenthost serve');
  });

  it.each(Object.entries(HOST_COMMANDS))('%s with a wrong token', async (name, args) => {
    const env = { AGENTHOST_HOME: host.stateDir, AGENTHOST_TOKEN: 'w'.repeat(40) };
    const { code, what, whatToDo } = await failure([name, ...argsOf(args)], env);
    expect({ code, what }).toEqual({ code: 5, what: `The host at ${host.url.origin} refused the token.` });
    expect(whatToDo).toContain('agenthost token show');
  });

  it.each(SESSION_COMMANDS)('%s of a session that no longer exists', async (name, args) => {
    const { code, whatToDo } = await failure([name, ...argsOf(args)], { AGENTHOST_HOME: host.stateDir });
    expect(code).toBe(6);
    expect(whatToDo).toContain('agenthost ls');
  });

  it('a host that was killed, one that hangs, another server, an invalid address', async () => {
    const killed = await temporaryFolder();
    const holder = { pid: 2 ** 22 - 1, startedAt: 1, instanceId: 'x', machine: 'm', url: 'http://127.0.0.1:9/' };
    await writeFile(join(killed, 'host.lock'), JSON.stringify(holder));
    await writeFile(join(killed, 'token'), 't'.repeat(40));
    expect(await failure(['ls'], { AGENTHOST_HOME: killed })).toMatchObject({
      code: 4,
      what: expect.stringContaining('nothing listens'),
    });
    await rm(killed, { recursive: true });
    const stranger = createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi')).listen(
      0,
      '127.0.0.1',
    );
    await once(stranger, 'listening');
    const { port } = stranger.address() as { port: number };
    const at = (url: string) => failure(['ls', '--url', url, '--token', 't'.repeat(40)], { AGENTHOST_HOME: empty });
    expect(await at(`http://127.0.0.1:${port}`)).toMatchObject({
      code: 4,
      what: expect.stringContaining('answered 200'),
    });
    stranger.close();
    expect(await at('not an address')).toMatchObject({ code: 2 });
    expect(await failure(['ls', '--url', host.url.href], { AGENTHOST_HOME: empty })).toMatchObject({ code: 5 });
  });

  it('sends the token of the state folder only to its own host', async () => {
    const seen: string[] = [];
    const listener = createServer((socket) => {
      socket.on('data', (data) => {
        seen.push(String(data));
        socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
      });
    }).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as { port: number };
    const env = { AGENTHOST_HOME: host.stateDir };
    expect(await failure(['ls', '--url', `http://127.0.0.1:${port}`], env)).toMatchObject({ code: 5 });
    expect(seen).toEqual([]);
    listener.close();
  });

  it.each([
    [['nonsense'], 'no command "nonsense"'],
    [['ls', '--nonsense'], "Unknown option '--nonsense'"],
    [['ls', '--limit', 'many'], 'not a number of rows'],
    [['ls', '--status', 'happy'], 'not a choice'],
    [['send'], 'session is missing'],
    [['send', 'last'], 'message is missing'],
    [['rename', 'last'], 'title is missing'],
    [['archive'], 'session is missing'],
    [['log'], 'session is missing'],
    [['import'], 'one file'],
    [['token'], 'what to do'],
    [['completion', 'tcsh'], 'no completion for tcsh'],
    [['attach'], 'needs a terminal'],
  ])('%j is a usage error', async (args, what) => {
    const found = await failure(args, { AGENTHOST_HOME: host.stateDir });
    expect(found.code).toBe(2);
    expect(found.what).toContain(what);
  });

  it('shows the stack with --debug', async () => {
    const { stderr } = await runCli(['ls', '--debug'], { AGENTHOST_HOME: empty });
    expect(stderr).toMatch(/^\s+at /m);
  });

  it('missing files', async () => {
    const env = { AGENTHOST_HOME: host.stateDir };
    expect(await failure(['import', '/does/not/exist'], env)).toMatchObject({ code: 1 });
    expect(await failure(['token', 'rotate', '--state-dir', '/does/not/exist'], env)).toMatchObject({ code: 1 });
    expect(await failure(['token', 'show', '--state-dir', empty], env)).toMatchObject({ code: 6 });
  });
});

function mountSmallDisk(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

// 2026-11-15: a disk can be made full only where the tests may mount one, which takes root and Linux.
const disk = await temporaryFolder();
const canMount = mountSmallDisk(disk);
describe.skipIf(!canMount)('on a full disk', () => {
  let host: TestHost;
  let uri: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    const stateDir = join(disk, 'state');
    await mkdir(stateDir);
    host = await startTestHost({ stateDir });
    env = { AGENTHOST_HOME: stateDir };
    const client = await host.connect();
    const session = await client.createSession({ provider: 'mock' });
    await session.ready();
    uri = session.uri;
    const file = await open(join(disk, 'filler'), 'w');
    try {
      for (const size of [65_536, 4_096, 1]) for (;;) await file.write(Buffer.alloc(size));
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    } finally {
      await file.close();
    }
  });
  afterAll(async () => {
    await rm(join(disk, 'filler'), { force: true });
    await host.dispose();
    execFileSync('umount', [disk]);
    await rm(disk, { recursive: true, force: true });
  });

  const long = 'x'.repeat(100_000);
  it.each([
    ['new', () => ['new', '--agent', 'mock']],
    ['send', () => ['send', uri, long]],
    ['fork', () => ['fork', uri]],
    ['export', () => ['export', uri, '-o', join(disk, 'export.md')]],
    ['token', () => ['token', 'rotate']],
  ] as const)('%s says that the disk is full, and exits with 1', async (_name, args) => {
    const { code, stdout, stderr } = await runCli(args(), env);
    const [what, whatToDo, ...rest] = stderr.split('\n');
    expect({ code, stdout, rest }).toEqual({ code: 1, stdout: '', rest: [''] });
    expect(what).toMatch(/disk is full/);
    expect(whatToDo).toMatch(/^Free some space/);
  });

  it('every command reports a full disk when it prints', async () => {
    const cli = join(import.meta.dirname, '../dist/main.js');
    const args = ['--norc', '-c', `"$0" "$1" --help > "$2"`, process.execPath, cli, join(disk, 'out')];
    const outcome = await new Promise<{ code: unknown; stderr: string }>((resolve) => {
      execFile('bash', args, (error, _out, stderr) => resolve({ code: error?.code, stderr }));
    });
    expect(outcome).toEqual({
      code: 1,
      stderr: 'The output could not be written: the disk is full.\nFree some space, then run it again.\n',
    });
  });

  it('doctor reports it too, and reading still works', async () => {
    expect(await runCli(['ls'], env)).toMatchObject({ code: 0 });
    const { code, stdout } = await runCli(['doctor'], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/× disk: Only 0 MiB are free/);
  });
});
if (!canMount) await rm(disk, { recursive: true, force: true });
