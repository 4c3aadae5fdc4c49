import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { folderMetadata } from '../../../src/sessions/folder/folderMetadata.js';
import { readBranches } from '../../../src/sessions/folder/gitBranches.js';
import { parseGitConfig, subsectionsWith } from '../../../src/sessions/folder/gitConfig.js';
import { readGitMetadata } from '../../../src/sessions/folder/gitMetadata.js';
import { parseRemoteAddress } from '../../../src/sessions/folder/remoteAddress.js';

const run = promisify(execFile);
let root: string;
let folder: string;

beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-git-')));
});
afterAll(() => rm(root, { recursive: true, force: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(root, 'case-'));
});

/** The real git, with nothing of the person who runs the tests. */
async function git(cwd: string, ...args: string[]): Promise<string> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  };
  return (await run('git', args, { cwd, env })).stdout;
}

async function repository(name = 'repo', ...remote: string[]): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  await git(path, 'init', '-q', '-b', 'main');
  await git(path, 'commit', '-q', '--allow-empty', '-m', 'x');
  if (remote[0] !== undefined) await git(path, 'remote', 'add', 'origin', remote[0]);
  return path;
}

describe('git metadata of a folder', () => {
  it('is empty without a repository', async () => {
    expect(await readGitMetadata(folder)).toEqual({});
    expect(await readGitMetadata(join(folder, 'nowhere'))).toEqual({});
    await mkdir(join(folder, '.git'));
    expect(await readGitMetadata(folder)).toEqual({});
  });

  it('has the repository, the branch and the remote, from any folder of the checkout', async () => {
    const path = await repository('repo', 'git@github.com:my-org/my-repo.git');
    await git(path, 'checkout', '-q', '-b', 'feature/x');
    await mkdir(join(path, 'a/b'), { recursive: true });
    const expected = {
      repositoryPath: path,
      branch: 'feature/x',
      repositoryUrl: 'git@github.com:my-org/my-repo.git',
      owner: 'my-org',
      name: 'my-repo',
    };
    expect(await readGitMetadata(path)).toEqual(expected);
    expect(await readGitMetadata(join(path, 'a/b'))).toEqual(expected);
    await symlink(join(path, 'a/b'), join(folder, 'link'));
    expect(await readGitMetadata(join(folder, 'link'))).toEqual(expected);
  });

  it('has no branch while HEAD is detached, and no remote if there is none', async () => {
    const path = await repository();
    await git(path, 'checkout', '-q', '--detach');
    expect(await readGitMetadata(path)).toEqual({ repositoryPath: path });
  });

  it('tells a worktree from its repository', async () => {
    const path = await repository('repo', 'https://github.com/my-org/my-repo');
    const tree = join(folder, 'tree');
    await git(path, 'worktree', 'add', '-q', '-b', 'other', tree);
    expect(await readGitMetadata(tree)).toEqual({
      repositoryPath: path,
      worktreePath: tree,
      branch: 'other',
      repositoryUrl: 'https://github.com/my-org/my-repo',
      owner: 'my-org',
      name: 'my-repo',
    });
    const bare = join(folder, 'bare.git');
    await git(folder, 'clone', '-q', '--bare', path, bare);
    await git(bare, 'worktree', 'add', '-q', join(folder, 'from-bare'), 'main');
    expect(await readGitMetadata(join(folder, 'from-bare'))).toMatchObject({
      repositoryPath: bare,
      worktreePath: join(folder, 'from-bare'),
      branch: 'main',
    });
  });

  it('treats a submodule as a separate repository', async () => {
    const [outer, inner] = [await repository('outer'), await repository('inner')];
    await git(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    expect(await readGitMetadata(join(outer, 'sub'))).toEqual({
      repositoryPath: join(outer, 'sub'),
      branch: 'main',
      baseBranchName: 'main',
      repositoryUrl: inner,
    });
  });

  it('knows the main branch of a clone, and the remote that a branch follows', async () => {
    const source = await repository('source');
    const path = join(folder, 'clone');
    await git(folder, 'clone', '-q', source, path);
    expect(await readGitMetadata(path)).toEqual({
      repositoryPath: path,
      branch: 'main',
      baseBranchName: 'main',
      repositoryUrl: source,
    });
    await git(path, 'remote', 'add', 'fork', 'https://example.org/me/fork');
    await git(path, 'config', 'branch.main.remote', 'fork');
    expect(await readGitMetadata(path)).toMatchObject({ owner: 'me', name: 'fork' });
    await git(path, 'remote', 'rename', 'origin', 'upstream');
    await git(path, 'config', '--unset', 'branch.main.remote');
    expect((await readGitMetadata(path)).repositoryUrl).toBeUndefined();
  });

  it("runs nothing, whatever the folder's configuration says", async () => {
    const path = await repository('repo', 'https://example.org/o/n');
    const proof = join(folder, 'it-ran');
    const script = join(folder, 'script.sh');
    await writeFile(script, `#!/bin/sh\ntouch ${proof}\n`);
    await chmod(script, 0o755);
    for (const key of [
      'core.fsmonitor',
      'core.pager',
      'core.sshCommand',
      'core.editor',
      'credential.helper',
      'alias.config',
    ]) {
      await git(path, 'config', key, key === 'alias.config' ? `!${script}` : script);
    }
    await git(path, 'config', 'core.hooksPath', folder);
    expect((await readGitMetadata(path)).name).toBe('n');
    expect(await readdir(folder)).not.toContain('it-ran');
    await git(path, 'status').catch(() => {});
    expect((await stat(proof)).isFile(), 'git itself does run it').toBe(true);
  });

  it('survives pipes, folders, junk and loops in place of a repository', async () => {
    const path = join(folder, 'hostile');
    await mkdir(join(path, '.git'), { recursive: true });
    await run('mkfifo', [join(path, '.git/HEAD'), join(path, '.git/config')]);
    expect(await readGitMetadata(path)).toEqual({});
    await rm(join(path, '.git'), { recursive: true });
    await writeFile(join(path, '.git'), 'gitdir: .git\n');
    expect(await readGitMetadata(path)).toEqual({ repositoryPath: path });
    await rm(join(path, '.git'));
    await mkdir(join(path, '.git/config'), { recursive: true });
    await writeFile(join(path, '.git/HEAD'), Buffer.from([0, 255, 254, 10]));
    await writeFile(join(path, '.git/commondir'), '\n');
    expect(await readGitMetadata(path)).toEqual({ repositoryPath: path });
    await writeFile(join(path, '.git/HEAD'), 'ref: refs/heads/.invalid\n');
    expect(await readGitMetadata(path)).toEqual({ repositoryPath: path });
  });
});

describe('a git configuration', () => {
  it('is read like git reads it', async () => {
    const file = join(folder, 'config');
    const lines = [
      '# comment',
      '[Core] bare = false ; more',
      '[remote "a \\"b\\" \\\\ c"]',
      '\tURL = "https://example.org/#not-a-comment" ; but this is',
      '\tpushurl = https://exa\\\n  mple.org/two words  # x',
      '[branch "main"]',
      '\tx = "a\\tb\\"c"  ',
      '\tempty =',
    ];
    await writeFile(file, lines.join('\n'));
    const config = parseGitConfig(lines.join('\n'));
    expect([...config.keys()]).toEqual([
      'core.bare',
      'remote.a "b" \\ c.url',
      'remote.a "b" \\ c.pushurl',
      'branch.main.x',
      'branch.main.empty',
    ]);
    for (const [key, value] of config)
      expect(`${value}\n`, key).toBe(await git(folder, 'config', '--file', file, '--get', key));
    expect(subsectionsWith(config, 'remote', 'url')).toEqual(['a "b" \\ c']);
    expect([...parseGitConfig('x = before any section\n[]\n[a]\n= =\nno value\ny')]).toEqual([['a.y', 'true']]);
  });

  it('is read the same as by git itself when git wrote it', async () => {
    const path = await repository();
    const values = [
      'plain',
      ' spaces around ',
      'semi;colon',
      'hash#',
      'quote"quote',
      'back\\slash',
      'tab\there',
      'äöü €',
    ];
    for (const [index, value] of values.entries()) await git(path, 'config', `x.sub "${index}.key`, value);
    const config = parseGitConfig(await run('cat', [join(path, '.git/config')]).then(({ stdout }) => stdout));
    expect(values.map((_, index) => config.get(`x.sub "${index}.key`))).toEqual(values);
  });
});

describe('the address of a remote', () => {
  it.each([
    ['https://github.com/o/n.git', { url: 'https://github.com/o/n.git', owner: 'o', name: 'n' }],
    ['https://me:secret@github.com/o/n?token=1#x', { url: 'https://github.com/o/n', owner: 'o', name: 'n' }],
    ['https://ghp_secret@github.com/o/n', { url: 'https://github.com/o/n', owner: 'o', name: 'n' }],
    ['ssh://git:secret@host:22/o/n.git', { url: 'ssh://git@host:22/o/n.git', owner: 'o', name: 'n' }],
    ['git@github.com:o/n.git', { url: 'git@github.com:o/n.git', owner: 'o', name: 'n' }],
    ['host:o/n', { url: 'host:o/n', owner: 'o', name: 'n' }],
    ['https://gitlab.com/group/sub/n', { url: 'https://gitlab.com/group/sub/n', owner: 'group/sub', name: 'n' }],
    ['git@host:n', { url: 'git@host:n' }],
    ['/srv/git/n.git', { url: '/srv/git/n.git' }],
    ['../sibling', { url: '../sibling' }],
    ['C:\\src\\n', { url: 'C:\\src\\n' }],
    ['file:///srv/o/n', { url: 'file:///srv/o/n' }],
    ['https://[bad', undefined],
    ['', undefined],
    ['x\u0000y', undefined],
    [`https://h/${'o'.repeat(2_000)}/n`, undefined],
  ])('%s', (address, expected) => {
    expect(parseRemoteAddress(address)).toEqual(expected);
  });
});

describe("changes in a session's metadata", () => {
  it('are new, changed and removed keys, except those that its creator set', async () => {
    const path = await repository('repo', 'https://github.com/o/n');
    const options = { cwd: path, given: new Set(['name']) };
    const current = { workingDirectoryPath: path, branch: 'old', worktreePath: '/gone', name: 'mine', other: 1 };
    expect(await folderMetadata(current, options)).toEqual({
      repositoryPath: path,
      worktreePath: null,
      branch: 'main',
      repositoryUrl: 'https://github.com/o/n',
      owner: 'o',
    });
    expect(await folderMetadata(undefined, { cwd: folder, given: new Set() })).toEqual({
      workingDirectoryPath: folder,
    });
  });
});

describe('branches of a repository', () => {
  it('are named whether they are packed or not, without names that git refuses', async () => {
    expect(await readBranches(folder)).toEqual([]);
    const path = await repository();
    for (const name of ['feature/one', 'feature/two/deep', 'zoo']) await git(path, 'branch', name);
    await git(path, 'pack-refs', '--all');
    await git(path, 'branch', 'after');
    await mkdir(join(path, '.git/refs/heads/odd'), { recursive: true });
    for (const name of ['a lock.lock', '-flag', 'control\u0007', 'a^b']) {
      await writeFile(join(path, '.git/refs/heads/odd', name), 'x');
      await writeFile(join(path, '.git/refs/heads', name), 'x');
    }
    await symlink('/etc', join(path, '.git/refs/heads/out'));
    const named = ['after', 'feature/one', 'feature/two/deep', 'main', 'odd/-flag', 'zoo'];
    expect(await readBranches(path)).toEqual(named);
    await mkdir(join(path, 'inner'));
    expect(await readBranches(join(path, 'inner'))).toEqual(named);
  });
});
