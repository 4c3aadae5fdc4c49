import { createHash } from 'node:crypto';
import { chmod, link, lstat, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runWork } from '../../src/work/workCommands.js';
import { TestRepository } from './repository.js';
import { repositoryWithFiles, type WorkOf, workOf } from './workOf.js';

let repository: TestRepository;
let main: WorkOf;
beforeEach(async () => {
  repository = await repositoryWithFiles();
  main = workOf(repository, { mode: 'none' });
});
afterEach(() => repository.remove());

const BY = { clientId: 'c1', name: 'Mira' };
const git = async (...args: string[]) => (await repository.git(...args)).trim();
const commit = (of: WorkOf, params: { message?: string; paths?: string[]; runHooks?: true } = {}) =>
  runWork(of.work, 'commitChanges', { session: 'mock:/s1', message: 'a change', ...params }, BY);
const merge = (of: WorkOf, params: { into?: string; squash?: true; message?: string } = {}) =>
  runWork(of.work, 'mergeChanges', { session: 'mock:/s1', ...params }, BY);
const preview = (of: WorkOf, into?: string) =>
  runWork(of.work, 'previewMerge', { session: 'mock:/s1', ...(into !== undefined && { into }) }, BY);

/** A session in a worktree of its own. */
async function isolated(name: string): Promise<WorkOf & { readonly folder: string }> {
  const folder = join(repository.root, name);
  await git('worktree', 'add', '-q', '-b', name, folder);
  const made = workOf(repository, { folder, mode: 'none', sessionId: name, baseBranch: 'main' });
  return Object.assign(made, { folder });
}

describe('a commit', () => {
  it('[LAND1] has all changes of the folder, leaves a clean checkout, and is told', async () => {
    await repository.write('a.txt', 'changed\n');
    await repository.write('new/ü\n.txt', 'new\n');
    await git('rm', '-q', 'sub/b.txt');
    const made = await commit(main);
    expect(made).toEqual({
      commit: await git('rev-parse', 'HEAD'),
      branch: 'main',
      count: 3,
      paths: ['a.txt', 'new/ü\n.txt', 'sub/b.txt'],
    });
    expect(await git('status', '--porcelain')).toBe('');
    expect(await git('log', '-1', '--format=%an <%ae> %s')).toBe('Test <test@example.com> a change');
    expect(main.said).toEqual([`Mira committed 3 files as ${made.commit.slice(0, 7)}.`]);
    await expect(commit(main)).rejects.toMatchObject({ data: { code: 'nothing' } });
  });

  it('[LAND1] touches only what was asked for, also in the index', async () => {
    await repository.write('a.txt', 'changed\n');
    await repository.write('staged.txt', 'staged\n');
    await repository.write('other.txt', 'other\n');
    await git('add', 'staged.txt');
    await commit(main, { paths: ['a.txt'] });
    expect(await git('show', '--name-only', '--format=', 'HEAD')).toBe('a.txt');
    expect(await git('status', '--porcelain')).toBe('A  staged.txt\n?? other.txt');
    await expect(commit(main, { paths: ['none.txt'] })).rejects.toMatchObject({ data: { code: 'nothing' } });
    await expect(commit(main, { paths: ['../x'] })).rejects.toMatchObject({ data: { code: 'refused' } });
    await expect(commit(main, { paths: ['.git/config'] })).rejects.toMatchObject({ data: { code: 'refused' } });
  });

  it('is about the folder of the session, not about the rest of the checkout', async () => {
    const inside = workOf(repository, { folder: join(repository.folder, 'sub'), mode: 'none', sessionId: 'sub' });
    await repository.write('sub/b.txt', 'changed\n');
    await repository.write('a.txt', 'changed\n');
    expect(await commit(inside)).toMatchObject({ count: 1, paths: ['b.txt'] });
    expect(await git('status', '--porcelain')).toBe('M a.txt');
  });

  it('is the first one of a repository', async () => {
    await git('checkout', '-q', '--orphan', 'empty');
    expect(await commit(main)).toMatchObject({ branch: 'empty', count: 4 });
    expect(await git('rev-list', '--count', 'HEAD')).toBe('1');
  });

  it('a file takes the place of a folder, and the other way round', async () => {
    await git('rm', '-q', '-r', 'sub', 'a.txt');
    await repository.write('sub', 'a file\n');
    await repository.write('a.txt/deep', 'a folder\n');
    await commit(main);
    expect(await git('status', '--porcelain')).toBe('');
    expect(await git('ls-tree', '-r', '--name-only', 'HEAD')).toContain('a.txt/deep');
  });

  it('[LAND2] says what to set when git does not know who commits', async () => {
    await writeFile(join(repository.root, 'home/.gitconfig'), '');
    await repository.write('a.txt', 'changed\n');
    const before = await git('rev-parse', 'HEAD');
    await expect(commit(main)).rejects.toMatchObject({
      data: { code: 'noIdentity' },
      message: expect.stringContaining('git config --global user.name'),
    });
    expect(await git('rev-parse', 'HEAD')).toBe(before);
    expect(await git('status', '--porcelain')).toBe('M a.txt');
  });

  it('[LAND2] is refused on no branch, and while a merge is not finished', async () => {
    await repository.write('a.txt', 'changed\n');
    await git('checkout', '-q', '--detach');
    await expect(commit(main)).rejects.toMatchObject({ data: { code: 'detached' } });
    await git('checkout', '-q', 'main');
    await writeFile(join(repository.folder, '.git/MERGE_HEAD'), `${await git('rev-parse', 'HEAD')}\n`);
    await expect(commit(main)).rejects.toMatchObject({ data: { code: 'inProgress' } });
  });

  it('[LAND2] runs hooks only when a person asked for them, and says what they say', async () => {
    const hook = join(repository.folder, '.git/hooks/pre-commit');
    await mkdir(join(repository.folder, '.git/hooks'), { recursive: true });
    await writeFile(hook, '#!/bin/sh\necho not today >&2\nexit 1\n');
    await chmod(hook, 0o755);
    await repository.write('a.txt', 'changed\n');
    await expect(commit(main, { runHooks: true })).rejects.toMatchObject({
      data: { code: 'rejected' },
      message: expect.stringContaining('not today'),
    });
    expect(await git('log', '--format=%s')).toBe('change');
    await writeFile(hook, '#!/bin/sh\necho formatted > a.txt\ngit add a.txt\n');
    await repository.write('other.txt', 'other\n');
    expect(await commit(main, { runHooks: true, paths: ['a.txt'] })).toMatchObject({ count: 1 });
    expect(await git('show', 'HEAD:a.txt')).toBe('formatted');
    expect(await git('status', '--porcelain')).toBe('?? other.txt');
    await writeFile(hook, '#!/bin/sh\nexit 1\n');
    expect(await commit(main)).toMatchObject({ count: 1 });
  });

  it('waits for the lock of another git, and removes one of a killed host', async () => {
    await repository.write('a.txt', 'changed\n');
    const dir = join(repository.folder, '.git');
    const left = 'agenthost-index-999999999-00000000-0000-0000-0000-000000000000';
    await writeFile(join(dir, left), 'half');
    await link(join(dir, left), join(dir, 'index.lock'));
    await commit(main);
    await expect(lstat(join(dir, left))).rejects.toThrow();
    await repository.write('a.txt', 'again\n');
    await writeFile(join(dir, 'index.lock'), '');
    await expect(commit(main)).rejects.toMatchObject({
      data: { code: 'busy' },
      message: expect.stringContaining('index.lock'),
    });
    expect(await git('show', 'HEAD:a.txt')).toBe('changed');
  });

  it('two at once are both there, or say that there is nothing left', async () => {
    await repository.write('a.txt', 'changed\n');
    await repository.write('new.txt', 'new\n');
    const second = workOf(repository, { mode: 'none', sessionId: 's2' });
    const both = await Promise.all([commit(main, { paths: ['a.txt'] }), commit(second, { paths: ['new.txt'] })]);
    expect(new Set(both.map((one) => one.commit)).size).toBe(2);
    expect(await git('rev-list', '--count', 'HEAD')).toBe('3');
    expect(await git('status', '--porcelain')).toBe('');
  });

  it('has the commit of a submodule, and nothing of a link outside', async () => {
    const inner = join(repository.folder, 'inner');
    await repository.gitIn(repository.root, 'init', '-q', inner);
    await writeFile(join(inner, 'x'), 'x');
    await repository.gitIn(inner, 'add', '-A');
    await repository.gitIn(inner, 'commit', '-q', '-m', 'inner');
    await git('-c', 'advice.addEmbeddedRepo=false', 'add', 'inner');
    await repository.commit();
    await repository.gitIn(inner, 'commit', '-q', '--allow-empty', '-m', 'more');
    await symlink('/etc', join(repository.folder, 'etc'));
    expect(await commit(main)).toMatchObject({ paths: ['etc', 'inner'] });
    expect(await git('ls-tree', 'HEAD', 'etc')).toMatch(/^120000 blob/);
  });
});

describe('a merge', () => {
  it('[LAND3] of two sessions: one lands, the other is told of the conflict before', async () => {
    const [one, two] = [await isolated('one'), await isolated('two')];
    for (const of of [one, two]) {
      await writeFile(join(of.folder, 'a.txt'), `${of.folder}\n`);
      await commit(of);
    }
    expect(await readFile(join(repository.folder, 'a.txt'), 'utf8')).toBe('one\ntwo\nthree\n');
    expect(await preview(one)).toMatchObject({
      branch: 'one',
      into: 'main',
      ahead: 1,
      behind: 0,
      conflicts: { count: 0 },
    });
    expect(await preview(two)).toMatchObject({ conflicts: { count: 0 } });
    expect(await merge(one)).toMatchObject({ how: 'fastForward', commits: 1, updated: repository.folder });
    expect(await readFile(join(repository.folder, 'a.txt'), 'utf8')).toBe(`${one.folder}\n`);
    expect(await git('status', '--porcelain')).toBe('');
    const before = await git('rev-parse', 'main');
    expect(await preview(two)).toMatchObject({ behind: 1, conflicts: { count: 1, paths: ['a.txt'] } });
    await expect(merge(two)).rejects.toMatchObject({ data: { code: 'conflict', paths: ['a.txt'] } });
    expect(await git('rev-parse', 'main')).toBe(before);
    expect(one.said.at(-1)).toBe(`Mira merged one into main as ${before.slice(0, 7)}.`);
    await expect(merge(one)).rejects.toMatchObject({ data: { code: 'nothing' } });
  });

  it('[LAND4] is refused where the base is checked out with work, and overwrites no file that is only there', async () => {
    const one = await isolated('one');
    await writeFile(join(one.folder, 'ignored.txt'), 'theirs');
    await writeFile(join(one.folder, 'a.txt'), 'theirs');
    await repository.gitIn(one.folder, 'add', '-f', 'ignored.txt', 'a.txt');
    await commit(one);
    await repository.write('sub/b.txt', 'uncommitted');
    expect(await preview(one)).toMatchObject({ blocked: { folder: repository.folder, uncommitted: 1 } });
    await expect(merge(one)).rejects.toMatchObject({ data: { code: 'uncommitted' } });
    await git('checkout', '-q', '--', '.');
    await repository.write('ignored.txt', 'mine');
    await expect(merge(one)).rejects.toMatchObject({ data: { code: 'uncommitted', paths: ['ignored.txt'] } });
    expect(await readFile(join(repository.folder, 'ignored.txt'), 'utf8')).toBe('mine');
    expect(await git('status', '--porcelain')).toBe('');
    await git('checkout', '-q', '-b', 'elsewhere');
    expect(await merge(one, { squash: true })).not.toHaveProperty('updated');
    expect(await git('log', '-1', '--format=%P %s', 'main')).toBe(`${await git('rev-parse', 'elsewhere')} a change`);
    expect(await readFile(join(repository.folder, 'ignored.txt'), 'utf8')).toBe('mine');
  });

  it('[LAND3] with commits on both sides has two parents, and keeps untracked files', async () => {
    const one = await isolated('one');
    await writeFile(join(one.folder, 'new.txt'), 'new\n');
    await commit(one);
    await repository.write('a.txt', 'changed\n');
    await repository.commit();
    await repository.write('untracked.txt', 'mine');
    const { commit: id, how } = await merge(one, { into: 'main' });
    expect([how, (await git('log', '-1', '--format=%P', id)).split(' ').length]).toEqual(['merge', 2]);
    expect(await git('status', '--porcelain')).toBe('?? untracked.txt');
    expect(await readFile(join(repository.folder, 'new.txt'), 'utf8')).toBe('new\n');
  });

  it('[LAND4] that a killed host has begun is finished, unless somebody has changed the files since', async () => {
    const landDir = join(repository.root, 'landing');
    const folder = join(repository.root, 'one');
    await git('worktree', 'add', '-q', '-b', 'one', folder);
    const one = workOf(repository, { folder, mode: 'none', sessionId: 'one', baseBranch: 'main', landDir });
    for (const file of ['a.txt', 'new.txt', 'old.txt']) await writeFile(join(folder, file), `new ${file}\n`);
    const { commit: to } = await commit(one);
    const from = await git('rev-parse', 'main');
    const name = createHash('sha256').update(join(repository.folder, '.git')).digest('hex').slice(0, 32);
    const begun = JSON.stringify({ folder: repository.folder, branch: 'main', from, to, why: 'merge' });
    await mkdir(landDir);
    await writeFile(join(landDir, `${name}.json`), begun);
    await repository.write('a.txt', 'new a.txt\n');
    await repository.write('new.txt', 'by hand\n');
    await preview(one);
    expect([await git('rev-parse', 'main'), await git('status', '--porcelain')]).toEqual([from, 'M a.txt\n?? new.txt']);
    await writeFile(join(landDir, `${name}.json`), begun);
    await repository.write('new.txt', 'new new.txt\n');
    expect(await preview(one)).toMatchObject({ ahead: 0, target: to });
    expect([await git('rev-parse', 'main'), await git('status', '--porcelain')]).toEqual([to, '']);
  });

  it('says what is missing: a branch, a base, a commit', async () => {
    const one = await isolated('one');
    await expect(preview(one, 'none')).rejects.toMatchObject({ data: { code: 'notFound' } });
    await expect(preview(one, 'main@{1}')).rejects.toMatchObject({ data: { code: 'notFound' } });
    await expect(preview(one, 'one')).rejects.toMatchObject({ data: { code: 'nothing' } });
    await expect(preview(main)).rejects.toMatchObject({ data: { code: 'notFound' } });
    await expect(merge(one)).rejects.toMatchObject({ data: { code: 'nothing' } });
    one.isTurnRunning = true;
    await expect(merge(one)).rejects.toMatchObject({ code: -32004 });
    await expect(commit(one)).rejects.toMatchObject({ code: -32004 });
  });

  it('writes to no folder that the repository names and that does not belong to it', async () => {
    const one = await isolated('one');
    await writeFile(join(one.folder, 'a.txt'), 'changed\n');
    await commit(one);
    await git('checkout', '-q', '-b', 'elsewhere');
    const victim = await TestRepository.make();
    await victim.write('a.txt', 'victim');
    await victim.commit();
    const fake = join(repository.folder, '.git/worktrees/fake');
    await mkdir(fake, { recursive: true });
    await writeFile(join(fake, 'gitdir'), `${victim.folder}/.git\n`);
    await writeFile(join(fake, 'commondir'), '../..\n');
    await writeFile(join(fake, 'HEAD'), 'ref: refs/heads/main\n');
    await merge(one);
    expect(await readFile(join(victim.folder, 'a.txt'), 'utf8')).toBe('victim');
    await victim.remove();
  });
});
