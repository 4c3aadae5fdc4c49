import { access, mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalSessionFs } from '../../../src/storage/fs/localSessionFs.js';

let folder: string;
let fs: LocalSessionFs;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-local-'));
  fs = await LocalSessionFs.open({ stateRoot: folder, sessionId: 's1', tmpRoot: folder });
});
afterEach(async () => {
  await fs.dispose();
  await rm(folder, { recursive: true, force: true });
});

const at = (name: string) => join(fs.sessionStatePath, name);
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const read = async (path: string) => {
  for await (const _ of fs.readLines(path));
};

describe('a session on the local disk', () => {
  it('has its own folder under the state root, and a temporary one', () => {
    expect(fs.sessionStatePath).toBe(join(folder, 'session-state', 's1'));
    expect(fs.tmpdir.startsWith(join(folder, 'agenthost-'))).toBe(true);
    expect(fs.initialCwd()).toBe(process.cwd());
    expect(fs.lockKey(at('a'))).toBe(at('a'));
    expect(() => fs.lockKey('/etc/passwd')).toThrow(expect.objectContaining({ code: 'EACCES' }));
  });

  it('is closed to other users', async () => {
    const before = process.umask(0);
    try {
      await fs.writeFile(at('written'), '');
      await fs.appendFile(at('appended'), '');
      await fs.mkdir(at('deep/folder'), { recursive: true });
      await fs.writeFile(join(fs.tmpdir, 'temporary'), '');
    } finally {
      process.umask(before);
    }
    for (const path of [at(''), join(folder, 'session-state'), fs.tmpdir, at('deep'), at('deep/folder')]) {
      expect(await modeOf(path), path).toBe('700');
    }
    for (const path of [at('written'), at('appended'), join(fs.tmpdir, 'temporary')]) {
      expect(await modeOf(path), path).toBe('600');
    }
  });

  it.each(['', '..', '.', 'a/b', '../s2', '/etc', 'a\0b', '.hidden', 'a b', 'x'.repeat(200)])(
    'with the id %j is refused',
    async (sessionId) => {
      await expect(LocalSessionFs.open({ stateRoot: folder, sessionId })).rejects.toMatchObject({ code: 'EINVAL' });
      expect(await readdir(join(folder, 'session-state'))).toEqual(['s1']);
    },
  );

  it('is not created by a look-up', async () => {
    const open = LocalSessionFs.open({ stateRoot: folder, sessionId: 's2', create: false });
    await expect(open).rejects.toMatchObject({ name: 'SessionFsFailure', code: 'ENOENT' });
    const none = LocalSessionFs.open({ stateRoot: join(folder, 'none'), sessionId: 's2' });
    await expect(none).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('whose folder is a link elsewhere is refused', async () => {
    await mkdir(join(folder, 'elsewhere'));
    await symlink(join(folder, 'elsewhere'), join(folder, 'session-state', 's2'));
    await symlink(at(''), join(folder, 'session-state', 's3'));
    for (const sessionId of ['s2', 's3']) {
      await expect(LocalSessionFs.open({ stateRoot: folder, sessionId })).rejects.toMatchObject({ code: 'EACCES' });
    }
  });

  it('under a state root behind a link works with real paths', async () => {
    await symlink(folder, `${folder}-link`);
    const linked = await LocalSessionFs.open({ stateRoot: `${folder}-link`, sessionId: 's2' });
    await linked.writeFile(linked.join(linked.sessionStatePath, 'a'), 'x');
    expect(await readFile(join(folder, 'session-state/s2/a'), 'utf8')).toBe('x');
    await linked.dispose();
    await rm(`${folder}-link`);
  });

  it('removes an empty temporary folder at the end, and keeps a non-empty one', async () => {
    const other = await LocalSessionFs.open({ stateRoot: folder, sessionId: 's2', tmpRoot: folder });
    await other.writeFile(join(other.tmpdir, 'kept'), '');
    await other.dispose();
    await fs.dispose();
    await expect(access(fs.tmpdir)).rejects.toThrow();
    await access(join(other.tmpdir, 'kept'));
  });

  it('can be removed completely, and created again', async () => {
    await fs.appendFile(at('a'), 'x');
    await fs.rm(at(''), { recursive: true });
    expect(await fs.exists(at(''))).toBe(false);
    await expect(fs.appendFile(at('a'), 'x')).rejects.toMatchObject({ code: 'ENOENT' });
    await fs.mkdir(at(''), { recursive: true });
    await fs.appendFile(at('a'), 'y');
    expect(await fs.readFile(at('a'))).toBe('y');
  });

  it('forces files and folders to disk', async () => {
    await fs.mkdir(at('a/b'), { recursive: true });
    await fs.appendFile(at('a/b/c'), 'x');
    await fs.sync(at('a/b/c'));
    await fs.rename(at('a/b/c'), at('a/d'));
    await fs.sync(at('a/d'));
    expect(await fs.readFile(at('a/d'))).toBe('x');
  });

  it('keeps the cause of a failure', async () => {
    const error = await fs.readFile(at('none')).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'SessionFsFailure', code: 'ENOENT', cause: { syscall: 'open' } });
  });
});

describe('links', () => {
  beforeEach(async () => {
    await mkdir(join(folder, 'outside/inner'), { recursive: true });
    await writeFile(join(folder, 'outside/secret'), 'secret');
    await mkdir(at('inside'));
    await writeFile(at('inside/mine'), 'mine');
  });

  const everything = (path: string) => [
    () => fs.readFile(path),
    () => fs.readFileBytes(path),
    () => fs.writeFile(path, 'x'),
    () => fs.appendFile(path, 'x'),
    () => fs.stat(path),
    () => fs.exists(path),
    () => fs.mkdir(path, { recursive: true }),
    () => fs.readdir(path),
    () => read(path),
    () => fs.sync(path),
  ];

  it.each([
    ['to a file outside', 'link', 'outside/secret', 'link'],
    ['to nothing outside, which writing would make', 'link', 'outside/new', 'link'],
    ['to a folder outside', 'link', 'outside', 'link/secret'],
    ['to a folder outside, below it', 'link', 'outside', 'link/inner/new'],
    ['to a link to a folder outside', 'link', 'session-state/s1/second', 'link/secret'],
    ['to another session', 'link', 'session-state/s2', 'link/events.jsonl'],
    ['in a folder', 'inside/link', 'outside', 'inside/link/secret'],
  ])('%s are not followed', async (_, name, target, path) => {
    await mkdir(join(folder, 'session-state/s2'));
    await symlink(join(folder, 'outside'), at('second'));
    await symlink(join(folder, target), at(name));
    for (const call of everything(at(path))) await expect(call()).rejects.toMatchObject({ code: 'EACCES' });
    const below = path !== name;
    if (below) {
      await expect(fs.rm(at(path), { force: true })).rejects.toMatchObject({ code: 'EACCES' });
      await expect(fs.rename(at('inside/mine'), at(path))).rejects.toMatchObject({ code: 'EACCES' });
      await expect(fs.rename(at(path), at('stolen'))).rejects.toMatchObject({ code: 'EACCES' });
    }
    expect((await readdir(join(folder, 'outside'))).sort()).toEqual(['inner', 'secret']);
    expect(await readdir(join(folder, 'outside/inner'))).toEqual([]);
    expect(await readFile(join(folder, 'outside/secret'), 'utf8')).toBe('secret');
  });

  it('that stay inside are followed', async () => {
    await symlink('inside', at('link'));
    await fs.appendFile(at('link/mine'), '!');
    expect(await fs.readFile(at('inside/mine'))).toBe('mine!');
    await fs.rename(at('inside/mine'), at('inside/moved'));
    await fs.appendFile(at('link/mine'), 'new');
    expect([await fs.readFile(at('inside/moved')), await fs.readFile(at('inside/mine'))]).toEqual(['mine!', 'new']);
  });

  it('that lead out are not listed, but can be removed and renamed', async () => {
    await symlink(join(folder, 'outside'), at('link'));
    await symlink('inside', at('good'));
    await symlink('loop', at('loop'));
    expect((await fs.readdirWithTypes(at(''))).sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: 'good', type: 'directory' },
      { name: 'inside', type: 'directory' },
    ]);
    await fs.rename(at('link'), at('renamed'));
    expect(await readlink(at('renamed'))).toBe(join(folder, 'outside'));
    await fs.rm(at('renamed'));
    await fs.rm(at(''), { recursive: true });
    expect((await readdir(join(folder, 'outside'))).sort()).toEqual(['inner', 'secret']);
  });
});

describe('files that are appended to', () => {
  const openFiles = async () => {
    const links = await Promise.all(
      (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
    );
    return links.filter((path) => path.startsWith(folder));
  };
  // 2026-11-15: what is open is read from /proc.
  const onLinux = it.runIf(process.platform === 'linux');

  onLinux('stay open, but not too many of them', async () => {
    for (let file = 0; file < 10; file++) await fs.appendFile(at(`f${file}`), 'x');
    await fs.appendFile(at('f9'), 'x');
    expect((await openFiles()).length).toBeLessThanOrEqual(5);
    expect(await openFiles()).toContain(at('f9'));
    await fs.dispose();
    expect(await openFiles()).toEqual([]);
    await expect(fs.appendFile(at('f9'), 'x')).rejects.toMatchObject({ code: 'EBADF' });
  });

  onLinux('are closed when they are renamed or removed, with their folder too', async () => {
    await fs.mkdir(at('d'));
    for (const name of ['a', 'b', 'd/c']) await fs.appendFile(at(name), 'x');
    await fs.rename(at('a'), at('a2'));
    await fs.rm(at('b'));
    await fs.rename(at('d'), at('d2'));
    expect(await openFiles()).toEqual([]);
  });

  it('take concurrent appends, while others are renamed and removed', async () => {
    const work = Array.from({ length: 300 }, async (_, index) => {
      const path = at(`f${index % 12}`);
      await fs.appendFile(path, 'x');
      if (index % 25 === 0) await fs.rename(path, at(`moved-${index}`)).catch(() => undefined);
      if (index % 40 === 0) await fs.rm(path, { force: true });
      await fs.appendFile(path, 'y');
    });
    await Promise.all(work);
  });
});
