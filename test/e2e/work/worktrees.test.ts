import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';

let host: TestHost;
let client: HostClient;
let repository: string;

const IDENTITY = ['-c', 'user.name=Mira', '-c', 'user.email=mira@example.org'];

function git(folder: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: host.stateDir, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...IDENTITY, ...args], { cwd: folder, env, encoding: 'utf8' }).trim();
}

beforeEach(async () => {
  host = await startTestHost();
  client = await host.connect();
  repository = join(await realpath(await temporaryFolder()), 'my project');
  await mkdir(join(repository, 'pkg/sub'), { recursive: true });
  await writeFile(join(repository, 'a.txt'), 'one\n');
  await writeFile(join(repository, 'pkg/sub/b.txt'), 'two\n');
  await writeFile(join(repository, '.gitignore'), '.env\nsecrets/\n');
  git(repository, 'init', '-q', '-b', 'main');
  git(repository, 'add', '.');
  git(repository, 'commit', '-q', '-m', 'first');
});

afterEach(async () => {
  await host.dispose();
  await rm(join(repository, '..'), { recursive: true, force: true });
});

async function isolated(isolation: unknown = 'worktree', folder = repository): Promise<SessionHandle> {
  const session = await client.createSession({
    provider: 'mock',
    workingDirectory: pathToFileURL(folder).href,
    config: { isolation },
  });
  await session.ready();
  return session;
}

const folderOf = (session: SessionHandle) => fileURLToPath(session.confirmed.value.summary.workingDirectory ?? '');
const branches = () => git(repository, 'branch', '--format=%(refname:short)').split('\n');
const left = async () => (await readdir(join(host.stateDir, 'worktrees')).catch(() => [])).length;
const removed = async (session: SessionHandle, worktree?: 'keep' | 'ask' | 'discard') =>
  client.disposeSession(session.uri, worktree && { worktree });

describe('a session with a worktree of its own', () => {
  it('works on a branch of its own, beside others, and leaves the folder as it is', async () => {
    const [one, two] = [await isolated(), await isolated({ kind: 'worktree', branch: 'feature/x' })];
    for (const session of [one, two]) {
      const folder = folderOf(session);
      expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
      await writeFile(join(folder, 'a.txt'), `changed in ${folder}`);
      git(folder, 'commit', '-q', '-a', '-m', 'changed');
    }
    expect(await readFile(join(repository, 'a.txt'), 'utf8')).toBe('one\n');
    expect(git(repository, 'status', '--porcelain')).toBe('');
    expect(branches().sort()).toEqual([expect.stringMatching(/^agenthost\//), 'feature/x', 'main'].sort());
    await expect
      .poll(() => two.confirmed.value.summary.metadata)
      .toMatchObject({
        worktreePath: folderOf(two),
        repositoryPath: repository,
        branch: 'feature/x',
        baseBranchName: 'main',
      });
  });

  it('works in the same folder of it, and begins at the base that was asked for', async () => {
    git(repository, 'branch', 'old');
    await writeFile(join(repository, 'a.txt'), 'newer\n');
    git(repository, 'commit', '-q', '-a', '-m', 'second');
    const session = await isolated({ kind: 'worktree', base: 'old' }, join(repository, 'pkg/sub'));
    expect(await readdir(folderOf(session))).toEqual(['b.txt']);
    expect(await readFile(join(folderOf(session), '../../a.txt'), 'utf8')).toBe('one\n');
    expect(session.confirmed.value.summary.metadata).toMatchObject({ baseBranchName: 'old' });
  });

  it('gets another name where there is such a branch', async () => {
    const wanted = { kind: 'worktree', branch: 'fix' };
    await isolated(wanted);
    await isolated(wanted);
    expect(branches()).toEqual(['fix', 'fix-2', 'main']);
  });

  it('gets the ignored files that are listed for it, and nothing through links', async () => {
    const outside = join(repository, '../outside');
    await mkdir(outside);
    await writeFile(join(repository, '.env'), 'KEY=1');
    await mkdir(join(repository, 'secrets'));
    await writeFile(join(repository, 'secrets/key'), 'secret');
    await writeFile(join(repository, 'secrets/other'), 'not listed');
    await writeFile(join(repository, '.worktreeinclude'), '.env\nsecrets/key\n');
    git(repository, 'checkout', '-q', '-b', 'trap');
    await symlink(outside, join(repository, 'link'));
    git(repository, 'add', '-f', 'link', '.worktreeinclude');
    git(repository, 'commit', '-q', '-m', 'a link');
    await rm(join(repository, 'link'));
    await mkdir(join(repository, 'link'));
    await writeFile(join(repository, 'link/x'), 'through a link');
    await writeFile(join(repository, '.worktreeinclude'), '.env\nsecrets/key\nlink/x\n');
    const folder = folderOf(await isolated());
    expect(await readFile(join(folder, '.env'), 'utf8')).toBe('KEY=1');
    expect(await readdir(join(folder, 'secrets'))).toEqual(['key']);
    expect(await readdir(outside)).toEqual([]);
  });
});

it('trust of a project covers its worktrees', async () => {
  await writeFile(join(repository, '.mcp.json'), JSON.stringify({ mcpServers: { tools: { command: 'true' } } }));
  git(repository, 'add', '.');
  git(repository, 'commit', '-q', '-m', 'a server');
  const asked = await isolated();
  await asked.send('echo one');
  await expect.poll(() => asked.pendingPermissions.value.length).toBe(1);
  const [question] = asked.pendingPermissions.value;
  expect(question?.request.title).toBe('Trust the folder my project?');
  await question?.answer({ approved: true });
  await expect.poll(() => asked.confirmed.value.turns.length).toBe(1);
  expect(await readFile(join(host.stateDir, 'trust.json'), 'utf8')).toContain(JSON.stringify(repository));
  const next = await isolated();
  await next.send('echo two');
  await expect.poll(() => next.confirmed.value.turns.length).toBe(1);
});

describe('what becomes of it with its session', () => {
  it('is removed with its branch when nothing would be lost', async () => {
    const session = await isolated();
    const folder = folderOf(session);
    await removed(session);
    expect(existsSync(folder)).toBe(false);
    expect(branches()).toEqual(['main']);
    expect(git(repository, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(await left()).toBe(0);
  });

  it('stays when it has files that no commit has', async () => {
    const session = await isolated();
    await writeFile(join(folderOf(session), 'new.txt'), 'work of an hour');
    await removed(session);
    expect(await readFile(join(folderOf(session), 'new.txt'), 'utf8')).toBe('work of an hour');
  });

  it('leaves the branch when it has commits of no other branch, and no branch when they were merged', async () => {
    const [kept, merged] = [await isolated(), await isolated({ kind: 'worktree', branch: 'merged' })];
    for (const session of [kept, merged]) {
      await writeFile(join(folderOf(session), `${session.uri.slice(-8)}.txt`), 'work');
      git(folderOf(session), 'add', '.');
      git(folderOf(session), 'commit', '-q', '-m', 'work');
    }
    git(repository, 'merge', '-q', '--no-edit', 'merged');
    for (const session of [kept, merged]) await removed(session);
    expect(branches()).toEqual([expect.stringMatching(/^agenthost\//), 'main']);
    expect(await left()).toBe(0);
  });

  it('stays when it has commits of no branch at all', async () => {
    const session = await isolated();
    const folder = folderOf(session);
    git(folder, 'checkout', '-q', '--detach');
    await writeFile(join(folder, 'a.txt'), 'work of an hour');
    git(folder, 'commit', '-q', '-a', '-m', 'on no branch');
    await expect(removed(session, 'ask')).rejects.toThrow(/has 1 commit of no branch/);
    await removed(session);
    expect(git(folder, 'log', '-1', '--format=%s')).toBe('on no branch');
  });

  it('stays when it has submodules checked out, whose files nobody has looked at', async () => {
    const library = join(repository, '../library');
    await mkdir(library);
    git(library, 'init', '-q', '-b', 'main');
    git(library, 'commit', '-q', '--allow-empty', '-m', 'first');
    const allowed = ['-c', 'protocol.file.allow=always'];
    git(repository, ...allowed, 'submodule', 'add', '-q', library, 'lib');
    git(repository, 'commit', '-q', '-a', '-m', 'a submodule');
    const session = await isolated();
    const folder = folderOf(session);
    git(folder, ...allowed, 'submodule', 'update', '-q', '--init');
    await writeFile(join(folder, 'lib/new.txt'), 'work of an hour');
    await expect(removed(session, 'ask')).rejects.toThrow(/submodules, in which the host does not look/);
    await removed(session);
    expect(await readFile(join(folder, 'lib/new.txt'), 'utf8')).toBe('work of an hour');
  });

  it('keeps the session when the client wants to ask first, and says what there is', async () => {
    const session = await isolated();
    await writeFile(join(folderOf(session), 'a.txt'), 'work');
    git(folderOf(session), 'commit', '-q', '-a', '-m', 'work');
    await writeFile(join(folderOf(session), 'new.txt'), 'work');
    const fork = await client.createSession({
      provider: 'mock',
      workingDirectory: pathToFileURL(folderOf(session)).href,
    });
    await fork.ready();
    // Another one works there: nothing would go.
    await removed(fork, 'ask');
    await expect(removed(session, 'ask')).rejects.toMatchObject({
      reason: expect.stringMatching(/has 1 file that no commit has and 1 commit of no other branch/),
      data: { code: 'unmergedWork' },
    });
    await session.send('echo still here');
    await expect.poll(() => session.confirmed.value.turns.length).toBe(1);
    git(repository, 'merge', '-q', '--no-edit', git(folderOf(session), 'branch', '--show-current'));
    await rm(join(folderOf(session), 'new.txt'));
    await removed(session, 'ask');
    expect(await left()).toBe(0);
    expect(branches()).toEqual(['main']);
  });

  it('is removed with all of its work when somebody says so', async () => {
    const session = await isolated();
    await writeFile(join(folderOf(session), 'a.txt'), 'not wanted');
    git(folderOf(session), 'commit', '-q', '-a', '-m', 'not wanted');
    await writeFile(join(folderOf(session), 'new.txt'), 'not wanted');
    await removed(session, 'discard');
    expect(branches()).toEqual(['main']);
    expect(await left()).toBe(0);
  });

  it('stays as long as another session works there, whoever it was made for', async () => {
    const session = await isolated();
    const folder = folderOf(session);
    const other = await client.createSession({ provider: 'mock', workingDirectory: pathToFileURL(folder).href });
    await removed(session);
    expect(existsSync(folder)).toBe(true);
    await removed(other);
    expect(existsSync(folder)).toBe(false);
    expect(await left()).toBe(0);
  });

  it('stays as long as a session works in another folder of it, also one of another space', async () => {
    const session = await isolated();
    const folder = folderOf(session);
    const token = await new DeviceTokens(host.stateDir).add('elsewhere', 'owner', 'elsewhere');
    const elsewhere = await host.connect({ token });
    const workingDirectory = pathToFileURL(join(folder, 'pkg')).href;
    const others = [
      await client.createSession({ provider: 'mock', workingDirectory }),
      await elsewhere.createSession({ provider: 'mock', workingDirectory }),
    ];
    for (const other of others) await other.ready();
    await removed(session, 'ask');
    expect(existsSync(join(folder, 'pkg/sub/b.txt'))).toBe(true);
    await client.disposeSession(others[0]?.uri ?? '');
    expect(existsSync(join(folder, 'pkg/sub/b.txt'))).toBe(true);
    await elsewhere.disposeSession(others[1]?.uri ?? '');
    expect(existsSync(folder)).toBe(false);
  });

  it('stays as long as a fork works in it', async () => {
    const session = await isolated();
    await session.send('echo hello');
    await expect.poll(() => session.confirmed.value.turns.length).toBe(1);
    const folder = folderOf(session);
    const fork = await client.forkSession({ source: session.uri });
    await removed(session, 'discard');
    expect(existsSync(folder)).toBe(true);
    await removed(fork, 'discard');
    expect(existsSync(folder)).toBe(false);
  });
});

describe('a worktree that can not be made', () => {
  it.each([
    ['a base that does not exist', { kind: 'worktree', base: 'nowhere' }, /there is no branch or commit nowhere/],
    ['a base that looks like an option', { kind: 'worktree', base: '--all' }, /there is no branch or commit --all/],
    [
      'a branch that git does not take',
      { kind: 'worktree', branch: 'a..b' },
      /git takes no branch with the name a\.\.b/,
    ],
    ['a branch that looks like an option', { kind: 'worktree', branch: '-D' }, /git takes no branch with the name -D/],
    ['another kind', 'container', /give 'folder', 'worktree'/],
    ['a worktree of one’s own', { kind: 'worktree', path: '/', repository: '/' }, /give 'folder', 'worktree'/],
  ])('refuses %s, and leaves nothing', async (_, isolation, reason) => {
    await expect(isolated(isolation)).rejects.toThrow(reason);
    expect(branches()).toEqual(['main']);
    expect(await left()).toBe(0);
  });

  it('refuses a folder that is in no repository, one without a commit, and one that the base lacks', async () => {
    const bare = join(repository, '../plain');
    await mkdir(bare);
    await expect(isolated('worktree', bare)).rejects.toThrow(/no git repository/);
    git(bare, 'init', '-q');
    await expect(isolated('worktree', bare)).rejects.toThrow(/no commit yet/);
    await mkdir(join(repository, 'new'));
    await expect(isolated('worktree', join(repository, 'new'))).rejects.toThrow(/main has no folder new/);
    expect(branches()).toEqual(['main']);
    expect(await left()).toBe(0);
  });

  it('runs no hook of the repository', async () => {
    const marker = join(repository, '../ran');
    await writeFile(join(repository, '.git/hooks/post-checkout'), `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
    await isolated();
    expect(existsSync(marker)).toBe(false);
  });
});
