import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../test/support/cleanups.js';
import { say } from '../../../test/support/say.js';
import { postgresOfFile } from '../../../test/support/storage/postgresOfFile.js';
import { type HostProcess, runCli, spawnHost, startTestHost } from '../../../test/support/testHost.js';

const postgres = postgresOfFile();

const cleanups = cleanupsOfTests();

async function serve(database: string, ...args: readonly string[]): Promise<HostProcess> {
  const stateDir = await cleanups.folder();
  const host = await spawnHost(stateDir, ['--state-dir', stateDir, '--database', database, '--lease', '1', ...args]);
  cleanups.push(() => host.kill('SIGKILL'));
  return host;
}

/** A state folder with one session. */
async function filled(): Promise<string> {
  const stateDir = await cleanups.folder();
  const host = await startTestHost({ stateDir });
  const session = await (await host.connect()).createSession({ provider: 'mock' });
  await session.ready();
  await say(session, 'echo a needle in the hay');
  await session.rename('The moved one');
  await host.host.deviceTokens.add('phone', 'viewer');
  await host.dispose();
  return stateDir;
}

describe('agenthost move', () => {
  it('copies a folder into a database, where the next host lists it and finds its words, and out again', async () => {
    const [source, target, database] = [
      await filled(),
      join(await cleanups.folder(), 'new'),
      await postgres.server.newDatabase(),
    ];
    expect(await runCli(['move', '--from', source, '--to', database])).toEqual({
      code: 0,
      stdout: `1 session was copied to ${database}, 1 device token and 0 trusted folders as well.\n`,
      stderr: '',
    });
    const host = await serve(database);
    const at = ['--url', host.url.origin, '--token', host.token];
    await expect.poll(async () => (await runCli(['ls', ...at])).stdout, { timeout: 20_000 }).toContain('The moved one');
    expect((await runCli(['search', 'needle', ...at])).stdout).toContain('needle');
    const busy = await runCli(['move', '--from', database, '--to', target, '--lease', '2']);
    expect(busy).toMatchObject({ code: 1, stdout: '' });
    expect(busy.stderr).toContain(`A host uses this database: ${hostname()} (${host.url.href})`);
    // Silent, but it may go on.
    host.process.kill('SIGSTOP');
    const stopped = await runCli(['move', '--from', database, '--to', target, '--lease', '1']);
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining('A host uses this database') });
    host.process.kill('SIGCONT');
    host.process.kill('SIGTERM');
    await once(host.process, 'exit');
    const back = await runCli(['move', '--from', database, '--to', target, '--json']);
    expect(JSON.parse(back.stdout)).toMatchObject({ copied: 1, same: 0, refused: [], tokens: { added: 1 } });
  });

  it('names a session that is there with other bytes, and exits with 1', async () => {
    const [source, database] = [await filled(), await postgres.server.newDatabase()];
    await runCli(['move', '--from', source, '--to', database]);
    const { stdout } = await runCli(['doctor', '--json', '--state-dir', source]);
    expect(stdout).toContain('logs of 1 sessions');
    const [id = ''] = await readdir(join(source, 'session-state'));
    await writeFile(join(source, 'session-state', id, 'more'), 'x');
    const refused = await runCli(['move', '--from', source, '--to', database]);
    expect(refused).toMatchObject({ code: 1, stderr: `${id} is there with another more: it was left as it is.\n` });
  });

  it('ends at a signal, and gives both sides free', async () => {
    const [source, database] = [await filled(), await postgres.server.newDatabase()];
    const cli = join(import.meta.dirname, '../dist/main.js');
    const user = await serve(database);
    user.process.kill('SIGSTOP');
    const child = spawn(process.execPath, [cli, 'move', '--from', source, '--to', database, '--lease', '60'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', HOME: source },
    });
    const [said] = (await once(child.stderr, 'data')) as [Buffer];
    expect(String(said)).toBe(`Waiting to see whether ${hostname()} (${user.url.href}) still runs.\n`);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([143, null]);
    await user.kill('SIGKILL');
    expect(await runCli(['move', '--from', source, '--to', database])).toMatchObject({ code: 0, stderr: '' });
  });

  it('says what to do about wrong arguments', async () => {
    const source = await filled();
    for (const [args, what] of [
      [['--from', source], 'Say what to copy, and where to.'],
      [['--from', source, '--to', 'mysql://u:secret@h/d'], '--to mysql://u:…@h/d is not the address of a database.'],
      [['--from', source, '--to', source], 'Both sides are the same.'],
      [['--from', join(source, 'no'), '--to', source], 'is not a state folder.'],
      [['--from', source, '--to', 'x', '--lease', '0'], '--lease 0 is not a time.'],
    ] as const) {
      const { code, stderr } = await runCli(['move', ...args]);
      expect(stderr).toContain(what);
      expect(stderr).not.toContain('secret');
      expect(code).toBeGreaterThan(0);
    }
  });
});

describe('agenthost token with a database', () => {
  it('shows, adds, lists, rotates and removes tokens that all hosts accept', async () => {
    const database = await postgres.server.newDatabase();
    const token = (...args: readonly string[]) => runCli(['token', ...args, '--database', database]);
    expect(await token('show')).toMatchObject({ code: 6, stderr: expect.stringContaining('There is no token in') });
    const added = await token('add', '--name', 'phone', '--role', 'viewer', '--json');
    const phone = (JSON.parse(added.stdout) as { token: string }).token;
    const host = await serve(database);
    expect((await runCli(['token', 'show'], { AGENTHOST_DATABASE: database })).stdout).toBe(`${host.token}\n`);
    const ls = (use: string) => runCli(['ls', '--url', host.url.origin, '--token', use]);
    expect((await token('ls')).stdout).toMatch(/^the host's own +owner +never used\nphone +viewer +never used\n$/);
    expect(await ls(phone)).toMatchObject({ code: 0 });
    expect(await ls(host.token)).toMatchObject({ code: 0 });
    await expect
      .poll(async () => (await token('ls')).stdout, { timeout: 10_000 })
      .toMatch(/^the host's own +owner +used .*ago\nphone +viewer +used .*ago\n$/);
    const rotated = (await token('rotate')).stdout.trim();
    await expect.poll(async () => (await ls(rotated)).code, { timeout: 10_000 }).toBe(0);
    expect(await ls(host.token)).toMatchObject({ code: 5 });
    expect(await token('rm', 'phone')).toMatchObject({ code: 0, stdout: 'phone is out.\n' });
    await expect.poll(async () => (await ls(phone)).code, { timeout: 10_000 }).toBe(5);
    expect(await token('rm', 'phone')).toMatchObject({ code: 6 });
  });

  it('keeps to the folder that --state-dir names', async () => {
    const [stateDir, database] = [await filled(), await postgres.server.newDatabase()];
    const env = { AGENTHOST_DATABASE: database };
    expect((await runCli(['token', 'ls', '--state-dir', stateDir], env)).stdout).toContain('phone');
    expect((await runCli(['token', 'ls'], env)).stdout).not.toContain('phone');
    expect(await runCli(['token', 'ls', '--state-dir', stateDir, '--database', database])).toMatchObject({ code: 2 });
  });
});

describe('agenthost cluster and doctor', () => {
  it('show the hosts of a database, and whether they are alive', async () => {
    const database = await postgres.server.newDatabase();
    const status = (...args: readonly string[]) => runCli(['cluster', 'status', '--database', database, ...args]);
    expect(await status()).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('No host has used this database'),
    });
    const stateDir = await cleanups.folder();
    const checks = async () => {
      const { stdout } = await runCli(['doctor', '--json', '--state-dir', stateDir, '--database', database]);
      const { findings } = JSON.parse(stdout) as { findings: { check: string; level: string; what: string }[] };
      return findings.filter(({ check }) => check === 'database').map(({ level, what }) => `${level}: ${what}`);
    };
    expect(await checks()).toEqual([
      expect.stringMatching(/^ok: PostgreSQL \d+.* answers at postgres:\/\/agenthost@127/),
      'ok: It has no tables of agenthost yet; the first agenthost serve --database makes them.',
      'ok: fsync and synchronous_commit are on.',
      'ok: No host runs on it.',
    ]);
    const host = await serve(database, '--place', 'office');
    const session = ['new', '--url', host.url.origin, '--token', host.token, '--agent', 'mock'];
    expect(await runCli(session)).toMatchObject({ code: 0 });
    const known = { machine: hostname(), place: 'office', url: host.url.href, draining: false, sessions: 1 };
    expect(JSON.parse((await status('--json')).stdout)).toMatchObject({ hosts: [{ ...known, beats: true }] });
    const sound = [
      expect.stringMatching(/^ok: Its schema is version \d+\.$/),
      'ok: fsync and synchronous_commit are on.',
    ];
    const alive = expect.stringMatching(/^ok: The host .* is alive; sessions it has open: 1\.$/);
    expect((await checks()).slice(1)).toEqual([...sound, alive]);
    const drained = await runCli(['cluster', 'drain', host.url.origin, '--database', database]);
    expect(drained).toMatchObject({ code: 0, stdout: expect.stringContaining('drains.') });
    host.process.kill('SIGSTOP');
    expect((await status()).stdout).toMatch(/office +\S+ +http:\/\/127.0.0.1:\d+\/ +\d sessions? +silent, draining\n$/);
    const silent = expect.stringMatching(/^warning: The host .* has not said within 3 s that it is alive\.$/);
    expect((await checks()).slice(1)).toEqual([...sound, silent]);
  });

  it('say what is wrong with a database', async () => {
    const nowhere = 'postgres://agenthost@127.0.0.1:1/x';
    const status = await runCli(['cluster', 'status', '--database', nowhere]);
    expect(status).toMatchObject({ code: 1, stderr: expect.stringContaining("can't be reached") });
    expect(await runCli(['cluster', 'status'])).toMatchObject({ code: 2 });
    expect(await runCli(['cluster', 'fly', '--database', nowhere])).toMatchObject({ code: 2 });
    const doctor = await runCli(['doctor', '--state-dir', await cleanups.folder(), '--database', nowhere]);
    expect(doctor).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/× database: The database .* can't be reached/),
    });
  });
});
