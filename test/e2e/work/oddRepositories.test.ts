import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RepositoryWorld } from '../../support/repositoryWorld.js';

let world: RepositoryWorld;

beforeEach(async () => {
  world = await RepositoryWorld.make();
});
afterEach(() => world.dispose());

describe('a worktree of an odd repository', () => {
  it('has empty folders for submodules, whose own programs are not run, and is removed with its session', async () => {
    const { repository, root } = world;
    await world.init(join(root, 'library'), { 'lib.txt': 'lib\n' });
    world.git(repository, 'submodule', 'add', '-q', join(root, 'library'), 'libs/one');
    await world.commit(repository, {});
    const session = await world.session();
    const folder = world.folderOf(session);
    expect(await readdir(join(folder, 'libs/one'))).toEqual([]);
    expect(world.git(folder, 'status', '--porcelain')).toBe('');
    await world.remove(session, 'ask');
    expect(existsSync(folder)).toBe(false);
    expect(await readFile(join(repository, 'libs/one/lib.txt'), 'utf8')).toBe('lib\n');
  });

  it('has the pointers of Git LFS where only the repository names a filter, and the filter is not run', async () => {
    const { repository, root } = world;
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12\n`;
    await world.commit(repository, {
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
      'x.bin': pointer,
    });
    const marker = join(root, 'ran');
    world.git(repository, 'config', 'filter.lfs.smudge', `touch '${marker}'; cat`);
    world.git(repository, 'config', 'filter.lfs.required', 'true');
    const folder = world.folderOf(await world.session());
    expect(await readFile(join(folder, 'x.bin'), 'utf8')).toBe(pointer);
    expect(existsSync(marker)).toBe(false);
  });

  it('has the files of a sparse checkout, and takes its changes along', async () => {
    const { repository } = world;
    await world.commit(repository, { 'in/a.txt': 'in\n', 'out/b.txt': 'out\n' });
    world.git(repository, 'sparse-checkout', 'set', 'in');
    await writeFile(join(repository, 'in/a.txt'), 'changed\n');
    const folder = world.folderOf(await world.session({ kind: 'worktree', takeChanges: true }));
    expect(await readFile(join(folder, 'in/a.txt'), 'utf8')).toBe('changed\n');
    expect(world.git(folder, 'status', '--porcelain')).toBe(' M in/a.txt');
    expect(world.git(repository, 'status', '--porcelain')).toBe(' M in/a.txt');
    expect(await readdir(repository)).not.toContain('out');
  });

  it('is made from a worktree, also one of the host’s own, and stays when that one goes', async () => {
    const first = await world.session({ kind: 'worktree', branch: 'first' });
    const second = await world.session({ kind: 'worktree', branch: 'second' }, world.folderOf(first));
    expect(await readFile(join(world.folderOf(second), 'a.txt'), 'utf8')).toBe('one\n');
    expect(second.confirmed.value.summary.metadata).toMatchObject({ baseBranchName: 'first' });
    await world.remove(first);
    expect(world.git(world.folderOf(second), 'status', '--porcelain')).toBe('');
  });

  it('is made from a worktree of a bare repository, and not from the bare one itself', async () => {
    const { root, repository } = world;
    const bare = join(root, 'bare.git');
    world.git(root, 'clone', '-q', '--bare', repository, bare);
    await expect(world.session('worktree', bare)).rejects.toThrow(/no git repository with a work tree/);
    const tree = join(root, 'tree');
    world.git(bare, 'worktree', 'add', '-q', tree, 'main');
    const session = await world.session({ kind: 'worktree', branch: 'of-bare' }, tree);
    expect(await readFile(join(world.folderOf(session), 'a.txt'), 'utf8')).toBe('one\n');
    await world.remove(session, 'ask');
    expect(world.branches(bare)).toEqual(['main']);
  });

  it('is not made in a folder without git, and the reason is said', async () => {
    const plain = join(world.root, 'plain');
    await mkdir(plain);
    await expect(world.session('worktree', plain)).rejects.toThrow(/no git repository/);
    expect(await world.left()).toEqual([]);
  });

  it('has all files of a branch whose names differ only in case, where the file system tells them apart', async () => {
    await world.commit(world.repository, { 'Name.txt': 'upper\n', 'name.txt': 'lower\n' });
    const folder = world.folderOf(await world.session());
    expect(world.git(folder, 'status', '--porcelain')).toBe('');
    expect(await readFile(join(folder, 'Name.txt'), 'utf8')).toBe('upper\n');
  });
});

it('a git that is too old is named, with the version that is needed', async () => {
  await world.dispose();
  const root = world.root;
  await mkdir(join(root, 'old'), { recursive: true });
  await writeFile(join(root, 'old/git'), '#!/bin/sh\necho git version 2.30.9\n', { mode: 0o755 });
  const path = process.env['PATH'] ?? '';
  world = await RepositoryWorld.make({ env: { ...process.env, PATH: `${join(root, 'old')}:${path}` } });
  await expect(world.session()).rejects.toThrow(/too old \(git version 2\.30\.9\)\. Install git 2\.31/);
  expect(await world.left()).toEqual([]);
});
