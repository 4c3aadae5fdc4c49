import { access, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LocalSessionFs } from '../../../src/storage/fs/localSessionFs.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import { TEMP_REGISTER, TempFiles } from '../../../src/storage/stateRoot/tempFiles.js';
import { TempRoot } from '../../../src/storage/stateRoot/tempRoot.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-temp-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

const unexpected = (error: unknown) => {
  throw error;
};

describe('temporary files', () => {
  it('are private, with unpredictable names', async () => {
    const fs = await LocalSessionFs.open({ stateRoot: folder, sessionId: 's1', tmpRoot: folder });
    const files = new TempFiles({ fs });
    const [file, dir] = [await files.create('x', 'png'), await files.createFolder()];
    expect(file).toMatch(/[0-9a-f-]{36}\.png$/);
    expect([(await stat(file)).mode & 0o777, (await stat(dir)).mode & 0o777]).toEqual([0o600, 0o700]);
    expect([file, dir].every((path) => path.startsWith(fs.tmpdir))).toBe(true);
    for (const extension of ['../../x', 'a/b', 'PNG', '', 'x'.repeat(20), 'a\0']) {
      await expect(files.create('x', extension)).rejects.toMatchObject({ code: 'EINVAL' });
    }
    await files.dispose();
    await fs.dispose();
  });

  it.each(['local', 'elsewhere'])('are removed at the end, and nothing else is: %s', async (place) => {
    const local = () => LocalSessionFs.open({ stateRoot: folder, sessionId: 's1', tmpRoot: folder });
    const fs = place === 'local' ? await local() : new MemorySessionFs();
    const files = new TempFiles({ fs });
    const early = await files.create('gone before');
    const late = await files.create('gone at the end');
    const dir = await files.createFolder();
    await fs.writeFile(fs.join(dir, 'inside'), 'x');
    const foreign = fs.join(fs.tmpdir, 'foreign');
    await fs.writeFile(foreign, 'x');
    await files.remove(early);
    expect([await fs.exists(early), await fs.exists(late)]).toEqual([false, true]);
    for (const path of [foreign, early, '/etc/hosts']) {
      await expect(files.remove(path)).rejects.toMatchObject({ code: 'EINVAL' });
    }
    await files.dispose();
    expect(await fs.readdir(fs.tmpdir)).toEqual(['foreign']);
    await expect(files.create('too late')).rejects.toMatchObject({ code: 'EBADF' });
    await fs.dispose();
  });

  it('stay when they are to be kept', async () => {
    const fs = new MemorySessionFs();
    const files = new TempFiles({ fs, keep: true });
    const path = await files.create('x');
    await files.remove(path);
    await files.removeLeftovers();
    await files.dispose();
    expect(await fs.exists(path)).toBe(true);
  });

  it('are bounded in number, and so is their register', async () => {
    const fs = new MemorySessionFs();
    const files = new TempFiles({ fs });
    for (let n = 0; n < 1_000; n++) await files.remove(await files.create('x'));
    expect((await fs.readFile(fs.join(fs.tmpdir, TEMP_REGISTER))).split('\n').length).toBeLessThan(300);
    for (let n = 0; n < 256; n++) await files.create('x');
    await expect(files.create('x')).rejects.toMatchObject({ code: 'EMFILE' });
    await files.dispose();
    expect(await fs.readdir(fs.tmpdir)).toEqual([]);
  });

  it('of a killed host are removed when the session is opened again', async () => {
    const fs = new MemorySessionFs();
    const killed = new TempFiles({ fs });
    const [file, dir] = [await killed.create('x'), await killed.createFolder()];
    await fs.writeFile(fs.join(fs.tmpdir, 'foreign'), 'x');
    await fs.writeFile(fs.join(fs.tmpdir, 'victim'), 'x');
    await fs.appendFile(fs.join(fs.tmpdir, TEMP_REGISTER), 'victim\n../victim\n/etc/hosts\n');
    const files = new TempFiles({ fs });
    await files.removeLeftovers();
    expect([await fs.exists(file), await fs.exists(dir)]).toEqual([false, false]);
    expect((await fs.readdir(fs.tmpdir)).sort()).toEqual(['foreign', 'victim']);
  });
});

describe('the temporary folder of a host', () => {
  const open = (keep = false) => TempRoot.open({ stateRoot: folder, parent: folder, keep, onError: unexpected });
  const sessionIn = (root: TempRoot, sessionId = 's1') =>
    LocalSessionFs.open({ stateRoot: folder, sessionId, tmpRoot: root.path });

  it('is removed when the host stops', async () => {
    const root = await open();
    expect((await stat(root.path)).mode & 0o777).toBe(0o700);
    const fs = await sessionIn(root);
    const files = new TempFiles({ fs });
    await files.create('x');
    await files.dispose();
    await fs.dispose();
    await root.dispose();
    expect((await readdir(folder)).sort()).toEqual(['session-state']);
  });

  it('of a killed host is emptied by the next one, of registered files only', async () => {
    const killed = await open();
    const [one, two] = [await sessionIn(killed), await sessionIn(killed, 's2')];
    const [first, second] = [new TempFiles({ fs: one }), new TempFiles({ fs: two })];
    const outside = join(folder, 'outside');
    await writeFile(outside, 'x');
    const dir = await first.createFolder();
    await symlink(outside, join(dir, 'link'));
    const file = await second.create('x');
    const foreign = join(two.tmpdir, 'foreign');
    await writeFile(foreign, 'x');

    const next = await open();
    expect(await Promise.all([dir, one.tmpdir, file].map(isThere))).toEqual([false, false, false]);
    expect(await Promise.all([foreign, outside].map(isThere))).toEqual([true, true]);
    expect(next.path).not.toBe(killed.path);
    await next.dispose();
    expect(await isThere(next.path)).toBe(false);
  });

  it('stays when files are to be kept', async () => {
    const killed = await open(true);
    const fs = await sessionIn(killed);
    const path = await new TempFiles({ fs, keep: true }).create('x');
    await (await open(true)).dispose();
    expect(await readFile(path, 'utf8')).toBe('x');
  });

  it.each([
    ['a relative path', () => 'agenthost-x'],
    ['another folder', () => join(folder, 'session-state')],
    ['a link', () => join(folder, 'agenthost-link')],
    ['nothing', () => join(folder, 'agenthost-none')],
  ])('is left unchanged when the state root names %s', async (_, path) => {
    const root = await open();
    const fs = await sessionIn(root);
    const file = await new TempFiles({ fs }).create('x');
    await symlink(root.path, join(folder, 'agenthost-link'));
    await writeFile(join(folder, 'temp-folder'), path());
    const next = await open();
    expect(await isThere(file)).toBe(true);
    await next.dispose();
  });

  it('that can not be made is reported with what to do', async () => {
    const opening = TempRoot.open({ stateRoot: folder, parent: join(folder, 'none'), onError: unexpected });
    await expect(opening).rejects.toThrow(/^No temporary files can be made in .*none \(ENOENT\). Set TMPDIR to/);
  });
});
