import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { cleanupsOfTests } from '../../../test/support/cleanups.js';
import { postgresOfFile } from '../../../test/support/storage/postgresOfFile.js';
import { runCli, spawnHost, startTestHost } from '../../../test/support/testHost.js';

const postgres = postgresOfFile();

const cleanups = cleanupsOfTests();

const PASSWORD = 'hunter2';
const WARNING = /Every user of this machine can see the password in --(?:database|to|from): give it in PGPASSWORD, /;
const withPassword = (address: string, password = PASSWORD) => address.replace('agenthost@', `agenthost:${password}@`);

/** Every command that takes a database. */
async function commands(database: string): Promise<string[][]> {
  const stateDir = await cleanups.folder();
  await (await startTestHost({ stateDir })).dispose();
  return [
    ['serve', '--state-dir', stateDir, '--port', '0', '--database', database],
    ['move', '--from', stateDir, '--to', database],
    ['move', '--from', database, '--to', stateDir],
    ['token', 'ls', '--database', database],
    ['cluster', 'status', '--database', database],
    ['doctor', '--state-dir', stateDir, '--database', database],
  ];
}

describe('a password in the address of a database', () => {
  it('is warned of in one line when it is an argument, and nowhere printed when all goes well', async () => {
    const address = withPassword(await postgres.server.newDatabase());
    for (const args of (await commands(address)).slice(1)) {
      const { stdout, stderr } = await runCli([...args, '--debug']);
      expect(stderr.split('\n').filter((line) => WARNING.test(line))).toHaveLength(1);
      expect(stdout + stderr).not.toContain(PASSWORD);
    }
    for (const args of [
      ['token', 'ls'],
      ['cluster', 'status'],
      ['doctor', '--state-dir', await cleanups.folder()],
    ]) {
      const { stdout, stderr } = await runCli(args, { AGENTHOST_DATABASE: address });
      expect(stdout + stderr).not.toContain(PASSWORD);
      expect(stderr).not.toMatch(WARNING);
    }
  });

  it('is in no line of a host with --debug, also while the database is away', async () => {
    const [stateDir, address] = [await cleanups.folder(), withPassword(await postgres.server.newDatabase())];
    const args = ['--state-dir', stateDir, '--database', address, '--lease', '1', '--debug'];
    const host = await spawnHost(stateDir, args);
    cleanups.push(() => host.kill('SIGKILL'));
    await postgres.server.stop();
    await expect.poll(() => host.errors(), { timeout: 20_000 }).toContain('could not be told that this host is alive');
    await postgres.server.run();
    expect(host.errors()).toMatch(WARNING);
    await host.kill('SIGTERM');
    expect(host.errors() + host.firstLine).not.toContain(PASSWORD);
  });

  it.each([
    ['nobody listens', PASSWORD, 'reached'],
    ['the address makes no sense because of it', `a/${PASSWORD}`, 'is not the address of a database'],
  ])('is in no error when %s', async (_, password, error) => {
    for (const args of await commands(withPassword('postgres://agenthost@127.0.0.1:1/x', password))) {
      const { code, stdout, stderr } = await runCli([...args, '--debug']);
      expect(code).toBeGreaterThan(0);
      expect(stdout + stderr).toContain(error);
      expect(stdout + stderr).not.toContain(PASSWORD);
    }
  });
});

describe('the driver of the database', () => {
  const HOOK = `import{registerHooks}from"node:module";registerHooks({load(url,context,next){if(/node_modules\\/pg\\//.test(url))process.stderr.write("loads pg\\n");return next(url,context)}})`;

  async function run(args: readonly string[]): Promise<string> {
    const cli = join(import.meta.dirname, '../dist/main.js');
    const hook = `data:text/javascript,${encodeURIComponent(HOOK)}`;
    const child = spawn(process.execPath, ['--import', hook, cli, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', HOME: await cleanups.folder() },
    });
    const [errors] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    return errors;
  }

  it('is loaded by no command that does not use one', async () => {
    const host = await startTestHost();
    cleanups.push(() => host.dispose());
    const address = ['--url', host.url.origin, '--token', host.token];
    for (const args of [['ls', ...address], ['token', 'ls'], ['doctor'], ['cluster', '--help'], ['serve', '--help']]) {
      expect(await run(args)).not.toContain('loads pg');
    }
    expect(await run(['cluster', 'status', '--database', await postgres.server.newDatabase()])).toContain('loads pg');
  });
});
