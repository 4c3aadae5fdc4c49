import { chmod, mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitPlace, runGit } from '../../src/work/git.js';
import { runWork } from '../../src/work/workCommands.js';
import { TestRepository } from './repository.js';
import { workOf } from './workOf.js';

// Everything here tries to run a program, which would leave a file behind.

let repository: TestRepository;
let marks: string;

beforeEach(async () => {
  repository = await TestRepository.make();
  marks = join(repository.root, 'marks');
  await mkdir(marks);
  await repository.write('file.txt', 'one\n');
  await repository.write('picture.bin', 'one\n');
  await repository.commit();
});
afterEach(() => repository.remove());

const program = (name: string): string => `touch ${join(marks, name)}; cat`;

/** Every command that the host runs on a repository, after a change that makes git look at the content. */
async function work(): Promise<void> {
  const { folder, env } = repository;
  for (const file of ['file.txt', 'picture.bin']) {
    await writeFile(join(folder, file), `two ${Math.random()}\n`);
    await utimes(join(folder, file), 1, 1);
  }
  const options = { env, okCodes: [0, 1, 128] };
  const writing = { ...options, writes: true, set: { GIT_INDEX_FILE: join(repository.root, 'index') } };
  await runGit(folder, ['status', '--porcelain=v2', '-z', '--untracked-files=all'], options);
  await runGit(folder, ['diff', 'HEAD'], options);
  await runGit(folder, ['log', '-p', '--stat'], options);
  await runGit(folder, ['show', 'HEAD'], options);
  await runGit(folder, ['diff-index', '-p', 'HEAD'], options);
  await runGit(folder, ['ls-files', '-z', '-m', '-o', '-d', '-t', '--exclude-standard'], options);
  await runGit(folder, ['read-tree', 'HEAD'], writing);
  const changed = 'file.txt\0picture.bin\0';
  await runGit(folder, ['update-index', '-z', '--add', '--remove', '--refresh', '--stdin'], {
    ...writing,
    stdin: changed,
  });
  const tree = (await runGit(folder, ['write-tree'], writing)).stdout.toString().trim();
  await runGit(folder, ['commit-tree', tree, '-m', 'snapshot'], writing);
  await runGit(folder, ['update-ref', 'refs/agenthost/test', 'HEAD'], writing);
  await runGit(folder, ['checkout-index', '-f', '-a'], writing);
  await runGit(folder, ['commit', '-q', '--allow-empty', '-m', 'asked'], { ...options, writes: true });
  await runGit(folder, ['worktree', 'add', '-q', '--detach', join(repository.root, 'tree')], {
    ...options,
    writes: true,
  });
  await runGit(folder, ['push', '-q', 'origin', 'main'], { ...options, writes: true, network: true });
}

describe('a hostile repository runs nothing', () => {
  it('with programs in its configuration and its attributes', async () => {
    await writeFile(
      join(repository.folder, '.gitattributes'),
      '*.txt filter=evil diff=evil merge=evil\n*.bin filter=dotted.name diff=evil\n',
    );
    await repository.commit();
    for (const [key, name] of [
      ['filter.evil.clean', 'clean'],
      ['filter.evil.smudge', 'smudge'],
      ['filter.dotted.name.process', 'process'],
      ['diff.evil.command', 'diff-command'],
      ['diff.evil.textconv', 'textconv'],
      ['diff.external', 'diff-external'],
      ['merge.evil.driver', 'driver'],
      ['core.fsmonitor', 'fsmonitor'],
      ['core.sshCommand', 'ssh'],
      ['core.editor', 'editor'],
      ['core.askPass', 'askpass'],
      ['core.pager', 'pager'],
      ['core.gitProxy', 'proxy'],
      ['core.alternateRefsCommand', 'alternate'],
      ['credential.helper', 'helper'],
      ['gpg.program', 'gpg'],
      ['pager.log', 'log-pager'],
      ['alias.status', 'alias'],
      ['trailer.x.command', 'trailer'],
    ] as const) {
      await repository.git('config', key, key === 'alias.status' ? `!${program(name)}` : program(name));
    }
    await repository.git('config', 'filter.evil.required', 'true');
    await repository.git('config', 'commit.gpgSign', 'true');
    await repository.git('config', 'log.showSignature', 'true');
    await repository.git('config', 'remote.origin.url', `ext::sh -c "touch ${join(marks, 'ext')}"`);
    await work();
    expect(await readdir(marks)).toEqual([]);
  });

  it('with programs in an included file, and in the configuration of a worktree', async () => {
    await writeFile(join(repository.folder, '.gitattributes'), '*.txt filter=evil\n*.bin filter=tree\n');
    await repository.commit();
    const included = join(repository.folder, '.config');
    await writeFile(included, `[filter "evil"]\n\tclean = ${JSON.stringify(program('included'))}\n`);
    await repository.git('config', 'include.path', '../.config');
    await repository.git('config', 'extensions.worktreeConfig', 'true');
    await repository.git('config', '--worktree', 'filter.tree.clean', program('worktree'));
    await repository.git('config', '--worktree', 'filter.tree.process', program('worktree-process'));
    await work();
    expect(await readdir(marks)).toEqual([]);
    // A change of an included file counts at once.
    await writeFile(included, `[filter "tree"]\n\tsmudge = ${JSON.stringify(program('later'))}\n`);
    await work();
    expect(await readdir(marks)).toEqual([]);
  });

  it('when its work is committed, merged and pushed', async () => {
    const { folder } = repository;
    await writeFile(join(folder, '.gitattributes'), '*.txt filter=evil diff=evil merge=evil\n*.bin merge=evil\n');
    await repository.commit();
    const tree = join(repository.root, 'session');
    await repository.git('worktree', 'add', '-q', '-b', 'session', tree);
    await repository.git('branch', 'plain');
    // A repository of this machine, which the configuration names as a remote: its hooks are programs of the repository too.
    const remote = join(folder, 'remote.git');
    await repository.git('init', '-q', '--bare', remote);
    await repository.write('picture.bin', 'theirs\n');
    await repository.write('file.txt', 'theirs\n');
    await repository.git('commit', '-q', '-a', '-m', 'theirs');
    for (const [key, name] of [
      ['filter.evil.clean', 'clean'],
      ['filter.evil.smudge', 'smudge'],
      ['merge.evil.driver', 'driver'],
      ['merge.default', 'evil'],
      ['core.editor', 'editor'],
      ['core.sshCommand', 'ssh'],
      ['core.fsmonitor', 'fsmonitor'],
      ['gpg.program', 'gpg'],
      ['gpg.ssh.program', 'gpg-ssh'],
      ['gpg.ssh.defaultKeyCommand', 'gpg-key'],
      ['credential.helper', 'helper'],
      ['remote.local.receivepack', 'receivepack'],
    ] as const) {
      await repository.git('config', key, key === 'merge.default' ? name : program(name));
    }
    await repository.git('config', 'merge.renormalize', 'true');
    await repository.git('config', 'commit.template', join(folder, 'file.txt'));
    await repository.git('config', 'remote.local.url', remote);
    await repository.git('config', 'remote.evil.url', `ext::sh -c "touch ${join(marks, 'ext')}"`);
    await repository.git('config', 'remote.helper.url', 'evil::address');
    await repository.git('config', 'remote.ssh.url', 'ssh://-oProxyCommand=touch/x');
    await repository.git('config', 'remote.rewritten.url', 'https://example.org/a/b');
    await repository.git(
      'config',
      `url.ext::sh -c "touch ${join(marks, 'instead')}" #.insteadOf`,
      'https://example.org/',
    );
    for (const hooks of [join(folder, '.git/hooks'), join(remote, 'hooks')]) {
      await mkdir(hooks, { recursive: true });
      for (const hook of [
        ...['pre-commit', 'commit-msg', 'post-commit', 'prepare-commit-msg', 'post-merge', 'pre-merge-commit'],
        ...['post-checkout', 'post-index-change', 'reference-transaction', 'pre-push', 'pre-receive', 'update'],
        ...['post-receive', 'post-update', 'push-to-checkout', 'proc-receive'],
      ]) {
        await writeFile(join(hooks, hook), `#!/bin/sh\ntouch ${join(marks, hook)}\n`);
        await chmod(join(hooks, hook), 0o755);
      }
    }
    const { work } = workOf(repository, { folder: tree, mode: 'none', baseBranch: 'main' });
    const by = { clientId: 'c' };
    const session = 'mock:/s1';
    await writeFile(join(tree, 'file.txt'), 'mine\n');
    await writeFile(join(tree, 'other'), 'mine\n');
    await runWork(work, 'commitChanges', { session, message: 'mine' }, by);
    // The driver of the repository is replaced by one that always conflicts.
    await expect(runWork(work, 'mergeChanges', { session }, by)).rejects.toMatchObject({ data: { code: 'conflict' } });
    await runWork(work, 'mergeChanges', { session, into: 'plain', squash: true }, by);
    await runWork(work, 'pushChanges', { session, remote: 'local' }, by);
    expect(await repository.gitIn(remote, 'rev-parse', 'session')).toBe(await repository.git('rev-parse', 'session'));
    for (const remoteName of ['evil', 'helper', 'ssh', 'rewritten']) {
      await expect(runWork(work, 'pushChanges', { session, remote: remoteName }, by)).rejects.toThrow();
    }
    expect(await readdir(marks)).toEqual([]);
  });

  it('with hooks', async () => {
    const hooks = join(repository.folder, '.git/hooks');
    await mkdir(hooks, { recursive: true });
    for (const hook of [
      'pre-commit',
      'commit-msg',
      'post-commit',
      'post-checkout',
      'post-index-change',
      'reference-transaction',
      'prepare-commit-msg',
      'pre-push',
      'fsmonitor-watchman',
    ]) {
      await writeFile(join(hooks, hook), `#!/bin/sh\ntouch ${join(marks, hook)}\n`);
      await chmod(join(hooks, hook), 0o755);
    }
    await repository.git('config', 'core.fsmonitor', '.git/hooks/fsmonitor-watchman');
    await work();
    expect(await readdir(marks)).toEqual([]);
  });

  it('with a submodule that has programs of its own, and an odd address', async () => {
    const { folder } = repository;
    const inner = join(folder, 'inner');
    await mkdir(inner);
    await repository.gitIn(inner, 'init', '-q');
    await writeFile(join(inner, 'a.txt'), 'a\n');
    await writeFile(join(inner, '.gitattributes'), '*.txt filter=evil\n');
    await repository.gitIn(inner, 'add', '-A');
    await repository.gitIn(inner, 'commit', '-q', '-m', 'inner');
    await writeFile(
      join(folder, '.gitmodules'),
      `[submodule "inner"]\n\tpath = inner\n\turl = ext::sh -c touch% ${join(marks, 'url')}\n\tignore = none\n`,
    );
    await repository.commit();
    await repository.gitIn(inner, 'config', 'filter.evil.clean', program('inner'));
    await repository.gitIn(inner, 'config', 'core.fsmonitor', program('inner-fsmonitor'));
    await repository.git('config', 'submodule.inner.update', `!${program('update')}`);
    await repository.git('config', 'status.submoduleSummary', 'true');
    await repository.git('config', 'diff.submodule', 'diff');
    await writeFile(join(inner, 'a.txt'), 'b\n');
    await work();
    expect(await readdir(marks)).toEqual([]);
  });

  it('with a repository in disguise, inside of the folder', async () => {
    const bare = join(repository.folder, 'fixtures');
    await repository.gitIn(repository.root, 'init', '-q', '--bare', bare);
    await repository.gitIn(bare, 'config', 'core.fsmonitor', program('bare'));
    const { env } = repository;
    await expect(runGit(bare, ['status'], { env })).rejects.toMatchObject({ problem: 'noRepository' });
    expect(await readdir(marks)).toEqual([]);
  });
});

describe('a repository that points elsewhere', () => {
  it('is refused when its work tree is another folder', async () => {
    const other = join(repository.root, 'other');
    await mkdir(other);
    await repository.git('config', 'core.worktree', other);
    await expect(gitPlace(repository.folder, { env: repository.env })).rejects.toMatchObject({ problem: 'refused' });
    await repository.git('--work-tree=.', 'config', 'core.worktree', '../..');
    await expect(gitPlace(repository.folder, { env: repository.env })).rejects.toMatchObject({ problem: 'refused' });
  });

  it('is accepted when its work tree is its own folder, as submodules have it', async () => {
    await repository.git('config', 'core.worktree', '..');
    const place = await gitPlace(repository.folder, { env: repository.env });
    expect(place.top).toBe(repository.folder);
  });

  it('takes no variable of the host that names another repository', async () => {
    const env = { ...repository.env, GIT_DIR: '/nowhere', GIT_INDEX_FILE: '/nowhere', GIT_EXEC_PATH: '/nowhere' };
    const { stdout } = await runGit(repository.folder, ['rev-parse', '--show-toplevel'], { env });
    expect(stdout.toString().trim()).toBe(repository.folder);
  });

  it('is refused when it names more programs than fit', async () => {
    const many = Array.from({ length: 300 }, (_, index) => `[filter "f${index}"]\n\tclean = x\n`).join('');
    await writeFile(join(repository.folder, '.git/config'), many, { flag: 'a' });
    await expect(runGit(repository.folder, ['status'], { env: repository.env })).rejects.toMatchObject({
      problem: 'refused',
    });
  });
});

describe('names of files', () => {
  it('are taken as they are: newlines, control characters, pathspec magic', async () => {
    const names = ['a\nb', 'tab\there', '\u001b[31mred', ':(exclude)*', '*', '-n', 'ünï', '"quoted"'];
    for (const name of names) await repository.write(name, 'x');
    await symlink('/etc', join(repository.folder, 'link'));
    const { stdout } = await runGit(repository.folder, ['ls-files', '-z', '-o', '--exclude-standard'], {
      env: repository.env,
    });
    const listed = stdout.toString('utf8').split('\0').filter(Boolean);
    expect(listed.sort()).toEqual([...names, 'link'].sort());
    const one = await runGit(repository.folder, ['ls-files', '-z', '-o', '--', '*'], { env: repository.env });
    expect(one.stdout.toString()).toBe('*\0');
  });
});

it('keeps the filters that the user has', async () => {
  await writeFile(
    join(repository.root, 'home/.gitconfig'),
    `[user]\n\tname = a\n\temail = b\n[filter "mine"]\n\tclean = ${JSON.stringify("sed 's/^/mine /'")}\n`,
  );
  await writeFile(join(repository.folder, '.gitattributes'), '*.txt filter=mine\n');
  await repository.git('config', 'filter.mine.clean', program('theirs'));
  const { stdout } = await runGit(repository.folder, ['hash-object', '--stdin', '--path', 'file.txt', '-w'], {
    env: repository.env,
    stdin: 'text\n',
  });
  const { stdout: stored } = await runGit(repository.folder, ['cat-file', 'blob', stdout.toString().trim()], {
    env: repository.env,
  });
  expect(stored.toString()).toBe('mine text\n');
  expect(await readdir(marks)).toEqual([]);
});
