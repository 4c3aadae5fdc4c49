import { execFileSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { silentLog, Worktrees } from '@agenthost/host/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, startTestHost, type TestHost, temporaryFolder } from '../../../test/support/testHost.js';
import { until } from '../../../test/support/until.js';

interface Finding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'problem';
  readonly what: string;
  readonly fix?: string;
  readonly fixable: boolean;
  readonly mended?: boolean;
}

describe('agenthost doctor', () => {
  let stateDir: string;
  let sessionId: string;

  beforeEach(async () => {
    stateDir = await temporaryFolder();
    const host = await startTestHost({ stateDir });
    const session = await (await host.connect()).createSession({ provider: 'mock' });
    await session.ready();
    await session.rename('Patient');
    await session.send('hello');
    await until(session.confirmed, ({ turns }) => turns.length === 1, 'a turn');
    sessionId = session.uri.slice('mock:/'.length);
    await host.dispose();
  });
  afterEach(() => rm(stateDir, { recursive: true, force: true }));

  const log = () => join(stateDir, 'session-state', sessionId, 'events.jsonl');

  async function examine(
    ...flags: readonly string[]
  ): Promise<{ code: number | null; wrong: Finding[]; all: Finding[] }> {
    const { code, stdout } = await runCli(['doctor', '--json', '--state-dir', stateDir, ...flags]);
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    // Another test's host may have the default port.
    return { code, wrong: findings.filter(({ level, check }) => level !== 'ok' && check !== 'port'), all: findings };
  }

  it('finds no problem in a healthy folder', async () => {
    const { code, wrong, all } = await examine();
    expect({ code, wrong }).toEqual({ code: 0, wrong: [] });
    const checks = new Set(all.map(({ check }) => check));
    expect([...checks]).toEqual(['node', 'port', 'state folder', 'disk', 'token', 'host', 'index', 'logs']);
  });

  it('checks the running host and its agents', async () => {
    const host: TestHost = await startTestHost({ stateDir });
    const { code, all } = await examine();
    await host.dispose();
    expect(code).toBe(0);
    expect(all.filter(({ check }) => check === 'host' || check === 'agents').map(({ what }) => what)).toEqual([
      expect.stringContaining(`answers at ${host.url.origin}`),
      expect.stringContaining('Mock (mock)'),
      expect.stringContaining('Shell (shell)'),
    ]);
  });

  it.each([
    [
      'a state folder that is open to others',
      async () => chmod(stateDir, 0o755),
      'state folder',
      'open to other users (mode 755)',
    ],
    [
      'a token that others can read',
      async () => chmod(join(stateDir, 'token'), 0o644),
      'token',
      'open to other users (mode 644)',
    ],
    [
      'tokens of devices that others can read',
      async () => writeFile(join(stateDir, 'tokens.json'), '{"tokens":[]}', { mode: 0o644 }),
      'token',
      'tokens.json is open to other users',
    ],
    [
      'an index that is none',
      async () => writeFile(join(stateDir, 'index.sqlite'), 'x'.repeat(5_000)),
      'index',
      'damaged',
    ],
    ['a log with a torn end', async () => appendFile(log(), '{"v":1,"n":'), 'logs', 'its end is torn'],
    [
      'a log with a broken line',
      async () => {
        const text = await readFile(log(), 'utf8');
        await writeFile(log(), text.replace('Patient', 'Patienz'));
      },
      'logs',
      '(the checksum does not match)',
    ],
  ] as const)('finds and fixes %s', async (_what, damage, check, what) => {
    await damage();
    const found = await examine();
    expect(found.code).toBe(1);
    expect(found.wrong).toMatchObject([
      { check, level: 'problem', what: expect.stringContaining(what), fixable: true },
    ]);
    expect(found.wrong[0]?.fix).toMatch(/.{20}/);
    const mended = await examine('--fix');
    expect(mended.code).toBe(0);
    expect(mended.wrong).toMatchObject([{ check, mended: true }]);
    const after = await examine();
    expect({ code: after.code, problems: after.wrong.filter(({ level }) => level === 'problem') }).toEqual({
      code: 0,
      problems: [],
    });
    // Nothing was lost by it.
    const host = await startTestHost({ stateDir });
    const session = await (await host.connect()).openSession(`mock:/${sessionId}`);
    expect(session.confirmed.value.turns).toMatchObject([{ userMessage: { text: 'hello' } }]);
    await host.dispose();
  });

  it('does not change files that a running host has open', async () => {
    const host = await startTestHost({ stateDir });
    await appendFile(log(), 'not a record\n');
    const { wrong } = await examine('--fix');
    await host.dispose();
    expect(wrong).toMatchObject([{ check: 'logs', fixable: false, fix: expect.stringContaining('Stop the host') }]);
    expect(await readFile(log(), 'utf8')).toContain('not a record');
  });

  it('says what to do about problems that it can not fix', async () => {
    await writeFile(join(stateDir, 'token'), 'weak');
    expect((await examine('--fix')).wrong).toMatchObject([
      { check: 'token', fix: expect.stringContaining('token rotate') },
    ]);
    await rm(join(stateDir, 'token'));
    await writeFile(join(stateDir, 'tokens.json'), '{"tokens":[{"role":"king"}]}', { mode: 0o600 });
    expect((await examine('--fix')).wrong).toMatchObject([
      {
        check: 'token',
        what: expect.stringContaining('No device is let in'),
        fix: expect.stringContaining('token add'),
      },
    ]);
    await writeFile(join(stateDir, 'file'), '');
    const { code, stdout } = await runCli(['doctor', '--state-dir', join(stateDir, 'file')]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/× state folder: .* is a file, not a folder\.\n {4}Move it away/);
  });

  it('accepts a folder that does not exist yet', async () => {
    const { code, stdout } = await runCli(['doctor', '--state-dir', join(stateDir, 'not-yet')]);
    expect(code).toBe(0);
    expect(stdout).toContain('is not there yet');
    expect(await readdir(stateDir)).not.toContain('not-yet');
  });

  it('finds a log that was cut at any byte, unless it is whole', async () => {
    const { size } = await stat(log());
    const bytes = await readFile(log());
    for (const cut of [size - 1, size - 10, Math.floor(size / 2)]) {
      await writeFile(log(), bytes);
      await truncate(log(), cut);
      expect((await examine()).wrong).toMatchObject([{ check: 'logs', what: expect.stringContaining('torn') }]);
    }
  });

  it('finds worktrees that no session works in, and removes those with which nothing is lost', async () => {
    const root = await temporaryFolder();
    const repository = join(root, 'app');
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=M', '-c', 'user.email=m@example.org', ...args], {
        cwd: repository,
        encoding: 'utf8',
      });
    await mkdir(repository);
    git('init', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    const host = await startTestHost({ stateDir });
    const session = await (await host.connect()).createSession({
      provider: 'mock',
      workingDirectory: pathToFileURL(repository).href,
      config: { isolation: { kind: 'worktree', branch: 'used' } },
    });
    await session.ready();
    await host.dispose();
    // As hosts leave them that are killed before the session is stored.
    const worktrees = new Worktrees({ stateDir, env: process.env, log: silentLog });
    const make = async (branch: string) => (await worktrees.make(branch, repository, { branch })).worktree.path;
    const [empty, gone, full] = [await make('empty'), await make('gone'), await make('full')];
    await rm(gone, { recursive: true });
    await writeFile(join(full, 'new.txt'), 'work of an hour');
    expect((await examine()).wrong).toEqual([]);
    const longAgo = new Date(Date.now() - 3_600_000);
    const records = join(stateDir, 'worktrees/app');
    for (const name of await readdir(records)) await utimes(join(records, name), longAgo, longAgo);
    expect((await examine()).wrong).toMatchObject([
      { check: 'worktrees', level: 'warning', what: expect.stringContaining(empty), fixable: true },
      { check: 'worktrees', level: 'warning', what: expect.stringContaining(gone), fixable: true },
    ]);
    const { code, all } = await examine('--fix');
    expect(code).toBe(0);
    const kept = all.filter(({ check, level }) => check === 'worktrees' && level === 'ok');
    expect(kept.map(({ what }) => what)).toEqual([expect.stringContaining('1 file that no commit has')]);
    expect(await readFile(join(full, 'new.txt'), 'utf8')).toBe('work of an hour');
    const branches = git('branch', '--format=%(refname:short)').trim().split('\n');
    expect(branches).toEqual(['full', 'main', 'used']);
    expect((await readdir(records)).sort()).toHaveLength(4);
    await rm(root, { recursive: true, force: true });
  });
});
