import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RepositoryWorld } from '../../support/repositoryWorld.js';

let world: RepositoryWorld;
const TAKING = { kind: 'worktree', takeChanges: true };

beforeEach(async () => {
  world = await RepositoryWorld.make();
});
afterEach(() => world.dispose());

const status = (folder: string) => world.git(folder, 'status', '--porcelain=v1', '--untracked-files=all').split('\n');

/** Every file with its kind, mode, time and content, and the index of git. */
async function everything(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // Objects and the list of worktrees are shared by design.
    if (path.startsWith(join(folder, '.git')) && path !== join(folder, '.git/index')) continue;
    const { mode, mtimeNs } = await lstat(path, { bigint: true });
    const content = entry.isFile() ? await readFile(path) : entry.isSymbolicLink() ? await readlink(path) : '';
    found[path] = `${mode} ${entry.isDirectory() ? '' : mtimeNs} ${createHash('sha256').update(content).digest('hex')}`;
  }
  return found;
}

describe('uncommitted changes that a worktree takes along', () => {
  it('are changed, staged, removed and new files, and the folder stays as it was', async () => {
    const { repository } = world;
    await world.commit(repository, { 'gone.txt': 'x', 'staged-gone.txt': 'x', 'dir/old.txt': 'x', 'run.sh': 'echo' });
    await writeFile(join(repository, 'a.txt'), 'changed\n');
    await writeFile(join(repository, 'b.txt'), 'staged\n');
    world.git(repository, 'add', 'b.txt');
    await writeFile(join(repository, 'b.txt'), 'staged, and changed again\n');
    await rm(join(repository, 'gone.txt'));
    world.git(repository, 'rm', '-q', 'staged-gone.txt');
    await writeFile(join(repository, 'staged new.txt'), 'new');
    world.git(repository, 'add', 'staged new.txt');
    await mkdir(join(repository, 'new folder/ü'), { recursive: true });
    await writeFile(join(repository, 'new folder/ü/x\ty.txt'), 'not tracked');
    await symlink('../a.txt', join(repository, 'new folder/link'));
    await chmod(join(repository, 'run.sh'), 0o755);
    // A folder in the place of a file, and a file in the place of a folder.
    await rm(join(repository, 'dir'), { recursive: true });
    await writeFile(join(repository, 'dir'), 'now a file');
    await writeFile(join(repository, '.env'), 'ignored');
    const changes = status(repository);
    const before = await everything(repository);
    const folder = world.folderOf(await world.session(TAKING));
    expect(await everything(repository)).toEqual(before);
    expect(status(folder)).toEqual(changes);
    for (const [path, stamp] of Object.entries(before)) {
      if (path.endsWith('.git/index') || path.endsWith('.env')) continue;
      const there = (await everything(folder))[path.replace(repository, folder)];
      expect(there?.split(' ').at(-1), path).toBe(stamp.split(' ').at(-1));
    }
    expect((await lstat(join(folder, 'run.sh'))).mode & 0o111).not.toBe(0);
    expect(await readdir(folder)).not.toContain('.env');
    expect(world.git(folder, 'show', ':b.txt')).toBe('staged');
    expect(world.git(folder, 'rev-parse', 'HEAD')).toBe(world.git(repository, 'rev-parse', 'HEAD'));
  });

  it('stay behind when nobody asks for them', async () => {
    await writeFile(join(world.repository, 'a.txt'), 'changed\n');
    const folder = world.folderOf(await world.session());
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('are nothing in a clean folder', async () => {
    expect(status(world.folderOf(await world.session(TAKING)))).toEqual(['']);
  });

  it('do not go through a link of the branch, nor bring what is behind one', async () => {
    const { repository, root } = world;
    await mkdir(join(root, 'outside'));
    await writeFile(join(root, 'outside/secret'), 'secret');
    await symlink(join(root, 'outside'), join(repository, 'link'));
    await world.commit(repository, {});
    await rm(join(repository, 'link'));
    await mkdir(join(repository, 'link'));
    await writeFile(join(repository, 'link/x'), 'in a folder');
    await symlink(join(root, 'outside'), join(repository, 'other'));
    const folder = world.folderOf(await world.session(TAKING));
    expect(await readFile(join(folder, 'link/x'), 'utf8')).toBe('in a folder');
    expect(await readlink(join(folder, 'other'))).toBe(join(root, 'outside'));
    expect(await readdir(join(root, 'outside'))).toEqual(['secret']);
  });

  it('are refused with a reason when they can not all be taken, and nothing is left', async () => {
    const { repository } = world;
    world.git(repository, 'branch', 'old');
    await world.commit(repository, { 'a.txt': 'newer\n' });
    await writeFile(join(repository, 'b.txt'), 'changed\n');
    await expect(world.session({ ...TAKING, base: 'old' })).rejects.toThrow(/leave base out/);
    await world.session({ ...TAKING, base: 'main', branch: 'kept' });
    await writeFile(join(repository, 'large.bin'), '');
    await truncate(join(repository, 'large.bin'), 33 * 1024 * 1024);
    await expect(world.session(TAKING)).rejects.toThrow(/A changed file is too large .*large\.bin.*Commit, ignore/);
    await rm(join(repository, 'large.bin'));
    world.git(repository, 'checkout', '-q', '-f', '-b', 'other', 'old');
    await world.commit(repository, { 'a.txt': 'different\n' });
    expect(() => world.git(repository, 'merge', 'main')).toThrow();
    await expect(world.session(TAKING)).rejects.toThrow(/conflicts of a merge/);
    expect(world.branches()).toEqual(['kept', 'main', 'old', 'other']);
  });
});
