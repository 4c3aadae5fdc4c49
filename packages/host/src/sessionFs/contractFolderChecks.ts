import { deepEqual, equal, ok } from 'node:assert/strict';
import { type ContractChecks, failsWith, readAllLines } from './contractCheck.js';

export const NAME_CHECKS: ContractChecks = {
  'joins by its own conventions': async (fs) => {
    const windows = fs.conventions === 'windows';
    equal(fs.join('a', 'b', 'c.txt'), windows ? 'a\\b\\c.txt' : 'a/b/c.txt');
    equal(fs.join('a', '..', 'b'), 'b');
    equal(fs.join('a', '', 'b'), windows ? 'a\\b' : 'a/b');
    equal(windows ? fs.join('C:\\x', 'y/z') : fs.join('/x/', '/y'), windows ? 'C:\\x\\y\\z' : '/x/y');
  },
  'has a folder for the session and one for temporary files, and both exist': async (fs) => {
    ok(fs.sessionStatePath !== undefined);
    for (const folder of [fs.sessionStatePath, fs.tmpdir]) equal((await fs.stat(folder)).isDirectory, true);
  },
  'writes to the temporary folder': async (fs) => {
    const path = fs.join(fs.tmpdir, 'spill.txt');
    await fs.writeFile(path, 'x');
    equal(await fs.readFile(path), 'x');
    await fs.rm(path);
  },
  'starts where it was told to': async (fs) => equal(fs.initialCwd(), '/somewhere'),
  'takes one lock for one file, another for another file': async (fs, { at }) => {
    equal(fs.lockKey(at('a')), fs.lockKey(at('a')));
    ok(fs.lockKey(at('a')) !== fs.lockKey(at('b')));
  },
  'takes another lock for the same name in another session': async (fs, { at, create }) => {
    const other = await create({ sessionId: 'another-session', initialCwd: '/' });
    try {
      const path = other.fs.join(other.fs.sessionStatePath ?? other.fs.tmpdir, 'a');
      ok(fs.lockKey(at('a')) !== other.fs.lockKey(path));
    } finally {
      await other.fs.dispose();
      await other.dispose?.();
    }
  },
};

export const FOLDER_CHECKS: ContractChecks = {
  'tells files from folders, and what does not exist': async (fs, { at }) => {
    await fs.mkdir(at('folder'));
    await fs.writeFile(at('file'), '12345');
    const [folder, file] = [await fs.stat(at('folder')), await fs.stat(at('file'))];
    deepEqual([folder.isDirectory, folder.isFile], [true, false]);
    deepEqual([file.isDirectory, file.isFile, file.size], [false, true, 5]);
    deepEqual(await Promise.all(['folder', 'file', 'none', 'file/x'].map((name) => fs.exists(at(name)))), [
      true,
      true,
      false,
      false,
    ]);
  },
  'says when a file was made and changed': async (fs, { at }) => {
    const before = Date.now();
    await fs.writeFile(at('a'), 'x');
    const made = await fs.stat(at('a'));
    await fs.appendFile(at('a'), 'y');
    const changed = await fs.stat(at('a'));
    // A file system's clock may be coarse.
    for (const time of [made.mtime, made.birthtime, changed.mtime]) ok(Math.abs(time - before) < 60_000, `${time}`);
    ok(changed.mtime >= made.mtime);
    equal(changed.birthtime, made.birthtime);
  },
  'makes a folder once': async (fs, { at }) => {
    await fs.mkdir(at('a'));
    await failsWith('EEXIST', fs.mkdir(at('a')));
    await fs.mkdir(at('a'), { recursive: true });
  },
  'makes a folder only in a folder, unless recursive': async (fs, { at }) => {
    await failsWith('ENOENT', fs.mkdir(at('a/b/c')));
    await fs.mkdir(at('a/b/c'), { recursive: true });
    deepEqual(await fs.readdirWithTypes(at('a/b')), [{ name: 'c', type: 'directory' }]);
  },
  'makes no folder where a file is': async (fs, { at }) => {
    await fs.writeFile(at('a'), '');
    await failsWith('EEXIST', fs.mkdir(at('a')));
    await failsWith('EEXIST', fs.mkdir(at('a'), { recursive: true }));
    await failsWith('ENOTDIR', fs.mkdir(at('a/b')));
  },
  'lists what is in a folder, and only that': async (fs, { at }) => {
    await fs.mkdir(at('a/inner'), { recursive: true });
    await fs.writeFile(at('a/file'), '');
    await fs.writeFile(at('a/inner/deep'), '');
    await fs.writeFile(at('ab'), '');
    const entries = (await fs.readdirWithTypes(at('a'))).sort((x, y) => (x.name < y.name ? -1 : 1));
    deepEqual(entries, [
      { name: 'file', type: 'file' },
      { name: 'inner', type: 'directory' },
    ]);
    deepEqual((await fs.readdir(at('a'))).sort(), ['file', 'inner']);
    deepEqual(await fs.readdir(at('a/inner')), ['deep']);
  },
  'removes a file': async (fs, { at }) => {
    await fs.writeFile(at('a'), '');
    await fs.rm(at('a'));
    equal(await fs.exists(at('a')), false);
  },
  'removes a folder only when told to, with all that is in it': async (fs, { at }) => {
    await fs.mkdir(at('a/b'), { recursive: true });
    await fs.writeFile(at('a/b/c'), '');
    await fs.writeFile(at('ab'), 'stays');
    await failsWith('EISDIR', fs.rm(at('a')));
    await fs.rm(at('a'), { recursive: true });
    equal(await fs.exists(at('a')), false);
    equal(await fs.readFile(at('ab')), 'stays');
  },
  'forgives that there is nothing to remove only with force': async (fs, { at }) => {
    await failsWith('ENOENT', fs.rm(at('a')));
    await failsWith('ENOENT', fs.rm(at('a'), { recursive: true }));
    await fs.rm(at('a'), { force: true });
    await fs.rm(at('a'), { force: true, recursive: true });
  },
  'renames over an existing file': async (fs, { at }) => {
    await fs.writeFile(at('a'), 'new');
    await fs.writeFile(at('b'), 'old and longer');
    await fs.rename(at('a'), at('b'));
    equal(await fs.readFile(at('b')), 'new');
    equal(await fs.exists(at('a')), false);
  },
  'renames a folder with all that is in it': async (fs, { at }) => {
    await fs.mkdir(at('a/b'), { recursive: true });
    await fs.writeFile(at('a/b/c'), 'x');
    await fs.rename(at('a'), at('z'));
    equal(await fs.readFile(at('z/b/c')), 'x');
    equal(await fs.exists(at('a')), false);
  },
};

export const FAILURE_CHECKS: ContractChecks = {
  'says ENOENT where there is nothing': async (fs, { at }) => {
    const calls = [
      () => fs.readFile(at('none')),
      () => fs.readFileBytes(at('none')),
      () => fs.stat(at('none')),
      () => fs.readdir(at('none')),
      () => fs.readdirWithTypes(at('none')),
      () => fs.rename(at('none'), at('other')),
      () => readAllLines(fs, at('none')),
      () => fs.sync?.(at('none')) ?? fs.readFile(at('none')),
    ];
    for (const call of calls) await failsWith('ENOENT', call());
  },
  'says ENOENT where the folder is missing': async (fs, { at }) => {
    await fs.writeFile(at('file'), '');
    await failsWith('ENOENT', fs.writeFile(at('none/a'), ''));
    await failsWith('ENOENT', fs.appendFile(at('none/a'), ''));
    await failsWith('ENOENT', fs.rename(at('file'), at('none/a')));
  },
  'says EISDIR and ENOTDIR where one is taken for the other': async (fs, { at }) => {
    await fs.mkdir(at('folder'));
    await fs.writeFile(at('file'), '');
    await failsWith('EISDIR', fs.readFile(at('folder')));
    await failsWith('EISDIR', fs.writeFile(at('folder'), ''));
    await failsWith('EISDIR', fs.appendFile(at('folder'), ''));
    await failsWith('ENOTDIR', fs.readdir(at('file')));
    await failsWith('ENOTDIR', fs.readFile(at('file/a')));
    await failsWith('ENOTDIR', fs.writeFile(at('file/a'), ''));
  },
  'goes on after a failure': async (fs, { at }) => {
    await failsWith('ENOENT', fs.appendFile(at('folder/a'), 'lost'));
    await fs.mkdir(at('folder'));
    await fs.appendFile(at('folder/a'), 'kept');
    equal(await fs.readFile(at('folder/a')), 'kept');
  },
  'refuses a NUL in a path': async (fs, { at }) => {
    await failsWith('EINVAL', fs.readFile(at('a\0b')));
    await failsWith('EINVAL', fs.appendFile(at('a\0b'), ''));
  },
};

export const ESCAPE_CHECKS: ContractChecks = {
  'refuses every path that leads out': async (fs, { at }) => {
    const inside = fs.sessionStatePath ?? '';
    const outside = [`${inside}/../x`, `${inside}/a/../../x`, `${inside}x`, `${inside}/..`, '/etc/passwd', '/', '../x'];
    await fs.writeFile(at('mine'), '');
    for (const path of outside) {
      const calls = [
        () => fs.readFile(path),
        () => fs.readFileBytes(path),
        () => fs.writeFile(path, ''),
        () => fs.appendFile(path, ''),
        () => fs.exists(path),
        () => fs.stat(path),
        () => fs.mkdir(path, { recursive: true }),
        () => fs.readdir(path),
        () => fs.readdirWithTypes(path),
        () => fs.rm(path, { recursive: true, force: true }),
        () => fs.rename(path, at('a')),
        () => fs.rename(at('mine'), path),
        () => readAllLines(fs, path),
        () => fs.sync?.(path) ?? fs.readFile(path),
      ];
      for (const call of calls) await failsWith('EACCES', call());
    }
    deepEqual(await fs.readdir(at('')), ['mine']);
  },
  'takes a way that stays inside': async (fs, { at }) => {
    await fs.writeFile(`${at('a')}/../b`, 'x');
    equal(await fs.readFile(at('b')), 'x');
  },
};
